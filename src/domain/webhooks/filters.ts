import { z } from 'zod';
import { valueAt } from '@/domain/json/value-at';

export const conditionOperators = ['eq', 'ne', 'in', 'nin', 'gt', 'gte', 'lt', 'lte', 'contains', 'exists'] as const;
export type ConditionOperator = (typeof conditionOperators)[number];

const listOperators: ReadonlySet<ConditionOperator> = new Set(['in', 'nin']);
const orderOperators: ReadonlySet<ConditionOperator> = new Set(['gt', 'gte', 'lt', 'lte']);

const scalar = z.union([z.string().max(500), z.number(), z.boolean(), z.null()]);

/** One test of an event's `data`; `field` is a path into it, such as `payload.registrationStatus`. */
export const conditionSchema = z
  .object({
    field: z
      .string()
      .trim()
      .max(200)
      .regex(/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/, 'Use a path into `data`, such as payload.registrationStatus.'),
    operator: z.enum(conditionOperators),
    value: z
      .union([scalar, z.array(scalar).max(100)])
      .optional()
      .meta({ description: 'An array for `in` and `nin`, `true` or `false` for `exists`, one value for the others.' }),
  })
  .superRefine(({ operator, value }, context) => {
    const report = (message: string) => context.addIssue({ code: 'custom', path: ['value'], message });
    if (operator === 'exists') {
      if (value !== undefined && typeof value !== 'boolean') report('Use true or false.');
    } else if (listOperators.has(operator)) {
      if (!Array.isArray(value) || value.length === 0) report('Enter at least one value.');
    } else if (value === undefined || Array.isArray(value)) report('Enter one value.');
    else if (orderOperators.has(operator) && typeof value !== 'number' && typeof value !== 'string') {
      report('Enter a number or a text.');
    }
  });
export type Condition = z.infer<typeof conditionSchema>;

const ids = (prefix: string, what: string) =>
  z
    .array(
      z
        .string()
        .max(100)
        .regex(new RegExp(`^${prefix}_[0-9a-z]+$`), `Use the id of a ${what}, such as ${prefix}_01k9x….`),
    )
    .max(200, 'Enter at most 200.');

/**
 * Filters of a subscription in addition to its event types, also as they were stored earlier: what binds new ones only is
 * for the settings to say. An event must pass all of them; an empty list passes every event.
 */
export const filtersSchema = z.object({
  aggregateTypes: z.array(z.string().max(60)).max(50).default([]),
  tournamentIds: ids('trn', 'tournament').default([]),
  userIds: ids('usr', 'user').default([]),
  conditions: z.array(conditionSchema).max(20, 'Use at most 20 conditions.').default([]),
});
export type Filters = z.infer<typeof filtersSchema>;

/** The `data` member of a delivery. */
export type EventData = { aggregateId: string; aggregateType: string; payload: unknown; metadata: unknown };

function ordered(found: unknown, wanted: unknown): number | null {
  if (typeof found === 'number' && typeof wanted === 'number') return found - wanted;
  if (typeof found === 'string' && typeof wanted === 'string') return found < wanted ? -1 : found > wanted ? 1 : 0;
  return null;
}

/** Whether a condition holds. A missing field satisfies only `ne`, `nin` and `exists: false`. Types are not converted. */
export function conditionHolds({ field, operator, value }: Condition, data: unknown): boolean {
  const found = valueAt(data, field);
  const order = ordered(found, value);
  switch (operator) {
    case 'eq':
      return found !== undefined && found === value;
    case 'ne':
      return found !== value;
    case 'in':
      return Array.isArray(value) && value.some((each) => each === found);
    case 'nin':
      return Array.isArray(value) && !value.some((each) => each === found);
    case 'gt':
      return order !== null && order > 0;
    case 'gte':
      return order !== null && order >= 0;
    case 'lt':
      return order !== null && order < 0;
    case 'lte':
      return order !== null && order <= 0;
    case 'contains':
      if (Array.isArray(found)) return found.includes(value);
      return typeof found === 'string' && typeof value === 'string' && found.includes(value);
    case 'exists':
      return (found !== undefined) === (value ?? true);
  }
}

/** Why an event does not pass; null when it does. `condition` is the first one that does not hold. */
export type Mismatch = { list: 'aggregateTypes' | 'tournamentIds' | 'userIds' } | { condition: Condition } | null;

/** Ids of the tournaments or users that an event is about: its aggregate, and the id in its payload. */
function idsOf(data: EventData, kind: 'tournament' | 'user'): string[] {
  const own = data.aggregateType === kind ? [data.aggregateId] : [];
  const named = valueAt(data.payload, `${kind}Id`);
  return typeof named === 'string' ? [...own, named] : own;
}

/** The first filter that an event does not pass. An event without a tournament (or user) passes no list of them. */
export function refusedBy(filters: Partial<Filters>, data: EventData): Mismatch {
  const { aggregateTypes = [], tournamentIds = [], userIds = [], conditions = [] } = filters;
  if (aggregateTypes.length > 0 && !aggregateTypes.includes(data.aggregateType)) return { list: 'aggregateTypes' };
  if (tournamentIds.length > 0 && !idsOf(data, 'tournament').some((id) => tournamentIds.includes(id))) {
    return { list: 'tournamentIds' };
  }
  if (userIds.length > 0 && !idsOf(data, 'user').some((id) => userIds.includes(id))) return { list: 'userIds' };
  const failed = conditions.find((condition) => !conditionHolds(condition, data));
  return failed ? { condition: failed } : null;
}

/** Whether an event passes the filters. */
export function passesFilters(filters: Partial<Filters>, data: EventData): boolean {
  return refusedBy(filters, data) === null;
}
