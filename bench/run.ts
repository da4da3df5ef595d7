import { availableParallelism, cpus } from 'node:os';

/** The result of one measurement: ours and the floor in the same unit, from the same run. */
type Result = { name: string; ratio: number; ours: number; floor: number; unit: string };

const benches: Record<string, { aim: number; load: () => Promise<{ run: () => Promise<Result> }> }> = {
  'data-api': { aim: 0.5, load: () => import('./data-api') },
  registrations: { aim: 0.3, load: () => import('./registrations') },
  webhooks: { aim: 0.15, load: () => import('./webhooks') },
};

// Receivers of the webhook bench listen on this machine; set before anything reads the environment.
process.env.WEBHOOK_ALLOWED_CIDRS ??= '127.0.0.0/8';

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in benches));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}; there are ${Object.keys(benches).join(', ')}.`);
  process.exit(1);
}

console.log(`Node ${process.version}, ${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown processor'}\n`);
const rows: string[][] = [['bench', 'ours', 'floor', 'unit', 'ratio', 'aim']];
for (const [name, { aim, load }] of Object.entries(benches)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const { run } = await load();
  const result = await run();
  rows.push([
    result.name,
    result.ours.toFixed(0),
    result.floor.toFixed(0),
    result.unit,
    result.ratio.toFixed(2),
    aim.toFixed(2),
  ]);
}

const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
for (const row of rows) console.log(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
process.exit(0);
