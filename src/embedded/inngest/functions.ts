import { Cron } from 'croner';
import {
  type Condition,
  type KeyExpression,
  type MatchExpression,
  parseCondition,
  parseKey,
  parseMatch,
} from '@/embedded/inngest/expressions';

/** The configuration of one function, read from the SDK's own registration. */
export type FunctionConfig = {
  /** `<app>-<function>`, and `<app>-<function>-failure` for its onFailure handler. */
  id: string;
  events: { name: string; condition: Condition | null }[];
  crons: string[];
  /** The first attempt included. */
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
const UNSUPPORTED = ['batchEvents', 'rateLimit', 'throttle', 'debounce', 'priority', 'timeouts', 'singleton'] as const;
const KNOWN = new Set(['id', 'name', 'triggers', 'steps', 'idempotency', 'concurrency', 'cancel', ...UNSUPPORTED]);

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

function readTriggers(id: string, config: Json, reject: (feature: string) => void) {
  const events: FunctionConfig['events'] = [];
  const crons: string[] = [];
  for (const trigger of records(config.triggers)) {
    if (typeof trigger.cron === 'string') {
      if (trigger.jitter) reject('cron jitter');
      try {
        parseCron(trigger.cron);
        crons.push(trigger.cron);
      } catch (error) {
        reject(`cron "${trigger.cron}" (${error instanceof Error ? error.message : 'unreadable'})`);
      }
      continue;
    }
    const name = text(trigger.event);
    if (name.includes('*')) reject(`wildcard trigger "${name}"`);
    if (INTERNAL_EVENTS.has(name)) reject(`trigger "${name}"`);
    const condition = typeof trigger.expression === 'string' ? parseCondition(trigger.expression) : null;
    if (trigger.expression && !condition) reject(`trigger expression "${text(trigger.expression)}"`);
    events.push({ name, condition });
  }
  if (events.length === 0 && crons.length === 0) reject(`no trigger, so nothing can start ${id}`);
  return { events, crons };
}

function readConcurrency(id: string, value: unknown, reject: (feature: string) => void): FunctionConfig['concurrency'] {
  const entries: Json[] = typeof value === 'number' ? [{ limit: value }] : isRecord(value) ? [value] : records(value);
  return entries.flatMap((entry, index) => {
    const limit = Number(entry.limit);
    if (!Number.isInteger(limit) || limit < 0) reject(`concurrency limit ${text(entry.limit)}`);
    const key = typeof entry.key === 'string' ? parseKey(entry.key) : null;
    if (entry.key && !key) reject(`concurrency key "${text(entry.key)}"`);
    const shared = entry.scope !== undefined && entry.scope !== 'fn';
    if (shared && !key) reject(`concurrency scope "${text(entry.scope)}" without a key`);
    const prefix = shared ? `${text(entry.scope)}:${text(entry.key)}` : `${id}:${index}`;
    return limit === 0 ? [] : [{ prefix, key, limit }];
  });
}

function readCancels(value: unknown, reject: (feature: string) => void): FunctionConfig['cancels'] {
  return records(value).map((entry) => {
    const match = typeof entry.if === 'string' ? parseMatch(entry.if) : null;
    if (entry.if && !match) reject(`cancelOn expression "${text(entry.if)}"`);
    return { event: text(entry.event), match, timeout: typeof entry.timeout === 'string' ? entry.timeout : null };
  });
}

function readFunction(config: Json, rejections: string[]): FunctionConfig {
  const id = text(config.id);
  const reject = (feature: string) => rejections.push(`${id}: ${feature}`);
  for (const feature of UNSUPPORTED) if (config[feature] !== undefined) reject(feature);
  for (const name of Object.keys(config)) if (!KNOWN.has(name)) reject(name);
  const idempotency = typeof config.idempotency === 'string' ? parseKey(config.idempotency) : null;
  if (config.idempotency && !idempotency) reject(`idempotency expression "${text(config.idempotency)}"`);
  const step = isRecord(config.steps) && isRecord(config.steps.step) ? config.steps.step : {};
  const retries = isRecord(step.retries) ? Number(step.retries.attempts) : DEFAULT_RETRIES;
  return {
    id,
    ...readTriggers(id, config, reject),
    maxAttempts: retries + 1,
    concurrency: readConcurrency(id, config.concurrency, reject),
    cancels: readCancels(config.cancel, reject),
    idempotency,
  };
}

/**
 * Reads the functions from the SDK's response to an in-band sync.
 * @throws Error that names every feature, function by function, that the embedded executor does not support
 */
export function readFunctions(configs: unknown): FunctionConfig[] {
  const rejections: string[] = [];
  const functions = records(configs).map((config) => readFunction(config, rejections));
  if (rejections.length > 0) {
    throw new Error(`The embedded executor does not support:\n${rejections.map((line) => `  ${line}`).join('\n')}`);
  }
  return functions;
}
