import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { freePort } from '@/embedded/processes';
import type { HandOverOptions } from '@/inngest/registration';
import { type Client, makeWork } from '@/inngest/work.fixture';
import { type InngestServer, type InngestServerOptions, startInngestServer } from '@/test/inngest-server';
import { until } from '@/test/receiver';
import { clientOf, type TestServer } from '@/test/server';

// A normal run has short outages, and processes that look often for what was lost. FAULT_SECONDS=20 makes outages as long as
// that, and leaves all the times of the product as they are.
export const inFull = process.env.FAULT_SECONDS !== undefined;
export const outageMs = Number(process.env.FAULT_SECONDS ?? 3) * 1_000;
const pace: HandOverOptions = inFull ? {} : { patienceMs: 3_000, everyMs: 500, refreshMs: 2_000 };
const scheduleEveryMs = inFull ? 60_000 : 3_000;
/** So long a scene waits until every step was reached. */
export const stepsMs = inFull ? 120_000 : 60_000;
const patienceMs = inFull ? 300_000 : 150_000;
export const testTimeout = patienceMs + 240_000;

const fixture = fileURLToPath(new URL('./process.fixture.ts', import.meta.url));

type Outcome = { lost: number; doubled: number; longestSeconds: number };

/**
 * A row of the table of docs/webhooks.md: by kind of work, what was lost, what was doubled, and the longest delay in
 * seconds.
 */
function print(name: string, row: Map<string, Outcome>): void {
  const cells = [...row].map(
    ([kind, each]) => `${kind} ${each.lost} ${each.doubled} ${each.longestSeconds.toFixed(1)}`,
  );
  process.stdout.write(`| ${[name, ...cells].join(' | ')} |\n`);
}

/** Laurel and an Inngest server. */
export type Stage = {
  inngest: InngestServer;
  /** Starts Laurel; once more where it was killed. */
  start: () => Promise<void>;
  /** Kills it like `kill -9`. */
  kill: () => Promise<void>;
  server: Client;
  /** What Laurel has logged so far. */
  log: () => string;
  stop: () => Promise<void>;
};

/** An Inngest server, and what starts and kills a process of Laurel that works with it. */
export async function makeStage(options: InngestServerOptions = {}): Promise<Stage> {
  const inngest = await startInngestServer({ bufferMs: 265, lateMs: 2_000, scheduleEveryMs, ...options });
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const address = { PORT: String(port), PUBLIC_URL: origin, INNGEST_SERVE_ORIGIN: origin };
  const env = { ...process.env, ...inngest.env, ...address, LOG_LEVEL: 'info' };
  let log = '';
  let child: ChildProcess | null = null;
  async function kill(): Promise<void> {
    const killed = child;
    child = null;
    killed?.kill('SIGKILL');
    if (killed && killed.exitCode === null && killed.signalCode === null) await once(killed, 'exit');
  }
  return {
    inngest,
    kill,
    async start() {
      const args = ['--import', 'tsx', fixture, JSON.stringify(pace)];
      const started = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
      child = started;
      let output = '';
      started.stdout.on('data', (chunk) => {
        output += chunk;
        log += chunk;
      });
      await until(() => /^ready$/m.test(output) || started.exitCode !== null || started.signalCode !== null);
    },
    server: clientOf(origin),
    log: () => log,
    async stop() {
      await kill();
      await inngest.stop();
    },
  };
}

/**
 * Plays a scene, and expects that in the end all work was done. What became of it is printed.
 * @param api a server whose events nothing handles, to prepare the work
 * @returns the kinds whose pieces came twice
 */
export async function play(
  api: TestServer,
  stage: Stage,
  name: string,
  scenario: (announce: () => Promise<void>) => Promise<void>,
): Promise<string[]> {
  const work = await makeWork(api);
  await scenario(() => Promise.all(work.map((each) => each.announce(stage.server))).then(() => undefined));

  const finished = async () => {
    for (const each of work) {
      const ids = new Set((await each.done()).map(({ id }) => id));
      if (!each.expected().every((id) => ids.has(id))) return false;
    }
    return true;
  };
  await until(finished, patienceMs).catch(() => undefined);
  const row = new Map<string, Outcome>();
  for (const { kind, expected, done } of work) {
    const all = await done();
    const ids = new Set(all.map(({ id }) => id));
    const lost = expected().filter((id) => !ids.has(id)).length;
    const longestSeconds = Math.max(...all.map(({ afterMs }) => afterMs)) / 1_000;
    row.set(kind, { lost, doubled: all.length - ids.size, longestSeconds });
  }
  print(name, row);
  const kindsWith = (figure: 'lost' | 'doubled') =>
    [...row].filter(([, each]) => each[figure] > 0).map(([kind]) => kind);
  expect(kindsWith('lost'), `lost: ${name}`).toEqual([]);
  return kindsWith('doubled');
}
