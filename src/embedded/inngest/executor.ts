import type { Inngest, InngestFunction } from 'inngest';
import type pg from 'pg';
import {
  claimJobs,
  expireDeadLeases,
  extendLeases,
  type LeasedJob,
  releaseLeases,
  sweepParked,
} from '@/embedded/inngest/claim';
import { type Commit, type CommitResult, commitAll } from '@/embedded/inngest/commit';
import { dispatchEvents, indexTriggers, skipEvent, type Triggers } from '@/embedded/inngest/dispatch';
import { type FunctionConfig, readFunctions } from '@/embedded/inngest/functions';
import { createInvoker, type Invoker } from '@/embedded/inngest/invoke';
import { Loop } from '@/embedded/inngest/loop';
import {
  checkpointedSteps,
  failedRun,
  plan,
  resumedCall,
  settledStep,
  type Transition,
  wakeEarly,
} from '@/embedded/inngest/plan';
import { prune } from '@/embedded/inngest/retention';
import { registerSchedules, tickSchedules } from '@/embedded/inngest/schedules';
import { flattenProcessEnv } from '@/env';
import { holdAliveLock } from '@/server/alive-lock';
import { Batcher } from '@/server/jobs/embedded/batcher';
import { CHANNEL, createPool, isTransient, type JobLogger, pause } from '@/server/jobs/embedded/database';
import { newProcessName } from '@/server/jobs/embedded/events';
import type { EmbeddedTransport } from '@/server/jobs/embedded/transport';
import { Listener } from '@/server/listener';
import { watchWaiting } from '@/server/worker/waiting';

type RunOutcome = 'completed' | 'failed' | 'cancelled';

export type EmbeddedExecutorOptions = {
  /** A database with the `local_inngest` schema. */
  connectionString: string;
  /** The client that made the functions; in dev mode, with the `fetch` of `transport`. */
  client: Inngest.Any;
  transport: EmbeddedTransport;
  functions: readonly InngestFunction.Any[];
  logger: JobLogger;
  /** Calls of functions at a time in this process, besides those that wait for their turn at something. */
  concurrency?: number;
  /**
   * Milliseconds until a process that hangs loses its jobs. Those of one that died are free at the next start of any
   * process.
   */
  leaseMs?: number;
  /** Milliseconds that `stop` waits for calls under way. */
  graceMs?: number;
  /** Milliseconds until the next attempt, given the number of failed ones. */
  backoff?: (failed: number) => number;
  /** Ends sleeps so much early, for tests: an Inngest server may by up to half a second. */
  wakeEarlyMs?: number;
  /** Functions that always have a run under way; `idle` does not wait for them. */
  lasting?: readonly string[];
  /** Called for every run that ends in this process, with the milliseconds since it was created. */
  onRun?: (outcome: RunOutcome, ms: number) => void;
};

export type EmbeddedExecutor = {
  /** Looks for work now. Not necessary: commits wake every process. */
  nudge(): void;
  /** Resolves when no process has events waiting, jobs due or calls under way. */
  idle(): Promise<void>;
  /** Stops claiming, lets calls under way finish their step, and releases the rest. */
  stop(): Promise<void>;
  /** Whether the executor claims work and could reach the database when it last tried. */
  ready(): boolean;
};

const POLL_MS = 5000;
const PRUNE_EVERY_MS = 60_000;
const MAX_EVENT_BATCH = 200;
const MAX_COMMIT_BATCH = 200;
/** Leases that may expire in a row before a run fails: its call seems to end its process each time. */
const MAX_LOST_LEASES = 10;

/** 15 s, 30 s, 1 min … 2 h, less up to a fifth, so that runs that failed together are not retried together. */
function defaultBackoff(failures: number): number {
  return Math.min(15_000 * 2 ** (failures - 1), 7_200_000) * (1 - Math.random() / 5);
}

class Executor implements EmbeddedExecutor {
  private readonly owner = newProcessName();
  private readonly pool: pg.Pool;
  private readonly inFlight = new Map<string, LeasedJob>();
  /** Ids of those that wait for their turn: they hold no place, so that however many wait, others go on. */
  private readonly waiting = new Set<string>();
  private readonly onAllEnded = new Set<() => void>();
  private readonly commits: Batcher<Commit, CommitResult>;
  private readonly abort = new AbortController();
  private readonly byId: Map<string, FunctionConfig>;
  private readonly triggers: Triggers;
  private readonly concurrency: number;
  private readonly leaseMs: number;
  private released: string[] = [];
  private healthy = true;
  private stopping: Promise<void> | null = null;
  private readonly listener: Listener;
  /** Resolves when the first look at the database is over, whether it succeeded or not. */
  readonly takenOver: Promise<void>;
  private readonly loops: { dispatch: Loop; claim: Loop; upkeep: Loop; heartbeat: Loop };
  private prunedAt = 0;
  private nextTick = 0;
  private eventBatch = MAX_EVENT_BATCH;

  constructor(
    private readonly options: EmbeddedExecutorOptions,
    private readonly functions: FunctionConfig[],
    private readonly invoker: Invoker,
    pool: pg.Pool,
  ) {
    this.pool = pool;
    this.concurrency = options.concurrency ?? 128;
    this.leaseMs = options.leaseMs ?? 30_000;
    this.byId = new Map(functions.map((fn) => [fn.id, fn]));
    this.triggers = indexTriggers(functions);
    const onError = (error: unknown) => this.unhealthy(error, 'results could not be stored; trying again');
    this.commits = new Batcher(MAX_COMMIT_BATCH, (items) => {
      return commitAll(this.pool, this.owner, items, onError, this.abort.signal);
    });
    this.listener = this.createListener();
    this.takenOver = this.takeOver();
    this.loops = {
      dispatch: new Loop(() => this.guard(() => this.dispatch())),
      claim: new Loop(() => this.guard(() => this.claim())),
      upkeep: new Loop(() => this.guard(() => this.upkeep())),
      heartbeat: new Loop(() => this.guard(() => this.heartbeat())),
    };
  }

  nudge(): void {
    this.loops.dispatch.nudge();
    this.loops.claim.nudge();
  }

  ready(): boolean {
    return this.healthy && this.stopping === null;
  }

  async idle(): Promise<void> {
    // A parked job waits for a call that is under way, so it counts as busy.
    const query = `
      SELECT EXISTS (SELECT FROM local_inngest.events WHERE dispatched_at IS NULL)
        OR EXISTS (SELECT FROM local_inngest.schedules WHERE next_at <= now() AND function_id = ANY($1))
        OR EXISTS (SELECT FROM local_inngest.jobs WHERE leased_by IS NOT NULL AND function_id <> ALL($2))
        OR EXISTS (SELECT FROM local_inngest.jobs WHERE parked_on IS NOT NULL)
        OR EXISTS (SELECT FROM local_inngest.jobs
                   WHERE leased_by IS NULL AND parked_on IS NULL AND at <= now() AND function_id = ANY($1)
                     AND function_id <> ALL($2)) AS busy`;
    const ids = [...this.byId.keys()];
    const lasting = this.options.lasting ?? [];
    while (this.stopping === null) {
      const { rows } = await this.pool.query<{ busy: boolean }>(query, [ids, lasting]);
      const others = [...this.inFlight.values()].filter((job) => !lasting.includes(job.functionId));
      if (!rows[0]?.busy && others.length === 0) return;
      await pause(5, this.abort.signal);
    }
  }

  stop(): Promise<void> {
    this.stopping ??= this.shutDown();
    return this.stopping;
  }

  private async shutDown(): Promise<void> {
    await Promise.all([this.loops.claim.stop(), this.loops.dispatch.stop(), this.loops.upkeep.stop()]);
    if (this.inFlight.size > 0) {
      const all = new Promise<void>((resolve) => this.onAllEnded.add(resolve));
      await Promise.race([all, pause(this.options.graceMs ?? 20_000, this.abort.signal)]);
    }
    this.abort.abort();
    await this.loops.heartbeat.stop();
    await this.listener.stop();
    try {
      if (this.released.length > 0) await sweepParked(this.pool);
      const released = await releaseLeases(this.pool, this.owner);
      if (released > 0)
        this.options.logger.warn({ jobs: released }, 'stopped before these calls ended; they will be made again');
    } catch (error) {
      this.unhealthy(error, 'leases could not be released; they will expire');
    }
    await this.pool.end();
  }

  /** Before the first claim: holds the lock that shows this process is alive, and takes over jobs of processes that died. */
  private async takeOver(): Promise<void> {
    try {
      await this.listener.start();
      await expireDeadLeases(this.pool);
    } catch (error) {
      this.unhealthy(error, 'jobs of processes that died wait until their leases expire');
    }
  }

  /** Hears the commits of other processes; the pauses of the loops make up for its absence. */
  private createListener(): Listener {
    return new Listener({
      connectionString: this.options.connectionString,
      applicationName: 'laurel-inngest',
      channels: [CHANNEL],
      prepare: (client) => holdAliveLock(client, 'executor', this.owner),
      onNotification: (_channel, payload) => {
        if (payload.startsWith('event')) this.loops.dispatch.nudge();
        else if (payload !== `job ${this.owner}`) this.loops.claim.nudge();
      },
      // Finds what was committed before the connection was open.
      onOpen: () => this.nudge(),
      onLost: (error) => this.unhealthy(error, 'the wake-up connection was lost'),
    });
  }

  private unhealthy(error: unknown, message: string): void {
    this.healthy = false;
    this.options.logger.warn({ err: error }, message);
  }

  /** Keeps a loop running while the database cannot be reached. */
  private async guard(round: () => Promise<number>): Promise<number> {
    try {
      const wait = await round();
      this.healthy = true;
      return wait;
    } catch (error) {
      if (this.stopping === null) this.unhealthy(error, 'the executor cannot work; trying again');
      return 500;
    }
  }

  private async dispatch(): Promise<number> {
    const done = await this.dispatchBatch();
    if (done.events > 0) this.loops.claim.nudge();
    for (const age of done.cancelled) this.options.onRun?.('cancelled', age);
    // While events keep coming, schedules are read only when one is due.
    if (done.events === 0 || performance.now() >= this.nextTick) {
      const nextIn = (await tickSchedules(this.pool, this.functions, this.owner)) ?? POLL_MS;
      this.nextTick = performance.now() + Math.min(POLL_MS, Math.max(nextIn, 0));
    }
    return done.more ? 0 : this.nextTick - performance.now();
  }

  /** An event that cannot be dispatched must not block those behind it: going one at a time finds it, and it is skipped. */
  private async dispatchBatch() {
    const limit = this.eventBatch;
    try {
      const done = await dispatchEvents(this.pool, this.triggers, this.byId, limit);
      this.eventBatch = Math.min(limit * 2, MAX_EVENT_BATCH);
      return { ...done, more: done.events >= limit };
    } catch (error) {
      if (isTransient(error)) throw error;
      this.eventBatch = 1;
      if (limit === 1) {
        const skipped = await skipEvent(this.pool);
        this.options.logger.error({ err: error, event: skipped }, 'an event could not be dispatched and was skipped');
      }
      return { events: 0, cancelled: [], more: true };
    }
  }

  /** Places for further calls. What had waited goes on even when there is none. */
  private get free(): number {
    return Math.max(0, this.concurrency - (this.inFlight.size - this.waiting.size));
  }

  private async claim(): Promise<number> {
    await this.takenOver;
    const { free } = this;
    const released = this.released.splice(0);
    if (free === 0 && released.length === 0) return POLL_MS;
    try {
      const claim = await claimJobs(this.pool, {
        owner: this.owner,
        functionIds: [...this.byId.keys()],
        limit: free,
        leaseMs: this.leaseMs,
        released,
      });
      for (const job of claim.jobs) this.start(job);
      // When all places are taken, the next one that is given back triggers the next claim.
      return this.free === 0 ? POLL_MS : Math.min(POLL_MS, claim.nextIn ?? POLL_MS);
    } catch (error) {
      this.released.push(...released);
      throw error;
    }
  }

  private async upkeep(): Promise<number> {
    if ((await sweepParked(this.pool)) > 0) this.loops.claim.nudge();
    if (Date.now() - this.prunedAt > PRUNE_EVERY_MS) {
      if (await prune(this.pool)) return 100;
      this.prunedAt = Date.now();
    }
    return POLL_MS;
  }

  private async heartbeat(): Promise<number> {
    const ids = [...this.inFlight.keys()];
    if (ids.length > 0) {
      const held = await extendLeases(this.pool, this.owner, ids, this.leaseMs);
      const lost = ids.filter((id) => this.inFlight.has(id) && !held.has(id)).length;
      if (lost > 0)
        this.options.logger.debug({ jobs: lost }, 'leases were lost; the results of these calls will be dropped');
    }
    return this.leaseMs / 3;
  }

  private noteWaiting(job: LeasedJob, isWaiting: boolean): void {
    if (this.inFlight.get(job.id) !== job) return;
    const wasFull = this.free === 0;
    if (isWaiting) this.waiting.add(job.id);
    else this.waiting.delete(job.id);
    if (wasFull && this.free > 0 && this.stopping === null) this.loops.claim.nudge();
  }

  private start(job: LeasedJob): void {
    this.inFlight.set(job.id, job);
    this.waiting.delete(job.id);
    const noteWaiting = (isWaiting: boolean) => this.noteWaiting(job, isWaiting);
    watchWaiting(noteWaiting, () => this.perform(job))
      .catch((error: unknown) => {
        if (!this.abort.signal.aborted)
          this.options.logger.error({ err: error, runId: job.runId }, 'a result was lost');
      })
      .finally(() => {
        if (this.inFlight.get(job.id) === job) {
          this.inFlight.delete(job.id);
          this.waiting.delete(job.id);
        }
        this.released.push(...job.keys);
        if (this.stopping === null) this.loops.claim.nudge();
        else if (this.inFlight.size === 0) for (const resolve of this.onAllEnded) resolve();
      });
  }

  private async perform(job: LeasedJob): Promise<void> {
    const started = performance.now();
    const fn = this.byId.get(job.functionId);
    const transition = await this.decide(job, fn?.maxAttempts ?? 1);
    const hasCancels = (fn?.cancels.length ?? 0) > 0;
    const result = await this.commits.add({ job, transition, hasCancels });
    if (result === 'stale' || !transition.end) return;
    if (transition.end.status === 'failed') {
      this.options.logger.warn(
        { function: job.functionId, runId: job.runId, error: transition.end.error },
        'a run failed',
      );
    }
    this.options.onRun?.(transition.end.status, job.age + performance.now() - started);
  }

  private async decide(job: LeasedJob, maxAttempts: number): Promise<Transition> {
    if (job.kind === 'sleep' || job.kind === 'timeout') return settledStep(job.stepId ?? '');
    // The run ended in the meantime; the commit only removes the job.
    if (job.status !== 'running') return failedRun('The run has ended');
    if (job.lost > MAX_LOST_LEASES) return failedRun(`${job.lost} processes in a row died during this call`);
    const queueItemId = `${this.owner}:${job.id}:${job.generation}`;
    let halted = false;
    const close = this.options.transport.openCheckpoint(queueItemId, async (ops) => {
      const transition = checkpointedSteps(ops);
      if (!transition || halted) return false;
      const result = await this.commits.add({ job, transition, hasCancels: false });
      // At shutdown the call ends here: its finished steps are saved, and another process continues with the next one.
      halted = result === 'stale' || this.stopping !== null;
      return !halted;
    });
    try {
      const response = await this.invoker.call(job, maxAttempts, queueItemId);
      if (halted) return resumedCall();
      const kind = job.kind === 'step' ? 'step' : 'run';
      const backoff = this.options.backoff ?? defaultBackoff;
      const change = plan({ kind, attempt: job.attempt, maxAttempts, response, backoff });
      return this.options.wakeEarlyMs ? wakeEarly(change, this.options.wakeEarlyMs) : change;
    } finally {
      close();
    }
  }
}

/**
 * Runs Inngest functions without an Inngest server. The state is in PostgreSQL, and any number of processes may share it.
 * A step runs at least once; a finished step is not repeated.
 * @throws Error that names each feature of the functions that is not supported
 */
export async function startEmbeddedExecutor(options: EmbeddedExecutorOptions): Promise<EmbeddedExecutor> {
  if (options.client.mode !== 'dev') throw new Error('The embedded executor needs a client with isDev: true');
  flattenProcessEnv();
  const invoker = createInvoker(options.client, options.functions);
  const functions = readFunctions(await invoker.configs());
  const pool = createPool(options.connectionString, 8, options.logger);
  await registerSchedules(pool, functions);
  const executor = new Executor(options, functions, invoker, pool);
  await executor.takenOver;
  return executor;
}
