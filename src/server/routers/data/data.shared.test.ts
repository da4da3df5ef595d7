import { expect, test } from 'vitest';
import { handleRest } from '@/server/http/rest/handler';
import { makeApiKey, makeProject, makeTournament } from '@/test/factories';
import { setupTestServer } from '@/test/server';

setupTestServer();

/** A project created from a block of its own, with a tournament, and what reads that by a key. */
async function makeReader() {
  const { project } = await makeProject({ plan: 'enterprise' });
  const { key } = await makeApiKey(project.id);
  const { id } = await makeTournament(project.id);
  const read = (gone?: () => AbortSignal) =>
    handleRest({
      method: 'GET',
      path: `/api/v1/data/tournaments/${id}`,
      query: '',
      headers: { 'x-api-key': key },
      ip: '198.51.100.8',
      readBody: async () => Buffer.alloc(0),
      gone,
    });
  // The key and its rate are known, so that all that are sent together come to the statement together.
  expect((await read()).status).toBe(200);
  return read;
}

const times = <Value>(count: number, make: () => Value) => Array.from({ length: count }, make);

test('a read of one project waits for no more than two of the statements that others fill', async () => {
  const [one, other] = await Promise.all([makeReader(), makeReader()]);
  const ended: string[] = [];
  const note = (whose: string) => (response: { status: number }) => ended.push(`${whose} ${response.status}`);
  await Promise.all([...times(1_500, () => one().then(note('one'))), other().then(note('other'))]);
  expect(new Set(ended)).toEqual(new Set(['one 200', 'other 200']));
  expect(ended.indexOf('other 200')).toBeLessThanOrEqual(300);
});

test('what waits for its statement is dropped when its client goes', async () => {
  const read = await makeReader();
  const client = new AbortController();
  const before = times(1_000, () => read());
  let left = before.length;
  const end = () => {
    left -= 1;
  };
  for (const each of before) void each.finally(end);
  const last = read(() => client.signal);
  await Promise.race(before);
  client.abort();
  expect((await last).status).toBe(499);
  expect(left).toBeGreaterThan(0);
  expect((await Promise.all(before)).every(({ status }) => status === 200)).toBe(true);
});

test('of too many that one project reads, the last are refused, and those of others are not', async () => {
  const [one, other] = await Promise.all([makeReader(), makeReader()]);
  const reads = times(2_600, () => one());
  expect((await other()).status).toBe(200);
  const statuses = (await Promise.all(reads)).map(({ status, headers }) => `${status} ${headers['Retry-After'] ?? ''}`);
  expect(new Set(statuses)).toEqual(new Set(['200 ', '503 3']));
  expect(statuses.filter((status) => status === '200 ').length).toBeGreaterThanOrEqual(2_000);
});
