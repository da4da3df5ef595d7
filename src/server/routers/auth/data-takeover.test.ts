import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { mintEmailToken } from '@/server/routers/auth/data';
import { makeTeam, makeUser } from '@/test/factories';
import { holdLock, someoneWaits } from '@/test/locks';
import { setupTestServer } from '@/test/server';
import { hostTournament } from '@/test/tournaments';

const api = setupTestServer();

/** A player of two tournaments whose address nobody has confirmed. */
async function playInTwo() {
  const [held, other] = [await hostTournament(api), await hostTournament(api)];
  const player = await makeUser();
  for (const cup of [held, other]) expect((await cup.register(player.bearer)).status).toBe(201);
  await db.user.update({ where: { id: player.id }, data: { emailVerifiedAt: null } });
  const { id: participantId } = await db.participant.findFirstOrThrow({
    where: { tournamentId: held.id, userId: player.id },
  });
  return { player, participantId, other };
}

test('a tournament does not wait for a player who is taken over while another tournament holds their place', async () => {
  const { player, participantId, other } = await playInTwo();
  const release = await holdLock('SELECT 1 FROM "participant" WHERE "id" = $1 FOR UPDATE', [participantId]);
  const token = await mintEmailToken(db, player.id, 'reset_password');
  const taking = api.post('/auth/reset-password', { body: { token, password: 'chosen by the owner' } });
  await someoneWaits();
  const cancelled = await other.cancel(player.bearer);
  expect(cancelled.status, cancelled.text).toBe(200);
  expect((await other.register((await makeUser()).bearer)).status).toBe(201);
  await release();
  expect((await taking).status).toBe(200);
  expect((await db.participant.findUniqueOrThrow({ where: { id: participantId } })).acceptedAt).toBeNull();
});

test('nor for one who accepts an invitation of a team that is being changed for long', async () => {
  const cup = await hostTournament(api);
  const [captain, player] = [await makeUser(), await makeUser()];
  expect((await cup.register(player.bearer)).status).toBe(201);
  const team = await makeTeam(captain, []);
  await api.post(`/teams/${team.id}/members`, { bearer: captain.bearer, body: { userId: player.id } });
  const { id: invitationId } = await db.teamInvitation.findFirstOrThrow({ where: { teamId: team.id } });
  const release = await holdLock('SELECT 1 FROM "team" WHERE "id" = $1 FOR UPDATE', [team.id]);
  const accepted = api.post('/team-invitations/accept', { bearer: player.bearer, body: { invitationId } });
  await someoneWaits();
  const cancelled = await cup.cancel(player.bearer);
  expect(cancelled.status, cancelled.text).toBe(200);
  await release();
  const answer = await accepted;
  expect(answer.status, answer.text).toBe(200);
});
