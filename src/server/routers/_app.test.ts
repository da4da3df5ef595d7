import { expect, test } from 'vitest';
import type { ZodType } from 'zod';
import { appRouter } from './_app';

const procedures = appRouter._def.procedures as unknown as Record<string, { _def: { inputs: ZodType[] } }>;
const many = <Item>(length: number, item: Item): Item[] => Array.from({ length }, () => item);
const intervalsMs = many(200, -1);

test.each([
  ['participants.addGuests', { participants: many(256, { name: 'Ada', roster: many(40, 0) }) }],
  ['matches.postEvents', { events: many(500, { type: 0, at: 0, payload: 0, clientId: 0 }) }],
  [
    'antiCheat.client.postReports',
    {
      reports: many(100, {
        sequence: 1,
        at: '2026-01-01T00:00:00Z',
        kind: 'input',
        data: { control: 'x', intervalsMs },
      }),
    },
  ],
  [
    'webhooks.subscriptions.create',
    { filters: { conditions: many(20, { field: 'a', operator: 'in', value: many(100, []) }) } },
  ],
  [
    'matches.importFile',
    { bracket: { matches: many(580, { games: many(99, 0) }) }, matches: many(580, { games: many(99, 0) }) },
  ],
])('not everything that is wrong with a large input of %s is looked for', async (name, input) => {
  const inputs = procedures[name]?._def.inputs ?? [];
  expect(inputs.length).toBeGreaterThan(0);
  const results = await Promise.all(inputs.map((schema) => schema.safeParseAsync(input)));
  const issues = results.reduce((sum, { error }) => sum + (error?.issues.length ?? 0), 0);
  expect(issues).toBeGreaterThan(3);
  expect(JSON.stringify(results.map(({ error }) => error?.issues)).length).toBeLessThan(150_000);
});
