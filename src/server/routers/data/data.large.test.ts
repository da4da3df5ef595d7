import { expect, test } from 'vitest';
import { resolveApiKey } from '@/server/auth/api-keys';
import { handleRest } from '@/server/http/rest/handler';
import { readTournament } from '@/server/routers/data/data';
import { makeApiKey, makeProject, makeTournament } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();

type Sent = { gone?: () => AbortSignal; headers?: Record<string, string> };

/** A project created from a block of its own, with a large tournament, and what reads that by a key. */
async function makeReader() {
  const { project } = await makeProject({ plan: 'enterprise' });
  const { key: apiKey } = await makeApiKey(project.id);
  const small = await makeTournament(project.id);
  const large = await makeTournament(project.id, { rules: 'x'.repeat(40_000) });
  const read = (id: string, { gone, headers }: Sent = {}) =>
    handleRest({
      method: 'GET',
      path: `/api/v1/data/tournaments/${id}`,
      query: '',
      headers: { 'x-api-key': apiKey, ...headers },
      ip: '198.51.100.7',
      readBody: async () => Buffer.alloc(0),
      gone,
    });
  // The key and its rate are known, so that all that are sent together come to their turns together.
  expect((await read(small.id)).status).toBe(200);
  return { apiKey, large, read: (sent?: Sent) => read(large.id, sent) };
}

const times = <Value>(count: number, make: () => Value) => Array.from({ length: count }, make);

test('a large tournament reads as it is listed, by id, by slug and by tag', async () => {
  const { apiKey, large } = await makeReader();
  const list = await api.get<{ data: { tournaments: { id: string }[] } }>('/data/tournaments', { apiKey });
  const listed = list.body.data.tournaments.find(({ id }) => id === large.id);
  for (const key of [large.id, large.slug]) {
    const one = await api.get(`/data/tournaments/${key}`, { apiKey });
    expect([one.status, one.body.data]).toEqual([200, listed]);
    const tag = one.headers.get('etag') ?? '';
    const again = await api.get(`/data/tournaments/${key}`, { apiKey, headers: { 'If-None-Match': tag } });
    expect([again.status, again.text]).toEqual([304, '']);
  }
  const other = await makeReader();
  expect((await api.get(`/data/tournaments/${large.id}`, { apiKey: other.apiKey })).reason).toBe('NOT_FOUND');
});

test('large tournaments that are read together are answered one in a round of the event loop', async () => {
  const { read } = await makeReader();
  let [round, done] = [0, false];
  const count = () => {
    round += 1;
    if (!done) setImmediate(count);
  };
  count();
  const rounds = await Promise.all(times(20, () => read().then(() => round)));
  done = true;
  expect(new Set(rounds).size).toBe(rounds.length);
});

test('a large tournament of one project waits for few of those that another reads', async () => {
  const begun: string[] = [];
  async function makeNoted(whose: string) {
    const { apiKey, large } = await makeReader();
    const key = await resolveApiKey(apiKey);
    if (!key) throw new Error('the key was just made');
    // It is looked up again when the turn begins.
    const requireKey = async () => {
      begun.push(whose);
      return key;
    };
    const reader = { ip: '198.51.100.7', signal: undefined, key, requireKey, requireCounted: async () => undefined };
    return () => readTournament(reader, large.id, false);
  }
  const [one, other] = await Promise.all([makeNoted('one'), makeNoted('other')]);
  await Promise.all([...times(60, one), other()]);
  expect(begun).toHaveLength(61);
  expect(begun.indexOf('other')).toBeLessThan(10);
});

test('what waits for its turn is dropped when its client goes', async () => {
  const { read } = await makeReader();
  const client = new AbortController();
  const before = times(30, () => read());
  let left = before.length;
  const end = () => {
    left -= 1;
  };
  for (const each of before) void each.finally(end);
  const last = read({ gone: () => client.signal });
  await Promise.race(before);
  client.abort();
  const { status, body } = await last;
  expect([status, body]).toEqual([499, null]);
  expect(left).toBeGreaterThan(0);
  expect((await Promise.all(before)).every((response) => response.status === 200)).toBe(true);
});

test('of too many that one project reads, the last are refused, and those of others are not', async () => {
  const [one, other] = await Promise.all([makeReader(), makeReader()]);
  const reads = times(700, () => one.read());
  expect((await other.read()).status).toBe(200);
  const statuses = (await Promise.all(reads)).map(({ status, headers }) => `${status} ${headers['Retry-After'] ?? ''}`);
  expect(new Set(statuses)).toEqual(new Set(['200 ', '503 3']));
  expect(statuses.filter((status) => status === '200 ').length).toBeGreaterThanOrEqual(500);
});
