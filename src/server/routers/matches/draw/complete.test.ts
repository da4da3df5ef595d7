import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { countEvents, playOut, readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();

test('is refused with the names of the matches that are left, and writes nothing', async () => {
  const cup = await startCup(api, 4);
  const complete = () => api.post(`/tournaments/${cup.tournamentId}/complete`, { bearer: cup.organizer.bearer });
  const early = await complete();
  expect([early.status, early.reason]).toEqual([409, 'MATCHES_LEFT']);
  expect(early.body).toMatchObject({ message: '3 matches are still to be played: 1, 2, and 3.' });
  for (const { id, slots } of (await readMatches(api, cup.tournamentId)).slice(0, 2)) {
    const body = { winnerId: slots[0].participantId };
    expect((await api.post(`/matches/${id}/resolve`, { bearer: cup.moderator.bearer, body })).status).toBe(200);
  }
  expect((await complete()).body).toMatchObject({ message: 'Match 3 is still to be played.' });
  expect((await countEvents(cup.project.id))['tournament.completed']).toBeUndefined();
});

test('ends a tournament in which nothing is left to play, once', async () => {
  const cup = await startCup(api, 4);
  await playOut(api, cup);
  const path = `/tournaments/${cup.tournamentId}/complete`;
  const bearer = cup.organizer.bearer;
  expect((await api.post(path, { bearer })).reason).toBe('INVALID_STATE');
  // As an interrupted migration or a restored backup may leave it.
  await db.tournament.update({
    where: { id: cup.tournamentId },
    data: { status: 'IN_PROGRESS', completedAt: null },
  });
  const { version } = await db.tournament.findUniqueOrThrow({ where: { id: cup.tournamentId } });
  expect((await api.post(path, { bearer, headers: { 'If-Match': `"${version - 1}"` } })).reason).toBe(
    'VERSION_MISMATCH',
  );
  const before = (await countEvents(cup.project.id))['tournament.completed'] ?? 0;
  const answers = await Promise.all(Array.from({ length: 4 }, () => api.post(path, { bearer })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  expect(answers.find(({ status }) => status === 200)?.body).toMatchObject({ status: 'COMPLETED' });
  expect((await countEvents(cup.project.id))['tournament.completed']).toBe(before + 1);
  const audits = await db.auditEntry.count({ where: { targetId: cup.tournamentId, action: 'tournament.complete' } });
  expect(audits).toBe(1);
});
