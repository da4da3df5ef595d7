import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { ZodArray, ZodOptional } from 'zod';
import { newId } from '@/domain/ids';
import { env } from '@/env';
import { db } from '@/server/db';
import { refuse } from '@/server/errors';
import { registry } from '@/server/metrics';
import { installWorker } from '@/server/worker/offload';
import { makeProject, makeTournament } from '@/test/factories';
import { holdLock, waiting } from '@/test/locks';
import { setupTestServer } from '@/test/server';
import { statementsOf } from '@/test/statements';
import { procedures } from './calls';

const api = setupTestServer();

beforeEach(() => {
  env.TRUSTED_PROXIES = 1;
  installWorker({
    waiting: 0,
    run: async () => {
      throw refuse('OVERLOADED');
    },
  });
});
afterEach(() => {
  env.TRUSTED_PROXIES = 0;
  installWorker(undefined);
});

const isSize = (text: string) => text.includes('currentParticipants');

/** Exports tournaments in one request, as tRPC does. */
function exported(ip: string, ...ids: string[]) {
  const input = JSON.stringify(Object.fromEntries(ids.map((tournamentId, at) => [at, { json: { tournamentId } }])));
  const path = `/api/trpc/${ids.map(() => 'matches.exportFile').join(',')}?batch=1&input=${encodeURIComponent(input)}`;
  return api.call('GET', path, { headers: { 'X-Forwarded-For': ip } });
}

test('how large draws are is asked in the turns of the sender, and once at a time for one draw', async () => {
  const release = await holdLock('LOCK TABLE tournament');
  const asked: Promise<unknown>[] = [];
  const sizes = await statementsOf(async () => {
    const headers = { 'X-Forwarded-For': '198.51.100.7' };
    for (let count = 0; count < 3; count += 1) {
      asked.push(exported('198.51.100.7', newId('trn')));
      asked.push(api.get(`/tournaments/${newId('trn')}/bracket`, { headers }));
    }
    await expect.poll(waiting).toBeGreaterThanOrEqual(4);
    asked.push(exported('203.0.113.9', newId('trn')));
    await expect.poll(waiting).toBeGreaterThanOrEqual(5);
    const one = newId('trn');
    for (let count = 0; count < 2; count += 1) asked.push(exported('192.0.2.3', one));
    await expect.poll(waiting).toBeGreaterThanOrEqual(6);
    // Whatever was to be asked has been by now.
    for (let count = 0; count < 5; count += 1) await api.get('/nothing');
    expect(await waiting()).toBe(6);
    await release();
    await Promise.all(asked);
  });
  expect(sizes.filter(isSize)).toHaveLength(8);
});

/** Responses that nobody reads because the client has gone. */
async function unreadCount(): Promise<number> {
  const { values = [] } = (await registry.getSingleMetric('laurel_http_request_duration_seconds')?.get()) ?? {};
  const unread = values.filter(({ labels }) => labels.status === '499' && labels.le === '+Inf');
  return unread.reduce((sum, { value }) => sum + value, 0);
}

test('how large a draw is, nobody asks for a client that has gone meanwhile', async () => {
  const release = await holdLock('LOCK TABLE tournament');
  const headers = { 'X-Forwarded-For': '198.51.100.8' };
  const asked: Promise<unknown>[] = [];
  const sizes = await statementsOf(async () => {
    for (let count = 0; count < 4; count += 1) asked.push(exported('198.51.100.8', newId('trn')));
    await expect.poll(waiting).toBe(4);
    const gone = new AbortController();
    const input = encodeURIComponent(JSON.stringify({ json: { tournamentId: newId('trn') } }));
    const left = [
      `${api.url}/api/v1/tournaments/${newId('trn')}/bracket`,
      `${api.url}/api/trpc/matches.bracket?input=${input}`,
    ].map((url) => fetch(url, { headers, signal: gone.signal }).catch((error: Error) => error.name));
    // They have arrived by then.
    for (let count = 0; count < 5; count += 1) await api.get('/nothing');
    const before = await unreadCount();
    gone.abort();
    expect(await Promise.all(left)).toEqual(['AbortError', 'AbortError']);
    await expect.poll(unreadCount).toBe(before + 2);
    await release();
    await Promise.all(asked);
  });
  expect(sizes.filter(isSize)).toHaveLength(4);
});

test('what was large a moment ago is asked about no more where a request is refused for it', async () => {
  const { project } = await makeProject();
  const { id } = await makeTournament(project.id, { maxParticipants: 512 });
  await db.tournament.update({ where: { id }, data: { currentParticipants: 300 } });
  const sizes = await statementsOf(async () => {
    for (let count = 0; count < 5; count += 1) expect((await exported('198.51.100.9', id, id)).status).toBe(400);
  });
  expect(sizes.filter(isSize)).toHaveLength(1);
});

test('of what is sent to a draw, a request has its rest checked in its turn, once', async () => {
  const { project, owner } = await makeProject();
  const { id: tournamentId } = await makeTournament(project.id);
  const { order } = procedures['participants.seeding.save']?._def.inputs.at(-1)?.shape ?? {};
  const { element } = (order as ZodOptional<ZodArray>).unwrap();
  const { run } = element._zod;
  let checked = 0;
  element._zod.run = (...given) => {
    checked += 1;
    return run(...given);
  };
  onTestFinished(() => {
    element._zod.run = run;
  });
  const body = { json: { tournamentId, order: Array(50).fill(0) } };
  expect((await api.call('POST', '/api/trpc/participants.seeding.save', { bearer: owner.bearer, body })).status).toBe(
    400,
  );
  expect(checked).toBe(50);
});
