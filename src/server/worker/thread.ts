import { once } from 'node:events';
import { getPriority, setPriority } from 'node:os';
import { performance } from 'node:perf_hooks';
import { type MessagePort, Worker, workerData } from 'node:worker_threads';
import { originOf, stepsOf } from '@/domain/network/address-ranges';
import { describeError } from '@/server/errors';
import type { ProjectSteps } from '@/server/events/project-turn';
import { Allowance } from '@/server/limits/allowance';
import { isNews } from '@/server/limits/news';
import { logger } from '@/server/logger';
import { addCounts, type Count, countRateLimited, takeCounts } from '@/server/metrics';
import { ComputingTime } from './computing-time';
import { FairQueue, type Turn } from './fair-queue';
import { ShareGate } from './share-gate';
import { gateOfWorker, spendShare } from './thread-share';

/** What the threads say to each other. */
export type Question = { id: number; name: string; input: unknown } | 'stop';
/** `tookMs` is the time of the processor: of pieces that run together, each gets its part. */
export type Answer = { id: number; counts: Count[]; tookMs: number } & (
  | { output: unknown }
  | { failure: { name: string; message: string; stack: string | undefined } }
);

type Asked = {
  of: Worker;
  ended: (tookMs: number) => void;
  resolve: (output: unknown) => void;
  reject: (error: Error) => void;
};

/** Work that ended the thread counts as if it had taken so long. */
const fatalMs = 1_000;

export type WorkerOptions = {
  /** Its entry. */
  file: URL;
  /** Memory of its objects, in MB; past it the thread ends, and only what it was doing fails. */
  memoryMb?: number;
  /** It ends when it has had nothing to do for so long. */
  idleMs?: number;
  /** Reads that run at once. */
  reads?: number;
  /** How much it yields its processor to other threads, from 0 to 19, on Linux. */
  niceness?: number;
};

/** A draw is read into tens of megabytes that are used once: with room for them, less is moved when those are collected. */
const youngMb = 96;

/**
 * Pieces of work in the thread at once. Most of what waits is answered in a few milliseconds; bodies of 64 MiB may wait in all,
 * and of 16 MiB for one owner.
 */
const limits = { running: [6, 2], waiting: 4_096, waitingOfOwner: 1_024 };
/**
 * Of these, so many reads run at once, and nothing begins beside a change: it asks the database twenty times, and between any two
 * answers each of the others could compute for as long as it takes. What takes long of one user runs one at a time: two that
 * share the thread would keep everybody else waiting until both are nearly done.
 */
const computing = (reads: number) => ({
  running: [reads, Number.POSITIVE_INFINITY, 1],
  waiting: 6,
  waitingOfOwner: 6,
});
/**
 * A turn ends with its work, or when the thread has had little to do for so many milliseconds: the work waits for a lock or for
 * something outside then, and goes on when that is there. After two seconds it has had its share.
 */
const patience = { checkMs: 100, leastBusy: 1 / 5, checks: 20 };
const weights = { read: 1, change: 2 };

/**
 * From where a piece of work is asked for, with a key of which project, and for what use, which wait for each other no more than those
 * of a project do.
 */
export type Asking = { ip: string; project?: ProjectSteps; use: 'read' | 'change' };
/**
 * `isLong` keeps work out of the quick thread. What takes long only at worst, such as reading a draw that may be kept, is done there
 * less than other work.
 */
export type WorkerTurn = Turn & { from?: Asking; isLong?: boolean | 'at worst' };

const stepsOfAsking = ({ ip, project }: Asking) => project ?? stepsOf(ip);

/** Whose use of a thread counts together: a block of addresses or, where none asks, the owner. */
const userOf = ({ from, owner }: WorkerTurn): string => (from ? stepsOfAsking(from)[0] : owner);

type Use = { mayBegin: () => boolean; ended: (tookMs: number) => void };
/** The result of work that may not begin. */
const notBegun = Symbol('not begun');

/**
 * How long one block of addresses may use the quick thread at once, and which share of the time in the long run. One account can
 * have dozens of draws that take half a second to read.
 */
const quick = { atOnceMs: 1_000, share: 1 / 10 };
/** How much of that may be for what takes long at worst, so that few others wait for such a piece. */
const quickLong = { atOnceMs: 500, share: 1 / 20 };
/** What a piece counts for while it runs, so that only one of several begins when little is left. */
const reservedMs = 250;

/** Whoever comes waits for one piece, not for two that share the thread, which gets what all other threads leave of a processor. */
const slow = { reads: 1, niceness: 19 };

/**
 * How long a user may use the slow thread at once, and which share of the time in the long run, while others do who use it less. A piece
 * takes the better part of a second there.
 */
const slowShare = { atOnceMs: 1_000, share: 1 / 4 };
/** Where a piece takes longer than so many times what it computes, it waits for something else than a processor. */
const maxSlowness = 3;

/** What does the work that is offloaded. */
export type Offloading = Pick<WorkerThread, 'run' | 'waiting'>;

/**
 * A second thread with the whole server in it but no port, as another process would be. It starts with its first work, so
 * that an instance without large tournaments never has it, and starts again after it has ended.
 */
export class WorkerThread {
  private readonly queue = new FairQueue(limits);
  private readonly computing: FairQueue;
  private readonly asked = new Map<number, Asked>();
  private worker: Worker | null = null;
  private idle: NodeJS.Timeout | undefined;
  private lastId = 0;

  constructor(private readonly options: WorkerOptions) {
    this.computing = new FairQueue(computing(options.reads ?? 2));
  }

  /** Whether it is there right now. */
  get isRunning(): boolean {
    return this.worker !== null;
  }

  /** The size of what waits for its turn. */
  get waiting(): number {
    return this.queue.size + this.computing.size;
  }

  /**
   * Does a piece of offloaded work when it is its owner's turn.
   * @param use whether it may still begin then, without which it resolves with `notBegun`, and what to do with the
   *   milliseconds that it took
   * @throws OVERLOADED when too much waits
   */
  run(turn: WorkerTurn, name: string, input: unknown, use?: Use): Promise<unknown> {
    const { from, signal } = turn;
    const weight = weights[from?.use ?? 'read'];
    const computing = { owner: userOf(turn), caller: [turn.isLong ? 'long' : ''], weight, signal };
    return this.queue.run(turn, () => this.computing.run(computing, () => this.ask(name, input, use), this.turnEnd));
  }

  /** How long the thread has been busy, in ms since it began; null while it begins. */
  private busyMs(): number | null {
    const { active = 0, idle = 0 } = this.worker?.performance.eventLoopUtilization() ?? {};
    return active + idle > 0 ? active : null;
  }

  private readonly turnEnd = (begun: Promise<unknown>): Promise<void> => {
    const { checkMs, leastBusy, checks } = patience;
    return new Promise((resolve) => {
      let before = this.busyMs();
      let left = checks;
      const timer = setInterval(() => {
        const now = this.busyMs();
        const isWaiting = before !== null && now !== null && now - before < checkMs * leastBusy;
        before = now;
        left -= 1;
        if (isWaiting || left === 0) end();
      }, checkMs);
      const end = () => {
        clearInterval(timer);
        resolve();
      };
      begun.then(end, end);
    });
  };

  private async ask(name: string, input: unknown, use?: Use): Promise<unknown> {
    if (use && !use.mayBegin()) return notBegun;
    clearTimeout(this.idle);
    this.worker ??= this.start();
    const of = this.worker;
    this.lastId += 1;
    const id = this.lastId;
    try {
      return await new Promise((resolve, reject) => {
        this.asked.set(id, { of, ended: use?.ended ?? (() => undefined), resolve, reject });
        of.postMessage({ id, name, input } satisfies Question);
      });
    } finally {
      this.asked.delete(id);
      if (this.asked.size === 0) this.waitForWork();
    }
  }

  private start(): Worker {
    const { file, memoryMb = 1024, niceness = 0 } = this.options;
    const maxYoungGenerationSizeMb = youngMb;
    const resourceLimits = { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb };
    const worker = new Worker(file, { resourceLimits, workerData: { niceness } });
    // The server decides when the process ends.
    worker.unref();
    worker.on('message', (answer: Answer) => {
      addCounts(answer.counts);
      const asked = this.asked.get(answer.id);
      asked?.ended(answer.tookMs);
      if ('output' in answer) asked?.resolve(answer.output);
      else asked?.reject(Object.assign(new Error(answer.failure.message), answer.failure));
    });
    worker.on('error', (error) => logger.error({ err: error }, 'the worker thread failed'));
    worker.once('exit', () => {
      if (this.worker === worker) this.worker = null;
      for (const { of, ended, reject } of this.asked.values()) {
        if (of !== worker) continue;
        ended(fatalMs);
        reject(new Error('The worker thread has ended'));
      }
    });
    return worker;
  }

  private waitForWork(): void {
    clearTimeout(this.idle);
    this.idle = setTimeout(() => void this.stop(), this.options.idleMs ?? 15 * 60_000);
    this.idle.unref();
  }

  /** Ends the thread, if there is one, when it has closed its connections. */
  async stop(): Promise<void> {
    clearTimeout(this.idle);
    const { worker } = this;
    this.worker = null;
    if (!worker) return;
    const ended = once(worker, 'exit');
    worker.ref();
    worker.postMessage('stop' satisfies Question);
    const timer = setTimeout(() => void worker.terminate(), 2_000);
    await ended;
    clearTimeout(timer);
  }
}

/**
 * Pieces in the lines of both threads at a time, of a block of addresses, a use, a site, a network and an account; with a key, of the
 * block, the use, the account and the project that it is of, and the key. Projects take turns there, so somebody who asks for the
 * draws of thirty at once would have thirty turns while somebody else has one. An account that exports one after the other leaves a
 * place of its block to its neighbors.
 */
const entryLimits = { ...limits, gate: gateOfWorker, running: [Number.POSITIVE_INFINITY, 4, 2, 2, 2, 1] };

/** Who of those behind an address asks: an account or a key. Empty: nobody knows, and the first step of the caller is their block. */
const accountOf = ({ caller: [first = ''] = [] }: WorkerTurn, block: string): string => (first === block ? '' : first);

/**
 * The threads of a process. What takes long is done in the slow one, so that nobody waits long in the quick one. A block of
 * addresses that has used more than its share of that shares the slow one with all others that have, and so delays only those.
 */
export class WorkerThreads {
  private readonly quick: WorkerThread;
  private readonly slow: WorkerThread;
  private readonly entry = new FairQueue(entryLimits);
  private readonly allowance = new Allowance(quick);
  private readonly longAllowance = new Allowance(quickLong);
  private readonly slowGate = new ShareGate(slowShare);
  private readonly slowEntry = new FairQueue({
    ...limits,
    running: [Number.POSITIVE_INFINITY, 2],
    gate: this.slowGate,
  });

  constructor(options: WorkerOptions) {
    this.quick = new WorkerThread(options);
    this.slow = new WorkerThread({ ...options, ...slow });
  }

  /** The size of what waits for its turn. */
  get waiting(): number {
    return this.entry.size + this.slowEntry.size + this.quick.waiting + this.slow.waiting;
  }

  /**
   * Does a piece of offloaded work when it is its owner's turn.
   * @throws OVERLOADED when too much waits
   */
  async run(turn: WorkerTurn, name: string, input: unknown): Promise<unknown> {
    const { from, size, signal } = turn;
    const work = () => this.runInShare(turn, name, input);
    try {
      if (!from) return await work();
      const [owner, ...caller] = stepsOfAsking(from);
      const steps = [from.use, ...caller, accountOf(turn, owner)];
      return await this.entry.run({ owner, caller: steps, size, signal }, work);
    } catch (error) {
      if (describeError(error).reason === 'OVERLOADED') {
        countRateLimited('worker');
        if (isNews(`worker ${turn.owner}`)) logger.warn({ owner: turn.owner }, 'too much waits for a worker thread');
      }
      throw error;
    }
  }

  private async runInShare(turn: WorkerTurn, name: string, input: unknown): Promise<unknown> {
    const user = userOf(turn);
    const allowances = turn.isLong ? [this.allowance, this.longAllowance] : [this.allowance];
    const { from } = turn;
    const spendOfOrigin = (ms: number) => from && spendShare(originOf(from.ip), ms);
    const isSpent = () => turn.isLong === true || allowances.some((allowance) => allowance.isSpent(user));
    const spend = (ms: number) => {
      for (const allowance of allowances) allowance.spend(user, ms);
    };
    if (!isSpent()) {
      const mayBegin = () => {
        if (isSpent()) return false;
        spend(reservedMs);
        return true;
      };
      const ended = (tookMs: number) => {
        spend(tookMs - reservedMs);
        spendOfOrigin(tookMs);
      };
      const use = { mayBegin, ended };
      const output = await this.quick.run(turn, name, input, use);
      if (output !== notBegun) return output;
    }
    return this.runSlowly(turn, user, name, input, spendOfOrigin);
  }

  private runSlowly(turn: WorkerTurn, user: string, name: string, input: unknown, spend: (ms: number) => void) {
    let begun = 0;
    const mayBegin = () => {
      begun = performance.now();
      return true;
    };
    const ended = (tookMs: number) => {
      this.slowGate.spend(user, Math.min(performance.now() - begun, tookMs * maxSlowness));
      spend(tookMs);
    };
    const work = () => this.slow.run(turn, name, input, { mayBegin, ended });
    const { size, signal } = turn;
    return this.slowGate.wantFor(user, () => this.slowEntry.run({ owner: user, size, signal }, work));
  }

  /** Ends both. */
  async stop(): Promise<void> {
    await Promise.all([this.quick.stop(), this.slow.stop()]);
  }
}

/** The bytes that change hands with a result. */
function bytesOf(output: unknown): ArrayBuffer[] {
  const body = typeof output === 'object' && output !== null && 'body' in output ? output.body : null;
  // A small buffer of Node is a part of one that others use too.
  const isWhole = body instanceof Uint8Array && body.byteLength === body.buffer.byteLength;
  return isWhole && body.buffer instanceof ArrayBuffer ? [body.buffer] : [];
}

/** Does in this thread what the other asks for. @param stop closes what this thread has open */
export function serve(
  port: MessagePort,
  work: (name: string, input: unknown) => Promise<unknown>,
  stop: () => Promise<void>,
): void {
  const { niceness } = workerData as { niceness: number };
  // Elsewhere this would be the priority of the whole process.
  if (niceness > 0 && process.platform === 'linux') setPriority(Math.min(getPriority() + niceness, 19));
  const time = new ComputingTime();
  async function answer({ id, name, input }: Exclude<Question, 'stop'>): Promise<void> {
    const end = time.begin();
    try {
      const output = await work(name, input);
      const rest = { id, tookMs: end(), counts: await takeCounts() };
      port.postMessage({ ...rest, output } satisfies Answer, bytesOf(output));
    } catch (error) {
      const { name: kind, message, stack } = error instanceof Error ? error : new Error(String(error));
      const failure = { name: kind, message, stack };
      port.postMessage({ id, tookMs: end(), counts: await takeCounts(), failure } satisfies Answer);
    }
  }
  port.on('message', (question: Question) => {
    if (question !== 'stop') return void answer(question);
    void stop().finally(() => process.exit(0));
  });
}
