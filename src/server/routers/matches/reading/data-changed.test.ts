import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { startCup } from '@/server/routers/matches/matches.fixture';
import { setupTestServer } from '@/test/server';
import { readLargeChange } from './data-changed';

const api = setupTestServer();

test('a page gets what changed in a draw after many other draws have been read', async () => {
  const read = (tournamentId: string, projectId: string, since: Awaited<ReturnType<typeof readLargeChange>> | null) =>
    readLargeChange({ owner: projectId }, { tournamentId, projectId, since });
  const { tournamentId, project, moderator } = await startCup(api, 4);
  const first = await read(tournamentId, project.id, null);
  for (let other = 0; other < 9; other += 1) await read((await startCup(api, 4)).tournamentId, 'prj_of_somebody', null);
  const match = await db.match.findFirstOrThrow({ where: { tournamentId, number: 1 } });
  const started = await api.post(`/matches/${match.id}/start`, { bearer: moderator.bearer });
  expect(started.status, started.text).toBe(200);
  const second = await read(tournamentId, project.id, first);
  expect(JSON.parse(second.patch ?? 'null')).toMatchObject({ matches: [{ id: match.id, status: 'in_progress' }] });
});
