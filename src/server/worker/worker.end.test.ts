import { afterAll, beforeAll, expect, test } from 'vitest';
import { db } from '@/server/db';
import { makeProject, makeTournament } from '@/test/factories';
import { startTestServer, type TestServer } from '@/test/server';
import { bundledWorker } from '@/test/thread';

let api: TestServer;
let tournamentId: string;
beforeAll(async () => {
  // Too little memory to answer anything.
  const options = await bundledWorker(new URL('../../worker.ts', import.meta.url));
  api = await startTestServer({ worker: { ...options, memoryMb: 4 } });
  const { project } = await makeProject();
  tournamentId = (await makeTournament(project.id, { maxParticipants: 512 })).id;
  await db.tournament.update({ where: { id: tournamentId }, data: { currentParticipants: 300 } });
});
afterAll(() => api.stop());

test('a request during which the thread ends gets the error of its interface, each time from another thread', async () => {
  const input = encodeURIComponent(JSON.stringify({ json: { tournamentId } }));
  for (let count = 0; count < 2; count += 1) {
    const rest = await api.get<{ error: { requestId: string } }>(`/tournaments/${tournamentId}/bracket`);
    expect(rest).toMatchObject({ status: 500, reason: 'INTERNAL' });
    expect(rest.body.error.requestId).toBe(rest.headers.get('x-request-id'));
    const called = await api.call('GET', `/api/trpc/matches.bracket?input=${input}`, {
      headers: { 'X-Request-Id': 'mine' },
    });
    expect(called.status).toBe(500);
    expect(called.body).toMatchObject({ error: { json: { data: { reason: 'INTERNAL', requestId: 'mine' } } } });
    await expect(api.trpc().matches.bracket.query({ tournamentId })).rejects.toMatchObject({
      data: { reason: 'INTERNAL', httpStatus: 500 },
    });
  }
});
