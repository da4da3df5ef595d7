import { availableParallelism, cpus } from 'node:os';

/**
 * One measurement: ours and the floor in the same unit, from the same run. `ratio` is the share of the floor's speed
 * that ours has: 1 is as fast as the floor.
 */
export type Result = { name: string; ratio: number; ours: number; floor: number; unit: string; aim: string };

type Bench = { run: (parts: string[]) => Promise<Result | Result[]> };

const benches: Record<string, () => Promise<Bench>> = {
  'data-api': () => import('./data-api'),
  registrations: () => import('./registrations'),
  webhooks: () => import('./webhooks'),
  isolation: () => import('./isolation'),
  draws: () => import('./draws'),
  'bracket-reads': () => import('./bracket-reads'),
  views: () => import('./views'),
  reports: () => import('./reports'),
  watchers: () => import('./watchers'),
  'anti-cheat': () => import('./anti-cheat'),
};

// Receivers of the webhook bench listen on this machine; set before anything reads the environment.
process.env.WEBHOOK_ALLOWED_CIDRS ??= '127.0.0.0/8';

/** Benches by name, and the parts of each that were asked for: `isolation:dns`. */
const asked = new Map<string, string[]>();
for (const argument of process.argv.slice(2)) {
  const [name = '', part] = argument.split(':');
  asked.set(name, [...(asked.get(name) ?? []), ...(part ? [part] : [])]);
}
const unknown = [...asked.keys()].filter((name) => !(name in benches));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}; there are ${Object.keys(benches).join(', ')}.`);
  process.exit(1);
}

console.log(`Node ${process.version}, ${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown processor'}\n`);
const rows: string[][] = [['bench', 'ours', 'floor', 'unit', 'ratio', 'aim']];
/** Three digits of a small figure, all of a large one. */
const figure = (value: number) => (value < 100 ? value.toPrecision(3) : value.toFixed(0));

for (const [name, load] of Object.entries(benches)) {
  if (asked.size > 0 && !asked.has(name)) continue;
  const { run } = await load();
  for (const { name: title, ours, floor, unit, ratio, aim } of [await run(asked.get(name) ?? [])].flat()) {
    rows.push([title, figure(ours), figure(floor), unit, ratio.toFixed(2), aim]);
  }
}

const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
for (const row of rows) console.log(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
process.exit(0);
