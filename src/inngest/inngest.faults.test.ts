import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from '@/embedded/processes';
import { emitEvents, makeProject, makeSubscription } from '@/test/factories';
import { type InngestServer, type InngestServerOptions, startInngestServer } from '@/test/inngest-server';
import { openReceiver } from '@/test/queue';
import { until } from '@/test/receiver';

// Faults of an Inngest server, and kills of Laurel, while events are under way. FAULT_SECONDS=20 makes outages last as long
// as in the table of docs/webhooks.md; the default is enough to see that nothing is lost.
const outageMs = Number(process.env.FAULT_SECONDS ?? 4) * 1_000;
vi.setConfig({ testTimeout: 240_000 + 10 * outageMs });

const fixture = fileURLToPath(new URL('./process.fixture.ts', import.meta.url));
const eventsPerTest = 20;
const children = new Set<ChildProcess>();
const table: Record<string, { lost: number; doubled: number; 'longest delay (s)': number }> = {};

afterEach(async () => {
  for (const child of children) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  children.clear();
});
afterAll(() => {
  const lines = Object.entries(table).map(([name, row]) => `${name.padEnd(28)} ${JSON.stringify(row)}`);
  process.stdout.write(`${lines.join('\n')}\n`);
});

type Scene = {
  inngest: InngestServer;
  /** Starts another process in place of one that was killed. */
  start: () => Promise<void>;
  kill: () => void;
  /** Emits the events of the test. */
  emit: () => Promise<void>;
};

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Sets the scene, plays it, and counts what arrived in the end. */
async function play(name: string, options: InngestServerOptions, scenario: (scene: Scene) => Promise<void>) {
  const inngest = await startInngestServer({ bufferMs: 265, scheduleEveryMs: 3_000, ...options });
  onTestFinished(() => inngest.stop());
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const env = { ...process.env, ...inngest.env, PORT: String(port), INNGEST_SERVE_ORIGIN: origin };
  let child: ChildProcess | undefined;
  async function start() {
    child = spawn(process.execPath, ['--import', 'tsx', fixture], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    children.add(child);
    if (child.stdout) await once(child.stdout, 'data');
  }
  const { project } = await makeProject();
  const target = await openReceiver();
  await makeSubscription(project.id, { url: target.url });
  const emitted: string[] = [];
  let emittedAt = 0;
  await scenario({
    inngest,
    start,
    kill: () => void child?.kill('SIGKILL'),
    async emit() {
      emittedAt = Date.now();
      emitted.push(...(await emitEvents(project.id, eventsPerTest)));
    },
  });
  const arrived = () => new Set(target.eventIds());
  await until(() => arrived().size === eventsPerTest, 120_000).catch(() => undefined);
  table[name] = {
    lost: emitted.filter((id) => !arrived().has(id)).length,
    doubled: target.eventIds().length - arrived().size,
    'longest delay (s)': Math.max(...target.received.map(({ at }) => at - emittedAt)) / 1_000,
  };
  expect(table[name].lost).toBe(0);
  return table[name];
}

it('without a fault', async () => {
  const { doubled } = await play('none', {}, async ({ inngest, start, emit }) => {
    await start();
    await until(() => inngest.functions().length > 0);
    await emit();
  });
  expect(doubled).toBe(0);
});

it('it answers late', async () => {
  await play('answers late', { lateMs: 5_000 }, async ({ inngest, start, emit }) => {
    await start();
    await until(() => inngest.functions().length > 0);
    await inngest.setFault('late');
    await emit();
    await until(() => inngest.taken('domain/events.committed') > 0);
    await inngest.setFault('none');
  });
});

it.each([1, 3])('it is down (%i)', async (factor) => {
  await play(`down ${(outageMs * factor) / 1_000} s`, {}, async ({ inngest, start, emit }) => {
    await start();
    await until(() => inngest.functions().length > 0);
    await inngest.setFault('down');
    await emit();
    await pause(outageMs * factor);
    await inngest.setFault('none');
  });
});

it('it is down when Laurel starts', async () => {
  await play('down at the start', {}, async ({ inngest, start, emit }) => {
    await inngest.setFault('down');
    await start();
    await emit();
    await pause(outageMs);
    await inngest.setFault('none');
  });
});

it('it hangs', async () => {
  await play(`hangs ${(outageMs * 1.5) / 1_000} s`, {}, async ({ inngest, start, emit }) => {
    await start();
    await until(() => inngest.functions().length > 0);
    await inngest.setFault('hangs');
    await emit();
    await pause(outageMs * 1.5);
    await inngest.setFault('none');
  });
});

it('Laurel is killed when events were handed over', async () => {
  let killed = false;
  let kill: () => void = () => undefined;
  const onEvents = (names: string[]) => {
    if (killed || !names.includes('domain/events.committed')) return;
    killed = true;
    kill();
  };
  await play('kill -9 at the hand-over', { onEvents }, async (scene) => {
    kill = scene.kill;
    await scene.start();
    await until(() => scene.inngest.functions().length > 0);
    await scene.emit();
    await until(() => killed);
    await scene.start();
  });
});

it.each(['webhook-fan-out', 'webhook-deliver'])('Laurel is killed when %s is called', async (name) => {
  let killed = false;
  let kill: () => void = () => undefined;
  const onCall = (id: string) => {
    if (killed || id !== `laurel-${name}`) return;
    killed = true;
    setTimeout(kill, 15);
  };
  await play(`kill -9 in ${name}`, { onCall }, async (scene) => {
    kill = scene.kill;
    await scene.start();
    await until(() => scene.inngest.functions().length > 0);
    await scene.emit();
    await until(() => killed);
    await pause(100);
    await scene.start();
  });
});
