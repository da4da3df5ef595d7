import { parseMatch, parseWhen, type When } from '@/embedded/inngest/expressions';

/** One call of a function and the response of the SDK. */
export type PlanInput = {
  kind: 'run' | 'step';
  /** Attempts of this call that failed before. */
  attempt: number;
  /** The first attempt included. */
  maxAttempts: number;
  response: { status: number; headers: Record<string, string>; body: string };
  /** Milliseconds until the next attempt, given the number of failed ones. */
  backoff: (failedRun: number) => number;
};

export type StepRecord = { id: string } & ({ type: 'data'; data: unknown } | { type: 'error'; error: unknown });

export type NewJob = { kind: 'run' | 'step' | 'sleep' | 'timeout'; stepId: string | null; when: When };

/** `eventPath` is null where every event of that name ends the wait. */
type NewWait = {
  stepId: string;
  eventName: string;
  eventPath: string | null;
  asyncPath: string | null;
  when: When;
};

export type JobOutcome =
  /** Remains leased: the call continues. */
  | { type: 'keep' }
  | { type: 'done' }
  /** Returns to the queue, as a call of the whole function or, for a retry, unchanged. */
  | { type: 'requeue'; kind: 'run' | 'same'; attempt: number; when: When };

/** Everything that one response changes; applied in one transaction. */
export type Transition = {
  /** Steps that are finished, in order. */
  finished: StepRecord[];
  /** Steps that must finish before the function is called again. */
  pending: string[];
  /** Null leaves the run's setting unchanged. */
  parallel: boolean | null;
  job: JobOutcome;
  spawn: NewJob[];
  waits: NewWait[];
  end: { status: 'completed'; output: unknown } | { status: 'failed'; error: unknown } | null;
};

const NOW: When = { afterMs: 0 };

const noChange = (job: JobOutcome): Transition => ({
  finished: [],
  pending: [],
  parallel: null,
  job,
  spawn: [],
  waits: [],
  end: null,
});

const UNSUPPORTED: Record<string, string> = {
  InvokeFunction: 'step.invoke',
  WaitForSignal: 'step.waitForSignal',
  AIGateway: 'step.ai.infer',
  Gateway: 'step.fetch',
  DeferAdd: 'defer',
  DeferAbort: 'defer',
};

type Op = { id: string; op: string; name?: string; opts?: Record<string, unknown>; data?: unknown; error?: unknown };

/** The transition of a run that the executor itself fails. */
export function failedRun(message: string): Transition {
  const error = { name: 'Error', message, stack: '', __serialized: true };
  return { ...noChange({ type: 'done' }), end: { status: 'failed', error } };
}

/** The transition of a step that ended by time: a sleep, or a wait that timed out. */
export function settledStep(stepId: string): Transition {
  return { ...noChange({ type: 'done' }), finished: [{ id: stepId, type: 'data', data: null }] };
}

/** The transition of a call that was stopped between two steps: another call continues with the rest. */
export function resumedCall(): Transition {
  return noChange({ type: 'requeue', kind: 'run', attempt: 0, when: NOW });
}

/** The transition of steps that the SDK saves in the middle of a call. */
export function checkpointedSteps(ops: unknown): Transition | null {
  const found = readOps(ops);
  if (!found || found.some((op) => op.op !== 'StepRun')) return null;
  return { ...noChange({ type: 'keep' }), finished: found.map(record) };
}

function readOps(value: unknown): Op[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const ok = value.every(
    (op) => op && typeof op === 'object' && typeof op.id === 'string' && typeof op.op === 'string',
  );
  return ok ? value : null;
}

const record = (op: Op): StepRecord =>
  op.op === 'StepFailed'
    ? { id: op.id, type: 'error', error: op.error ?? op.data }
    : { id: op.id, type: 'data', data: op.data ?? null };

function parse(body: string): unknown {
  try {
    return body === '' ? null : JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** `retry-after` is a number of seconds or a date. */
function retryAfter(header: string | undefined): When | null {
  if (header === undefined || header === '') return null;
  return /^\d+$/.test(header) ? { afterMs: Math.min(Number(header) * 1000, 3_155_760_000_000) } : parseWhen(header);
}

function retry(input: PlanInput, error: unknown): Transition {
  const tried = input.attempt + 1;
  if (tried >= input.maxAttempts) return { ...noChange({ type: 'done' }), end: { status: 'failed', error } };
  const when = retryAfter(input.response.headers['retry-after']) ?? { afterMs: input.backoff(tried) };
  return noChange({ type: 'requeue', kind: 'same', attempt: tried, when });
}

/** Adds the jobs and waits of an unfinished step to `plan`; false where the operation cannot be read. */
function schedule(plan: Transition, op: Op): boolean {
  plan.pending.push(op.id);
  if (op.op === 'StepPlanned') {
    plan.spawn.push({ kind: 'step', stepId: op.id, when: NOW });
    return true;
  }
  const when = parseWhen(String(op.op === 'Sleep' ? (op.name ?? '') : (op.opts?.timeout ?? '')));
  if (!when) return false;
  plan.spawn.push({ kind: op.op === 'Sleep' ? 'sleep' : 'timeout', stepId: op.id, when });
  if (op.op === 'Sleep') return true;
  const expression = op.opts?.if;
  const match = typeof expression === 'string' ? parseMatch(expression) : null;
  if (expression !== undefined && !match) return false;
  const paths = { eventPath: match?.eventPath ?? null, asyncPath: match?.asyncPath ?? null };
  plan.waits.push({ stepId: op.id, eventName: op.name ?? '', ...paths, when });
  return true;
}

function planOps(input: PlanInput, ops: Op[]): Transition {
  for (const op of ops) {
    const name = UNSUPPORTED[op.op] ?? (op.opts?.parallelMode ? 'group.parallel' : undefined);
    if (name) return failedRun(`The embedded executor does not support ${name}`);
  }
  const plan = noChange({ type: 'done' });
  const open: Op[] = [];
  for (const op of ops) {
    if (op.op === 'StepError') return retry(input, op.error);
    if (op.op === 'RunComplete') plan.end = { status: 'completed', output: op.data ?? null };
    else if (op.op === 'StepRun' || op.op === 'StepFailed') plan.finished.push(record(op));
    else if (op.op === 'StepPlanned' || op.op === 'Sleep' || op.op === 'WaitForEvent') open.push(op);
    else return failedRun(`The embedded executor does not know the operation ${op.op}`);
  }
  if (plan.end) return plan;
  if (input.kind === 'step') return open.length > 0 ? failedRun('A planned step returned further steps') : plan;
  const [first] = open;
  // Nothing else can happen to the run in the meantime, so a single sleep needs no job of its own.
  if (first?.op === 'Sleep' && open.length === 1) {
    const when = parseWhen(first.name ?? '');
    if (!when) return failedRun(`The embedded executor cannot read the time "${first.name}"`);
    plan.finished.push({ id: first.id, type: 'data', data: null });
    return { ...plan, parallel: false, job: { type: 'requeue', kind: 'run', attempt: 0, when } };
  }
  for (const op of open) {
    if (!schedule(plan, op))
      return failedRun(`The embedded executor cannot read ${op.op} ${JSON.stringify([op.name, op.opts])}`);
  }
  if (open.length > 0) return { ...plan, parallel: open.length > 1 };
  return { ...plan, job: resumedCall().job };
}

/**
 * The same transition with its sleeps ended up to `ms` early, as those of an Inngest server may be, which rounds to the
 * second.
 */
export function wakeEarly(change: Transition, ms: number): Transition {
  const early = (when: When): When => {
    if ('at' in when) return { at: new Date(Date.parse(when.at) - ms).toISOString() };
    return { afterMs: Math.max(0, when.afterMs - ms) };
  };
  const spawn = change.spawn.map((job) => (job.kind === 'sleep' ? { ...job, when: early(job.when) } : job));
  const { job } = change;
  const whole = job.type === 'requeue' && job.kind === 'run';
  return { ...change, spawn, job: whole ? { ...job, when: early(job.when) } : job };
}

/** Decides what a response of the SDK changes. Pure: the same response gives the same transition. */
export function plan(input: PlanInput): Transition {
  const { status, headers, body } = input.response;
  const value = parse(body);
  if (status === 206) {
    const ops = readOps(value);
    return ops ? planOps(input, ops) : retry(input, { name: 'Error', message: 'The response is not a list of steps' });
  }
  if (status === 200 && value !== undefined) {
    return { ...noChange({ type: 'done' }), end: { status: 'completed', output: value } };
  }
  const error = value ?? { name: 'Error', message: `The function responded with ${status}` };
  const final = headers['x-inngest-no-retry'] === 'true' && status < 500;
  return final ? { ...noChange({ type: 'done' }), end: { status: 'failed', error } } : retry(input, error);
}
