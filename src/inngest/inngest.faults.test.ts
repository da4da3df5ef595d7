import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from '@/embedded/processes';
import { emitEvents, makeProject, makeSubscription } from '@/test/factories';
import { type InngestServer, type InngestServerOptions, startInngestServer } from '@/test/inngest-server';
import { openReceiver } from '@/test/queue';
import { until } from '@/test/receiver';

// Faults of an Inngest server, and kills of Laurel, while events are under way. Prints the table of docs/webhooks.md.
// FAULT_SECONDS=20 makes outages last longer; the default is enough to see that nothing is lost.
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

const drainRequested = 'webhook/drain.requested';
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
    await until(() => inngest.calls() > 0);
    await emit();
  });
  expect(doubled).toBe(0);
});

const known = (inngest: InngestServer) => until(() => inngest.functions().length > 0);

it('it answers late', async () => {
  await play('answers late', { lateMs: 5_000 }, async ({ inngest, start, emit }) => {
    await inngest.setFault('late');
    await start();
    await known(inngest);
    await emit();
    await pause(outageMs);
    await inngest.setFault('none');
  });
});

it('it takes events and forgets them', async () => {
  await play('forgets', {}, async ({ inngest, start, emit }) => {
    await inngest.setFault('forgets');
    await start();
    await until(() => inngest.taken(drainRequested) > 0);
    await emit();
    await pause(outageMs);
    await inngest.setFault('none');
  });
});

it('it is killed right after it took events', async () => {
  await play('killed when it took events', { bufferMs: 60_000 }, async ({ inngest, start, emit }) => {
    await start();
    await until(() => inngest.taken(drainRequested) > 0);
    await emit();
    await inngest.restart({ durable: true, bufferMs: 0 });
  });
});

it('it restarts empty: without functions, runs and events', async () => {
  await play('restarts empty', {}, async ({ inngest, start, emit }) => {
    await start();
    await until(() => inngest.calls() > 0);
    await inngest.restart();
    await emit();
  });
});

it.each([1, 3])('it is down (%i)', async (factor) => {
  await play(`down ${(outageMs * factor) / 1_000} s`, {}, async ({ inngest, start, emit }) => {
    await start();
    await until(() => inngest.calls() > 0);
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
    await inngest.setFault('hangs');
    await start();
    await emit();
    await pause(outageMs * 1.5);
    await inngest.setFault('none');
  });
});

it('Laurel is killed before it handed anything over', async () => {
  await play('kill -9 before the hand-over', {}, async ({ start, kill, emit }) => {
    await start();
    kill();
    await emit();
    await start();
  });
});

it('Laurel is killed when it has asked for a run', async () => {
  let kill: (() => void) | null = null;
  const onEvents = (names: string[]) => {
    if (!names.includes(drainRequested)) return;
    kill?.();
    kill = null;
  };
  await play('kill -9 at the hand-over', { onEvents }, async (scene) => {
    kill = scene.kill;
    await scene.emit();
    await scene.start();
    await until(() => kill === null);
    await scene.start();
  });
});

it.each([0, 40, 400])('Laurel is killed %i ms into the run that sends', async (ms) => {
  let kill: (() => void) | null = null;
  const onCall = (id: string) => {
    if (id !== 'laurel-webhook-drain' || !kill) return;
    setTimeout(kill, ms);
    kill = null;
  };
  await play(`kill -9 after ${ms} ms of the run`, { onCall }, async (scene) => {
    kill = scene.kill;
    await scene.emit();
    await scene.start();
    await until(() => kill === null);
    await pause(ms + 500);
    await scene.start();
  });
});
