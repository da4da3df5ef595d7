import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { env } from '@/env';
import { db } from '@/server/db';
import { logger } from '@/server/logger';
import { registry } from '@/server/metrics';
import { startCup } from '@/server/routers/matches/matches.fixture';
import { makeApiKey, makeProject } from '@/test/factories';
import { holdLock } from '@/test/locks';
import { startTestServer, type TestServer } from '@/test/server';
import { bundledWorker } from '@/test/thread';

/** Enough for a draw that the worker thread reads and changes. */
const large = 300;
const writesPerDay = 2;

let api: TestServer;
let cup: Awaited<ReturnType<typeof startCup>>;
beforeAll(async () => {
  // The thread reads it when it starts.
  process.env.WRITES_PER_USER_PER_DAY = String(writesPerDay);
  api = await startTestServer({ worker: await bundledWorker(new URL('../../worker.ts', import.meta.url)) });
  cup = await startCup(api, large);
});
afterAll(() => api.stop());

/** Holds up everybody who reads a draw, but for its size, until it is released. */
const holdDraws = () => holdLock('LOCK TABLE stage IN ACCESS EXCLUSIVE MODE');

/** Not by `/metrics`, which is up to a second old. */
const readMetrics = () => registry.metrics();

async function waitingInAll(): Promise<number> {
  return Number(/^laurel_worker_waiting (\d+)/m.exec(await readMetrics())?.[1]);
}

async function statusCount(status: number): Promise<number> {
  const text = await readMetrics();
  const lines = text.matchAll(
    new RegExp(`^laurel_http_request_duration_seconds_count\\{.*status="${status}".*\\} (\\d+)`, 'gm'),
  );
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
}

test('while others wait for a large draw, who has no credentials that are accepted is answered at once', async () => {
  const { tournamentId, project } = cup;
  const path = `/data/tournaments/${tournamentId}/bracket`;
  const { key } = await makeApiKey(project.id, { scopes: ['read:tournaments'] });
  expect((await api.get(path, { apiKey: key })).status).toBe(200);
  const release = await holdDraws();
  const waiting = Array.from({ length: 4 }, () => api.get(path, { apiKey: key }));
  expect(await api.get(path)).toMatchObject({ status: 401, reason: 'API_KEY_MISSING' });
  expect(await api.get(path, { apiKey: `${key.slice(0, -1)}x` })).toMatchObject({
    status: 401,
    reason: 'API_KEY_INVALID',
  });
  expect(await api.get(`/tournaments/${tournamentId}/bracket`, { bearer: 'Bearer x' })).toMatchObject({ status: 401 });
  await release();
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});

test('a key of another project finds nothing', async () => {
  const foreign = await makeApiKey((await makeProject()).project.id, { scopes: ['read:tournaments'] });
  const read = () => api.get(`/data/tournaments/${cup.tournamentId}/bracket`, { apiKey: foreign.key });
  expect(await read()).toMatchObject({ status: 404, reason: 'NOT_FOUND' });
});

test('a key is counted once for a large draw', async () => {
  const { key } = await makeApiKey(cup.project.id, { scopes: ['read:tournaments'] });
  const read = () => api.get(`/data/tournaments/${cup.tournamentId}/bracket`, { apiKey: key });
  const first = (await read()).headers.get('x-ratelimit-remaining');
  expect(Number((await read()).headers.get('x-ratelimit-remaining'))).toBe(Number(first) - 1);
});

test('a read whose client has gone never gets its turn', async () => {
  const { tournamentId } = cup;
  const input = encodeURIComponent(JSON.stringify({ json: { tournamentId } }));
  const urls = [
    `${api.url}/api/v1/tournaments/${tournamentId}/bracket`,
    `${api.url}/api/trpc/matches.bracket?input=${input}`,
    `${api.url}/api/trpc/matches.champion?input=${input}`,
    `${api.url}/api/trpc/matches.standingsPage?input=${input}`,
  ];
  const release = await holdDraws();
  const waiting = Array.from({ length: 2 }, () => api.get(`/tournaments/${tournamentId}/bracket`));
  const before = await statusCount(499);
  const logged = vi.spyOn(logger, 'error');
  onTestFinished(() => logged.mockRestore());
  const gone = new AbortController();
  const left = urls.map((url) => fetch(url, { signal: gone.signal }).catch((error: Error) => error.name));
  await expect.poll(waitingInAll).toBe(urls.length);
  gone.abort();
  expect(await Promise.all(left)).toEqual(urls.map(() => 'AbortError'));
  await expect.poll(() => statusCount(499)).toBeGreaterThan(before);
  await expect.poll(waitingInAll).toBe(0);
  await release();
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
  expect(logged.mock.calls).toEqual([]);
});

test('of one network few requests are answered at a time, however many projects they concern', async () => {
  const cups = [cup, await startCup(api, large), await startCup(api, large)];
  const urls = cups.flatMap(({ tournamentId }) => {
    const input = encodeURIComponent(JSON.stringify({ json: { tournamentId } }));
    return [`/api/v1/tournaments/${tournamentId}/bracket`, `/api/trpc/matches.bracket?input=${input}`];
  });
  const release = await holdDraws();
  const reads = urls.map((url) => api.get(url));
  await expect.poll(waitingInAll).toBe(urls.length - 2);
  await release();
  expect((await Promise.all(reads)).map(({ status }) => status)).toEqual(urls.map(() => 200));
});

test('when more wait than may, further ones get a 503, and those of others do not', async () => {
  const { tournamentId } = cup;
  env.TRUSTED_PROXIES = 1;
  const path = `/tournaments/${tournamentId}/bracket`;
  const etag = (await api.get(path)).headers.get('etag') ?? '';
  const from = (address: string) => api.get(path, { headers: { 'X-Forwarded-For': address, 'If-None-Match': etag } });
  const release = await holdDraws();
  const crowd = Array.from({ length: 1_200 }, () => from('203.0.113.5'));
  const refused = await Promise.race(crowd);
  expect(refused).toMatchObject({ status: 503, reason: 'OVERLOADED' });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  const other = from('198.51.100.9');
  await release();
  expect((await other).status).toBe(304);
  const statuses = new Set((await Promise.all(crowd)).map(({ status }) => status));
  expect([...statuses].sort()).toEqual([304, 503]);
  env.TRUSTED_PROXIES = 0;
});

test('writes that the thread makes all count, so that a new thread forgets none', async () => {
  const { tournamentId, moderator } = cup;
  const ready = await db.match.findMany({ where: { tournamentId, status: 'ready' }, take: writesPerDay + 1 });
  const statuses = [];
  for (const { id, participantAId } of ready) {
    const body = { winnerId: participantAId };
    statuses.push((await api.post(`/matches/${id}/resolve`, { bearer: moderator.bearer, body })).status);
  }
  expect(statuses).toEqual([...Array.from({ length: writesPerDay }, () => 200), 429]);
  expect(await readMetrics()).toMatch(/laurel_quota_exceeded_total\{quota="writes"\} 1/);
});
