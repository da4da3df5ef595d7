import { createHash } from 'node:crypto';
import { valueAt } from '@/domain/json/value-at';

/** The part of the expression language that the embedded executor supports; it rejects anything else by name. */

const PATH = '[A-Za-z_][A-Za-z0-9_]*(?:\\.[A-Za-z_][A-Za-z0-9_]*)*';
const EVENT_PATH = new RegExp(`^event\\.(${PATH})$`);
const LITERAL = /^(?:"([^"\\]*)"|'([^'\\]*)')$/;
const MATCH = new RegExp(`^event\\.(${PATH})\\s*==\\s*async\\.(${PATH})$`);
const CONDITION = new RegExp(`^event\\.(${PATH})\\s*==\\s*(?:"([^"\\\\]*)"|'([^'\\\\]*)')$`);

/** `event.data.id`, or a constant that all events share. */
export type KeyExpression = { path: string } | { constant: string };

/** Equality of a value in the run's own event and one in an arriving event. */
export type MatchExpression = { eventPath: string; asyncPath: string };

/** Equality of a value in the event and a constant. */
export type Condition = { path: string; value: string };

/** @returns null where the expression is more than a path or a quoted constant */
export function parseKey(expression: string): KeyExpression | null {
  const text = expression.trim();
  const path = EVENT_PATH.exec(text)?.[1];
  if (path) return { path };
  const literal = LITERAL.exec(text);
  return literal ? { constant: literal[1] ?? literal[2] ?? '' } : null;
}

/** @returns null where the expression is not `event.<path> == async.<path>` */
export function parseMatch(expression: string): MatchExpression | null {
  const found = MATCH.exec(expression.trim());
  return found?.[1] && found[2] ? { eventPath: found[1], asyncPath: found[2] } : null;
}

/** @returns null where the expression is not `event.<path> == '<constant>'` */
export function parseCondition(expression: string): Condition | null {
  const found = CONDITION.exec(expression.trim());
  return found?.[1] ? { path: found[1], value: found[2] ?? found[3] ?? '' } : null;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

const MAX_INDEXED_LENGTH = 200;

/**
 * A text that is the same for equal values and differs for others, types included (1 and "1" differ).
 * Long texts are hashed to fit an index. Undefined has none: a missing value equals nothing.
 */
export function comparable(value: unknown): string | null {
  if (value === undefined) return null;
  const text = JSON.stringify(sorted(value));
  if (text.length <= MAX_INDEXED_LENGTH) return text;
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** The value of a key expression for an event; events without the value share one key. */
export function keyOf(expression: KeyExpression, event: unknown): string {
  if ('constant' in expression) return JSON.stringify(expression.constant);
  return comparable(valueAt(event, expression.path)) ?? 'null';
}

const UNITS: Record<string, number> = { w: 604_800_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 };

/** PostgreSQL rejects values beyond these, and nothing waits that long. */
const CENTURY_MS = 3_155_760_000_000;
const LAST_DATE = Date.UTC(9999, 0, 1);

/** A moment: so many milliseconds from the database's now, or a date as ISO text. */
export type When = { afterMs: number } | { at: string };

/**
 * Reads the SDK's time texts: `1d2h3m4s`, the empty text for zero, or an ISO date.
 * @returns null for anything else
 */
export function parseWhen(text: string): When | null {
  if (text === '') return { afterMs: 0 };
  if (/^(?:\d+[wdhms])+$/.test(text)) {
    let afterMs = 0;
    for (const [, count, unit] of text.matchAll(/(\d+)([wdhms])/g)) afterMs += Number(count) * (UNITS[unit ?? ''] ?? 0);
    return { afterMs: Math.min(afterMs, CENTURY_MS) };
  }
  const at = /^[+-]?\d{4,6}-/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) return null;
  return { at: new Date(Math.min(Math.max(at, 0), LAST_DATE)).toISOString() };
}
