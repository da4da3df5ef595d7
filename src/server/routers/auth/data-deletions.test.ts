import { expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { db } from '@/server/db';
import { makeDeliveries } from '@/test/deliveries';
import { makeProject, makeSubscription, makeTeam, makeTournament, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { deleteExpiredTokens, deleteOldTeamInvitations, deleteUnusedAccounts } from './data-deletions';

const api = setupTestServer();
const afterDays = (days: number) => new Date(Date.now() + days * 86_400_000);

async function signUp(tournamentId?: string) {
  const email = `${newId('usr')}@unused.test`;
  await api.post('/auth/register', { body: { email, password: 'correct horse battery', name: 'Ada', tournamentId } });
  const { id } = await db.user.findUniqueOrThrow({ where: { email }, select: { id: true } });
  return id;
}

test('accounts that nobody confirms or uses are deleted after a month, with what they caused', async () => {
  const [unused, playing, suspended, confirmed] = [await signUp(), await signUp(), await signUp(), await signUp()];
  const { project } = await makeProject();
  const { id: tournamentId } = await makeTournament(project.id);
  await db.participant.create({
    data: { id: newId('prt'), tournamentId, userId: playing, name: 'Ada', registrationStatus: 'approved' },
  });
  await db.user.update({ where: { id: suspended }, data: { suspendedAt: new Date() } });
  await db.user.update({ where: { id: confirmed }, data: { emailVerifiedAt: new Date() } });
  const left = async () => {
    const users = await db.user.findMany({
      where: { id: { in: [unused, playing, suspended, confirmed] } },
      select: { id: true },
      orderBy: { id: 'asc' },
    });
    return users.map(({ id }) => id);
  };
  expect(await deleteUnusedAccounts(afterDays(29))).toBe(0);
  expect(await left()).toEqual([unused, playing, suspended, confirmed]);
  expect(await deleteUnusedAccounts(afterDays(31))).toBe(1);
  expect(await left()).toEqual([playing, suspended, confirmed]);
  expect(await db.domainEvent.count({ where: { aggregateId: unused } })).toBe(0);
  expect(await db.emailToken.count({ where: { userId: unused } })).toBe(0);
  expect(await db.domainEvent.count({ where: { aggregateId: playing } })).toBe(1);
});

test('so is what they caused in the project whose page led to the sign-up, once its deliveries are gone', async () => {
  const { project } = await makeProject();
  const { id: tournamentId } = await makeTournament(project.id);
  const [unused, delivered] = [await signUp(tournamentId), await signUp(tournamentId)];
  const eventOf = async (aggregateId: string) =>
    (await db.domainEvent.findMany({ where: { aggregateId, projectId: project.id } })).map(({ id }) => id);
  const subscription = await makeSubscription(project.id, { url: 'http://127.0.0.1/', events: ['match.completed'] });
  const [delivery = ''] = await makeDeliveries(subscription, await eventOf(delivered), { status: 'delivered' });
  expect(await db.domainEvent.count({ where: { projectId: project.id, type: 'user.created' } })).toBe(2);
  expect(await deleteUnusedAccounts(afterDays(31))).toBe(1);
  expect([await eventOf(unused), (await eventOf(delivered)).length]).toEqual([[], 1]);
  expect(await db.user.count({ where: { id: { in: [unused, delivered] } } })).toBe(1);
  await db.webhookDelivery.delete({ where: { id: delivery } });
  expect(await deleteUnusedAccounts(afterDays(31))).toBe(1);
  expect(await eventOf(delivered)).toEqual([]);
});

test('personal access tokens that no longer work are deleted after a week', async () => {
  const user = await makeUser();
  const add = (data: { expiresAt?: Date; revokedAt?: Date }) =>
    db.personalAccessToken.create({
      data: { id: newId('pat'), userId: user.id, name: 'x', tokenHash: newId('pat'), lastFour: 'abcd', ...data },
    });
  const working = await add({});
  await add({ revokedAt: new Date() });
  await add({ expiresAt: new Date() });
  expect(await deleteExpiredTokens(afterDays(6))).toBe(0);
  expect(await deleteExpiredTokens(afterDays(8))).toBe(2);
  const left = await db.personalAccessToken.findMany({ where: { userId: user.id } });
  expect(left.map(({ id }) => id)).toEqual([working.id]);
});

test('invitations to teams are deleted a week after they have expired, answered or not', async () => {
  const captain = await makeUser();
  const players = [await makeUser(), await makeUser()];
  const { id: teamId } = await makeTeam(captain);
  for (const { id: userId } of players) {
    await api.post(`/teams/${teamId}/members`, { bearer: captain.bearer, body: { userId } });
  }
  await db.teamInvitation.updateMany({ where: { userId: players[0]?.id }, data: { declinedAt: new Date() } });
  const left = () => db.teamInvitation.count({ where: { teamId } });
  await deleteOldTeamInvitations(afterDays(20));
  expect(await left()).toBe(2);
  await deleteOldTeamInvitations(afterDays(22));
  expect(await left()).toBe(0);
});
