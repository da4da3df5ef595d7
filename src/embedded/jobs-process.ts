import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { logger as Logger } from '@/server/logger';
import type { Metrics } from '@/server/metrics';

/** What the process that runs the functions says of itself. */
export type Report = {
  /** Whether the executor reaches the database. */
  ready: boolean;
  metrics: Metrics;
};

const reportEveryMs = 1_000;
/** Reports that are older are ignored. */
const staleAfterMs = 5_000;
const restartMs = 1_000;
const killMs = 9_000;

/**
 * In that process, once it has started: reports to its parent for as long as it lives. However many requests ask the parent for
 * probes and metrics, they cost this process nothing.
 */
export async function reportToParent(report: () => Promise<Report>): Promise<void> {
  while (process.connected) {
    const said = await report();
    // One after the other, since a parent that stands still reads none.
    await new Promise((resolve) => process.send?.(said, resolve));
    await pause(reportEveryMs);
  }
}

export type JobsProcess = {
  /** @throws when it has not reported lately */
  latest(): Report;
  /** Ends it; what is under way has a moment to end. */
  stop(): Promise<void>;
};

/**
 * Starts the process that runs the functions, and another whenever it ends by itself: pages and API go on meanwhile, and the
 * database keeps what is to be done.
 * @param file its entry
 * @throws when it ends before it has started for the first time
 */
export async function startJobsProcess(file: URL, logger: typeof Logger): Promise<JobsProcess> {
  const stopped = new AbortController();
  const watchParent = new URL('./embedded/watch-parent.js', file).href;
  let latest: { report: Report; at: number } | null = null;

  function start(): { child: ChildProcess; reported: Promise<void>; ended: Promise<void> } {
    const child = fork(file, [], { execArgv: ['--enable-source-maps', '--import', watchParent] });
    const reported = new Promise<void>((resolve) => {
      child.on('message', (report: Report) => {
        latest = { report, at: performance.now() };
        resolve();
      });
    });
    const ended = new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', () => resolve());
    });
    return { child, reported, ended };
  }

  let running = start();
  await Promise.race([
    running.reported,
    running.ended.then(() => {
      throw new Error('The process that runs the functions did not start');
    }),
  ]);

  async function keepRunning(): Promise<void> {
    for (;;) {
      await running.ended;
      latest = null;
      const { exitCode, signalCode } = running.child;
      if (stopped.signal.aborted) return;
      logger.error({ exitCode, signalCode }, 'the process that runs the functions has ended; another starts');
      await pause(restartMs);
      if (stopped.signal.aborted) return;
      running = start();
    }
  }
  void keepRunning();

  return {
    latest() {
      if (!latest || performance.now() - latest.at > staleAfterMs) {
        throw new Error('The process that runs the functions does not report');
      }
      return latest.report;
    },
    async stop() {
      stopped.abort();
      const { child, ended } = running;
      child.kill('SIGTERM');
      const force = setTimeout(() => child.kill('SIGKILL'), killMs);
      await ended;
      clearTimeout(force);
    },
  };
}
