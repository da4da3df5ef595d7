import { beforeAll, expect, test } from 'vitest';
import type { JsonSchema } from '@/domain/api-reference/api-document';
import { readQuery } from '@/server/http/rest/query';
import { routeTable } from '@/server/http/rest/routes';
import { makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();
let bearer: string;
beforeAll(async () => {
  bearer = (await makeUser()).bearer;
});

const fields = new Map<string, JsonSchema>([
  ['page', { type: 'integer' }],
  ['open', { type: 'boolean' }],
  ['status', { type: 'array', items: { type: 'string' } }],
  ['ranks', { type: 'array', items: { type: 'number' } }],
  ['search', { type: 'string' }],
]);

test.each([
  ['page=0', { page: 0 }],
  ['page=-2', { page: -2 }],
  ['page=', { page: '' }],
  ['page=1e3', { page: '1e3' }],
  ['page=1&page=2', { page: [1, 2] }],
  ['open=false', { open: false }],
  ['open=0', { open: false }],
  ['open=true', { open: true }],
  ['open=1', { open: true }],
  ['open=no', { open: 'no' }],
  ['status=a', { status: ['a'] }],
  ['status=a&status=b', { status: ['a', 'b'] }],
  ['ranks=1.5', { ranks: [1.5] }],
  ['search=7', { search: '7' }],
  ['search=', { search: '' }],
  ['unknown=1', {}],
  ['', {}],
])('%s is read as its schemas say', (query, expected) => {
  expect(readQuery(fields, query)).toEqual(expected);
});

test('a query may hold what it likes and only known fields count', async () => {
  for (const query of ['__proto__=1', 'constructor=1', 'toString=1', 'limit=5&nothing=%00']) {
    expect([query, (await api.get(`/projects?${query}`, { bearer })).status]).toEqual([query, 200]);
  }
  for (const query of ['limit=%00', 'page=__proto__', 'limit=true']) {
    const response = await api.get(`/projects?${query}`, { bearer });
    expect([query, response.status, response.reason]).toEqual([query, 400, 'VALIDATION_FAILED']);
  }
  const search = await api.get('/tournaments?search=a%00b');
  expect([search.status, search.reason]).toEqual([400, 'VALIDATION_FAILED']);
});

test('a whole number in a query is one that a column can hold', () => {
  const fields = routeTable.routes.filter(({ takesBody }) => !takesBody).flatMap(({ input }) => [...input]);
  const whole = fields.filter(([, { type }]) => type === 'integer');
  expect(whole.length).toBeGreaterThan(10);
  const tooLarge = whole.filter(([, { maximum = Number.POSITIVE_INFINITY }]) => Number(maximum) > 2 ** 31 - 1);
  expect(tooLarge.map(([name]) => name)).toEqual([]);
});
