import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ulid } from 'ulid';
import { valueAt } from '@/domain/json/value-at';
import { comparable, keyOf, type When } from '@/embedded/inngest/expressions';
import { type FunctionConfig, readFunctions } from '@/embedded/inngest/functions';
import { plan, type Transition } from '@/embedded/inngest/plan';
import { readEvents } from '@/server/jobs/embedded/events';

/**
 * What the server does with events: takes them, takes and forgets them, answers late, never answers, or is not there. A
 * server that hangs or is down does not call functions either.
 */
export type Fault = 'none' | 'forgets' | 'late' | 'hangs' | 'down';

export type InngestServer = {
  url: string;
  /** Its environment, for the process under test. */
  env: { INNGEST_BASE_URL: string; INNGEST_EVENT_KEY: string; INNGEST_SIGNING_KEY: string };
  setFault(fault: Fault): Promise<void>;
  /**
   * As after a kill: connections are cut and events, runs and functions are gone. With a store of its own it keeps
   * functions and runs.
   */
  restart(options?: { durable?: boolean; bufferMs?: number }): Promise<void>;
  /** Starts each function that has a schedule once, as if its time had come. */
  runSchedules(): void;
  /** Events taken so far, by name. */
  taken(name: string): number;
  /** Calls of functions so far. */
  calls(): number;
  /** Ids of the registered functions. */
  functions(): string[];
  /** Registrations so far that changed something. */
  registrations(): number;
  stop(): Promise<void>;
};

type Event = { id?: string; name: string; data: Record<string, unknown> };
type Served = FunctionConfig & { url: string };
type Run = {
  id: string;
  fn: Served;
  event: Event;
  steps: Record<string, object>;
  pending: Set<string>;
  parallel: boolean;
  ended: boolean;
};
type Job = { run: Run; kind: 'run' | 'step' | 'sleep' | 'timeout'; stepId: string | null; attempt: number };

export type InngestServerOptions = {
  /** Where it listens; any free port by default. */
  port?: number;
  /** How long the `late` server takes to answer. */
  lateMs?: number;
  /** How long events are only in its memory before they are stored. */
  bufferMs?: number;
  /** Milliseconds until the next attempt of a failed call. */
  backoff?: (failed: number) => number;
  /** Between two runs of every schedule; without it they run only when a test says so. */
  scheduleEveryMs?: number;
  /** Called with the names of events that are taken, before the answer. */
  onEvents?: (names: string[]) => void;
  /** Called with the id of a function that is about to be called. */
  onCall?: (functionId: string) => void;
};

const signingKey = 'ab12cd34ef56';

/** JSON with sorted keys, which is what requests are signed over. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((each) => canonical(each ?? null)).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`).join(',')}}`;
}

function sign(body: unknown): string {
  const seconds = Math.floor(Date.now() / 1_000).toString();
  return `t=${seconds}&s=${createHmac('sha256', signingKey).update(canonical(body)).update(seconds).digest('hex')}`;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

const waitOf = (when: When) => ('afterMs' in when ? when.afterMs : Date.parse(when.at) - Date.now());

/**
 * Runs registered functions over signed HTTP with all state in memory, as an Inngest server does; sleeps end at the
 * nearest second.
 */
class Runner {
  functions: Served[] = [];
  calls = 0;
  paused = false;
  private seen = new Set<string>();
  private runs = new Set<Run>();
  private timers = new Set<NodeJS.Timeout>();
  private busy = new Map<string, number>();
  private waiting: Job[] = [];
  private buffered = new Set<NodeJS.Timeout>();
  private epoch = 0;

  constructor(
    private readonly backoff: (failed: number) => number,
    private readonly onCall: (functionId: string) => void,
  ) {}

  /** Forgets what is in memory: the events that are not stored yet and, without a store, everything. */
  forget(durable: boolean): void {
    for (const timer of this.buffered) clearTimeout(timer);
    this.buffered.clear();
    if (durable) return;
    this.epoch += 1;
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    for (const run of this.runs) run.ended = true;
    Object.assign(this, { functions: [], seen: new Set(), runs: new Set(), busy: new Map(), waiting: [] });
  }

  private later(ms: number, work: () => void, timers = this.timers): void {
    const timer = setTimeout(
      () => {
        timers.delete(timer);
        work();
      },
      Math.min(Math.max(ms, 0), 2 ** 31 - 1),
    );
    timers.add(timer);
  }

  /** Takes events that are stored, and start functions, after `ms`. */
  buffer(events: readonly string[], ms: number): void {
    const store = () => {
      for (const event of events) this.receive(JSON.parse(event));
    };
    this.later(ms, store, this.buffered);
  }

  private receive(event: Event & { id: string }): void {
    if (this.seen.has(event.id)) return;
    this.seen.add(event.id);
    for (const run of this.runs) if (run.fn.cancels.some((cancel) => this.cancels(cancel, run, event))) this.end(run);
    for (const fn of this.functions) {
      const starts = fn.events.some(
        ({ name, condition }) =>
          name === event.name && (!condition || valueAt(event, condition.path) === condition.value),
      );
      if (starts) this.startRun(fn, event);
    }
  }

  startRun(fn: Served, event: Event): void {
    const run: Run = { id: ulid(), fn, event, steps: {}, pending: new Set(), parallel: false, ended: false };
    this.runs.add(run);
    this.enqueue({ run, kind: 'run', stepId: null, attempt: 0 }, 0);
  }

  private cancels({ event, match }: FunctionConfig['cancels'][number], run: Run, arrived: Event): boolean {
    if (event !== arrived.name || run.event === arrived) return false;
    if (!match) return true;
    const own = comparable(valueAt(run.event, match.eventPath));
    return own !== null && own === comparable(valueAt(arrived, match.asyncPath));
  }

  private end(run: Run): void {
    run.ended = true;
    this.runs.delete(run);
  }

  private enqueue(job: Job, ms: number): void {
    this.later(ms, () => void this.perform(job));
  }

  private slots({ fn, event }: Run): [string, number][] {
    return fn.concurrency.map(({ prefix, key, limit }) => [`${prefix} ${key ? keyOf(key, event) : ''}`, limit]);
  }

  private async perform(job: Job): Promise<void> {
    const { run } = job;
    if (run.ended) return;
    if (this.paused) return this.enqueue(job, 50);
    if (job.kind === 'sleep' || job.kind === 'timeout') {
      const finished = [{ id: job.stepId ?? '', type: 'data' as const, data: null }];
      return this.apply(job, { ...nothing, finished });
    }
    const slots = this.slots(run);
    if (slots.some(([name, limit]) => (this.busy.get(name) ?? 0) >= limit)) {
      this.waiting.push(job);
      return;
    }
    const { epoch, busy } = this;
    for (const [name] of slots) busy.set(name, (busy.get(name) ?? 0) + 1);
    const response = await this.call(job);
    for (const [name] of slots) busy.set(name, (busy.get(name) ?? 1) - 1);
    if (epoch !== this.epoch) return;
    const { fn } = run;
    const kind = job.kind === 'step' ? 'step' : 'run';
    this.apply(job, plan({ kind, attempt: job.attempt, maxAttempts: fn.maxAttempts, response, backoff: this.backoff }));
    for (const next of this.waiting.splice(0)) this.enqueue(next, 0);
  }

  private async call({ run, kind, stepId, attempt }: Job) {
    this.calls += 1;
    this.onCall(run.fn.id);
    const stack = Object.keys(run.steps);
    const body = {
      version: -1,
      event: run.event,
      events: [run.event],
      steps: run.steps,
      ctx: {
        run_id: run.id,
        attempt,
        max_attempts: run.fn.maxAttempts,
        stack: { stack, current: stack.length },
        disable_immediate_execution: run.parallel,
        use_api: false,
      },
    };
    const url = new URL(run.fn.url);
    url.searchParams.set('stepId', kind === 'step' ? (stepId ?? 'step') : 'step');
    try {
      const headers = { 'Content-Type': 'application/json', 'x-inngest-signature': sign(body) };
      const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
    } catch {
      return { status: 502, headers: {}, body: '{"name":"Error","message":"The app cannot be reached"}' };
    }
  }

  private apply(job: Job, change: Transition): void {
    const { run } = job;
    if (run.ended) return;
    const waited = run.pending.size > 0;
    for (const { id, ...result } of change.finished) {
      run.steps[id] ??= result;
      run.pending.delete(id);
    }
    for (const id of change.pending) run.pending.add(id);
    run.parallel = change.parallel ?? run.parallel;
    for (const { kind, stepId, when } of change.spawn) {
      this.enqueue({ run, kind, stepId, attempt: 0 }, kind === 'step' ? 0 : this.nearestSecond(when));
    }
    if (change.end) {
      this.end(run);
      const error = change.end.status === 'failed' ? change.end.error : null;
      const data = { function_id: run.fn.id, run_id: run.id, error, event: run.event };
      if (change.end.status === 'failed')
        this.receive({ id: `failed:${run.id}`, name: 'inngest/function.failed', data });
    } else if (change.job.type === 'requeue') {
      const { kind, attempt, when } = change.job;
      const again = kind === 'run' ? { run, kind: 'run' as const, stepId: null, attempt } : { ...job, attempt };
      this.enqueue(again, kind === 'run' && waitOf(when) > 0 ? this.nearestSecond(when) : waitOf(when));
    } else if (waited && run.pending.size === 0) {
      this.enqueue({ run, kind: 'run', stepId: null, attempt: 0 }, 0);
    }
  }

  /** A server rounds the end of a sleep, so that it may come half a second early. */
  private nearestSecond(when: When): number {
    return Math.round((Date.now() + waitOf(when)) / 1_000) * 1_000 - Date.now();
  }
}

const nothing: Transition = {
  finished: [],
  pending: [],
  parallel: null,
  job: { type: 'done' },
  spawn: [],
  waits: [],
  end: null,
};

/**
 * An Inngest server for tests, with the faults that a real one has. It takes events and registrations, and calls the
 * registered functions with signed requests; everything is in its memory.
 */
export async function startInngestServer(options: InngestServerOptions = {}): Promise<InngestServer> {
  const {
    lateMs = 5_000,
    bufferMs = 0,
    backoff = (failed) => 500 * failed,
    scheduleEveryMs,
    onEvents,
    onCall,
  } = options;
  const runner = new Runner(backoff, onCall ?? (() => undefined));
  const taken = new Map<string, number>();
  let fault: Fault = 'none';
  let registrations = 0;
  let known = '';
  let { port = 0 } = options;
  let holdMs = bufferMs;
  let server: Server | undefined;

  function takeEvents(body: string, seed: string | null, response: ServerResponse): void {
    const events = readEvents(JSON.parse(body), seed);
    for (const { name } of events) taken.set(name, (taken.get(name) ?? 0) + 1);
    onEvents?.(events.map(({ name }) => name));
    if (fault !== 'forgets') {
      const bodies = events.map(({ body: each }) => each);
      runner.buffer(bodies, holdMs);
    }
    const answer = () => sendJson(response, { status: 200, ids: events.map(({ id }) => id) });
    if (fault === 'late') setTimeout(answer, lateMs);
    else answer();
  }

  function takeFunctions(body: string, response: ServerResponse): void {
    const configs = (JSON.parse(body) as { functions: { id: string; steps: { step: { runtime: { url: string } } } }[] })
      .functions;
    const modified = body !== known;
    if (modified) {
      registrations += 1;
      known = body;
      const urls = new Map(configs.map(({ id, steps }) => [id, steps.step.runtime.url]));
      runner.functions = readFunctions(configs).map((fn) => ({ ...fn, url: urls.get(fn.id) ?? '' }));
    }
    sendJson(response, { status: 200, ok: true, modified });
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (fault === 'hangs') return;
    const body = await readBody(request);
    const { url = '', headers } = request;
    const seed = headers['x-inngest-event-id-seed']?.toString() ?? null;
    if (url.startsWith('/e/')) takeEvents(body, seed, response);
    else if (url === '/fn/register' && headers.authorization?.startsWith('Bearer ')) takeFunctions(body, response);
    else sendJson(response, { status: 404, error: 'Not found' }, 404);
  }

  async function open(): Promise<void> {
    const opened = createServer((request, response) => void answer(request, response));
    await new Promise<void>((resolve) => opened.listen(port, '127.0.0.1', resolve));
    port = (opened.address() as AddressInfo).port;
    server = opened;
  }

  async function close(): Promise<void> {
    const closing = server;
    server = undefined;
    closing?.closeAllConnections();
    if (closing) await new Promise((resolve) => closing.close(resolve));
  }

  function runSchedules(): void {
    for (const fn of runner.functions) {
      const [cron] = fn.crons;
      if (cron) runner.startRun(fn, { name: 'inngest/scheduled.timer', data: { cron } });
    }
  }

  await open();
  const schedules = scheduleEveryMs ? setInterval(runSchedules, scheduleEveryMs) : undefined;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    env: { INNGEST_BASE_URL: url, INNGEST_EVENT_KEY: 'event-key', INNGEST_SIGNING_KEY: signingKey },
    async setFault(next) {
      const hung = fault === 'hangs';
      fault = next;
      runner.paused = next === 'hangs' || next === 'down';
      if (next === 'down') await close();
      else if (!server) await open();
      // Nobody answers what hangs any more.
      if (hung) server?.closeAllConnections();
    },
    async restart({ durable = false, bufferMs: next = holdMs } = {}) {
      await close();
      runner.forget(durable);
      if (!durable) known = '';
      holdMs = next;
      await open();
    },
    runSchedules,
    taken: (name) => taken.get(name) ?? 0,
    calls: () => runner.calls,
    functions: () => runner.functions.map(({ id }) => id),
    registrations: () => registrations,
    async stop() {
      clearInterval(schedules);
      runner.forget(false);
      await close();
    },
  };
}

function sendJson(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
