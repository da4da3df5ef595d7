import { Cron } from 'croner';
import {
  type Condition,
  type KeyExpression,
  type MatchExpression,
  parseCondition,
  parseKey,
  parseMatch,
} from '@/embedded/inngest/expressions';

/** What the executor knows of one function, read from the SDK's own registration. */
export type LocalFunction = {
  /** `<app>-<function>`, and `<app>-<function>-failure` for its onFailure handler. */
  id: string;
  events: { name: string; condition: Condition | null }[];
  crons: string[];
  /** First try included. */
  maxAttempts: number;
  concurrency: { prefix: string; key: KeyExpression | null; limit: number }[];
  cancels: { event: string; match: MatchExpression | null; timeout: string | null }[];
  idempotency: KeyExpression | null;
};

const DEFAULT_RETRIES = 3;
const INTERNAL_EVENTS = new Set([
  'inngest/function.finished',
  'inngest/function.cancelled',
  'inngest/function.invoked',
]);
const REFUSED = ['batchEvents', 'rateLimit', 'throttle', 'debounce', 'priority', 'timeouts', 'singleton'] as const;
const KNOWN = new Set(['id', 'name', 'triggers', 'steps', 'idempotency', 'concurrency', 'cancel', ...REFUSED]);

type Json = Record<string, unknown>;

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const records = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isRecord) : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/**
 * Splits `TZ=Europe/Paris 0 9 * * 1` and checks the five fields.
 * @throws Error that says what is wrong with the expression
 */
export function parseCron(expression: string): Cron {
  const zoned = /^(?:TZ|CRON_TZ)=(\S+)\s+(.+)$/.exec(expression.trim());
  const pattern = zoned?.[2] ?? expression.trim();
  return new Cron(pattern, { paused: true, mode: '5-part', timezone: zoned?.[1] ?? 'UTC' });
}

function readTriggers(id: string, config: Json, refuse: (what: string) => void) {
  const events: LocalFunction['events'] = [];
  const crons: string[] = [];
  for (const trigger of records(config.triggers)) {
    if (typeof trigger.cron === 'string') {
      if (trigger.jitter) refuse('cron jitter');
      try {
        parseCron(trigger.cron);
        crons.push(trigger.cron);
      } catch (error) {
        refuse(`cron "${trigger.cron}" (${error instanceof Error ? error.message : 'unreadable'})`);
      }
      continue;
    }
    const name = text(trigger.event);
    if (name.includes('*')) refuse(`wildcard trigger "${name}"`);
    if (INTERNAL_EVENTS.has(name)) refuse(`trigger "${name}"`);
    const condition = typeof trigger.expression === 'string' ? parseCondition(trigger.expression) : null;
    if (trigger.expression && !condition) refuse(`trigger expression "${text(trigger.expression)}"`);
    events.push({ name, condition });
  }
  if (events.length === 0 && crons.length === 0) refuse(`no trigger, so nothing can start ${id}`);
  return { events, crons };
}

function readConcurrency(id: string, value: unknown, refuse: (what: string) => void): LocalFunction['concurrency'] {
  const entries: Json[] = typeof value === 'number' ? [{ limit: value }] : isRecord(value) ? [value] : records(value);
  return entries.flatMap((entry, index) => {
    const limit = Number(entry.limit);
    if (!Number.isInteger(limit) || limit < 0) refuse(`concurrency limit ${text(entry.limit)}`);
    const key = typeof entry.key === 'string' ? parseKey(entry.key) : null;
    if (entry.key && !key) refuse(`concurrency key "${text(entry.key)}"`);
    const shared = entry.scope !== undefined && entry.scope !== 'fn';
    if (shared && !key) refuse(`concurrency scope "${text(entry.scope)}" without a key`);
    const prefix = shared ? `${text(entry.scope)}:${text(entry.key)}` : `${id}:${index}`;
    return limit === 0 ? [] : [{ prefix, key, limit }];
  });
}

function readCancels(value: unknown, refuse: (what: string) => void): LocalFunction['cancels'] {
  return records(value).map((entry) => {
    const match = typeof entry.if === 'string' ? parseMatch(entry.if) : null;
    if (entry.if && !match) refuse(`cancelOn expression "${text(entry.if)}"`);
    return { event: text(entry.event), match, timeout: typeof entry.timeout === 'string' ? entry.timeout : null };
  });
}

function readFunction(config: Json, refusals: string[]): LocalFunction {
  const id = text(config.id);
  const refuse = (what: string) => refusals.push(`${id}: ${what}`);
  for (const feature of REFUSED) if (config[feature] !== undefined) refuse(feature);
  for (const name of Object.keys(config)) if (!KNOWN.has(name)) refuse(name);
  const idempotency = typeof config.idempotency === 'string' ? parseKey(config.idempotency) : null;
  if (config.idempotency && !idempotency) refuse(`idempotency expression "${text(config.idempotency)}"`);
  const step = isRecord(config.steps) && isRecord(config.steps.step) ? config.steps.step : {};
  const retries = isRecord(step.retries) ? Number(step.retries.attempts) : DEFAULT_RETRIES;
  return {
    id,
    ...readTriggers(id, config, refuse),
    maxAttempts: retries + 1,
    concurrency: readConcurrency(id, config.concurrency, refuse),
    cancels: readCancels(config.cancel, refuse),
    idempotency,
  };
}

/**
 * Reads the functions out of the SDK's answer to an in-band sync.
 * @throws Error that names every feature, function by function, that the embedded executor does not support
 */
export function readFunctions(configs: unknown): LocalFunction[] {
  const refusals: string[] = [];
  const functions = records(configs).map((config) => readFunction(config, refusals));
  if (refusals.length > 0) {
    throw new Error(`The embedded executor does not support:\n${refusals.map((line) => `  ${line}`).join('\n')}`);
  }
  return functions;
}
