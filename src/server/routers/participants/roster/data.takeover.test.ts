import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { lockUser } from '@/server/routers/auth/data';
import { takeOver } from '@/server/routers/auth/data-takeover';
import { makeTeam, makeUser } from '@/test/factories';
import { holdLock, someoneWaits, waiting } from '@/test/locks';
import { until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';
import { hostTeam, hostTournament, teamOf } from '@/test/tournaments';

const api = setupTestServer();

/** Gives an account to the owner of its address, who has it once `hold` is done. */
const takenOver = (id: string, hold: () => Promise<unknown> = async () => {}) =>
  db.$transaction(
    async (tx) => {
      await lockUser(tx, id);
      await takeOver(tx, id);
      await hold();
    },
    { timeout: 60_000 },
  );

const agreementOf = async (tournamentId: string, userId: string) =>
  (await db.rosterMember.findUniqueOrThrow({ where: { tournamentId_userId: { tournamentId, userId } } })).acceptedAt;

/** Takes accounts over while what `release` ends keeps a change from being finished. */
async function takeOverBeside(userIds: string[], release: () => Promise<void>): Promise<void> {
  await someoneWaits();
  const taking = Promise.all(userIds.map((id) => takenOver(id)));
  // Either they do not wait for the change, or all of them do.
  await Promise.race([taking, until(async () => (await waiting()) > userIds.length)]);
  await release();
  await taking;
}

const sizes = { teamSize: 2, rosterMin: 2, rosterMax: 4 };

test('a player whose account is taken over while their team’s registration waits is asked, and the others are not', async () => {
  const cup = await hostTournament(api, sizes);
  const [captain, member, other] = [await makeUser(), await makeUser(), await makeUser()];
  await makeTeam(captain, [member, other]);
  const release = await holdLock('SELECT 1 FROM "tournament" WHERE "id" = $1 FOR UPDATE', [cup.id]);
  const registered = cup.register(captain.bearer, teamOf(captain, [member, other]));
  await someoneWaits();
  await takenOver(member.id);
  await release();
  const { status, text } = await registered;
  expect(status, text).toBe(201);
  expect(await agreementOf(cup.id, member.id)).toBeNull();
  expect(await agreementOf(cup.id, other.id)).not.toBeNull();
});

test('nor does a player agree by a registration that comes while their account is being taken over', async () => {
  const cup = await hostTournament(api, sizes);
  const [captain, member] = [await makeUser(), await makeUser()];
  await makeTeam(captain, [member]);
  const registered: ReturnType<typeof cup.register>[] = [];
  await takenOver(member.id, async () => {
    registered.push(cup.register(captain.bearer, teamOf(captain, [member])));
    await Promise.race([registered[0], someoneWaits()]);
  });
  const answer = await registered[0];
  expect(answer?.status, answer?.text).toBe(201);
  expect(await agreementOf(cup.id, member.id)).toBeNull();
});

test('nor by an edit that is being written then', async () => {
  const { id, participantId, captain, outsider, edit } = await hostTeam(api);
  await makeTeam(captain, [outsider]);
  const release = await holdLock('SELECT 1 FROM "participant" WHERE "id" = $1 FOR UPDATE', [participantId]);
  const edited = edit(captain.bearer, teamOf(captain, [outsider]));
  await takeOverBeside([outsider.id], release);
  const { status, text } = await edited;
  expect(status, text).toBe(200);
  expect(await agreementOf(id, outsider.id)).toBeNull();
});

test('nor by a substitution; and whoever it replaces has never agreed', async () => {
  const { id, path, participantId, captain, mate, outsider, moderator, register } = await hostTeam(api);
  await makeTeam(captain, [outsider]);
  expect((await api.post(`${path}/registrations/me/accept`, { bearer: mate.bearer })).status).toBe(200);
  const rival = await makeUser();
  expect((await register(rival.bearer, teamOf(rival, [outsider], 'Rivals'))).status).toBe(201);
  // Of the substitute, who leaves the other roster: everything has been read by then.
  const place = 'SELECT 1 FROM "roster_member" WHERE "tournamentId" = $1 AND "userId" = $2 FOR UPDATE';
  const release = await holdLock(place, [id, outsider.id]);
  const body = { replacedUserId: mate.id, substituteUserId: outsider.id, reason: 'Ill' };
  const substituted = api.post(`${path}/participants/${participantId}/substitute`, { bearer: moderator.bearer, body });
  await takeOverBeside([mate.id, outsider.id], release);
  const { status, text } = await substituted;
  expect(status, text).toBe(200);
  expect(await agreementOf(id, outsider.id)).toBeNull();
  const change = await db.rosterChange.findFirstOrThrow({ where: { participantId } });
  expect([change.outUserId, change.outAccepted]).toEqual([mate.id, false]);
});
