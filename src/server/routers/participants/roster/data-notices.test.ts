import { afterEach, expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { env } from '@/env';
import { db } from '@/server/db';
import { claimEmails } from '@/server/email/claims';
import { queueEmailsOnce } from '@/server/email/outbox';
import { rosterNoticeEmail } from '@/server/email/participant-emails';
import { admitStrangerEmails } from '@/server/limits/stranger-emails';
import { queueRosterNotices } from '@/server/routers/participants/roster/data-notices';
import { makeMember, makeProject, makeUser } from '@/test/factories';
import { statementsOf } from '@/test/statements';

const defaults = { ...env };
afterEach(() => void Object.assign(env, defaults));

/** A roster of strangers whom a captain has named. */
async function makeRoster(count: number, projectId = newId('prj'), block: string | null = null) {
  const [captain, ...players] = await Promise.all(Array.from({ length: count + 1 }, () => makeUser()));
  await db.user.update({ where: { id: captain?.id ?? '' }, data: { createdFrom: block } });
  const ids = players.map(({ id }) => id);
  await db.$executeRaw`UPDATE "user" SET "createdFrom" = 'home of ' || "id" WHERE "id" = ANY(${ids})`;
  const tournamentId = newId('trn');
  const named = players.map(({ id: userId }) => ({
    ...{ userId, tournamentId, projectId, namedById: captain?.id ?? null },
  }));
  const where = { kind: 'roster_notice', recipient: { in: players.map(({ email }) => email) } };
  const turns = async () => (await db.outgoingMail.findMany({ where })).map(({ causedBy }) => causedBy);
  return { named, notices: () => db.outgoingMail.count({ where }), turns };
}
const transactionsIn = (statements: string[]) => statements.filter((text) => text === 'BEGIN').length;

test('a roster is one transaction, and further events about it ask nothing, whether notices were written or refused', async () => {
  env.STRANGER_EMAILS_PER_DAY = 2;
  const { named, notices } = await makeRoster(6);
  expect(transactionsIn(await statementsOf(() => queueRosterNotices(named)))).toBe(1);
  expect(await notices()).toBe(2);
  expect(await statementsOf(() => queueRosterNotices(named))).toEqual([]);
});

test('many notices are several transactions, so that none keeps the counts that it takes from for long', async () => {
  const { named, notices } = await makeRoster(120);
  env.STRANGER_EMAILS_PER_DAY = 110;
  expect(transactionsIn(await statementsOf(() => queueRosterNotices(named)))).toBe(3);
  expect(await notices()).toBe(110);
});

test('a player who is named later gets a notice', async () => {
  const { named, notices } = await makeRoster(4);
  await queueRosterNotices(named.slice(1));
  expect(await notices()).toBe(3);
  await queueRosterNotices(named);
  expect(await notices()).toBe(4);
});

test('notices take the turn of the block of the captain who named the players, and the project that of its staff', async () => {
  const { project } = await makeProject();
  await db.project.update({ where: { id: project.id }, data: { createdFrom: 'organizer' } });
  const rosters = await Promise.all(['one', 'one', null].map((block) => makeRoster(2, project.id, block)));
  for (const { named } of rosters) await queueRosterNotices(named);
  const turns = await Promise.all(rosters.map((roster) => roster.turns()));
  expect(turns).toEqual(['by one', 'by one', 'by unknown'].map((turn) => [turn, turn]));
  const staff = await makeMember(project.id, 'ADMIN');
  const { named, turns: turnsOfStaff } = await makeRoster(2, project.id);
  await queueRosterNotices(named.map((one, index) => ({ ...one, namedById: index > 0 ? staff.id : null })));
  expect(await turnsOfStaff()).toEqual(['organizer', 'organizer']);
});

test('whoever names hundreds of players in cups of an organizer keeps none of their emails waiting', async () => {
  await db.outgoingMail.deleteMany();
  const { project } = await makeProject();
  for (let captain = 0; captain < 6; captain += 1)
    await queueRosterNotices((await makeRoster(40, project.id, 'crowd')).named);
  const registration = {
    ...{ to: 'player@small.test', kind: 'participant.registered', email: rosterNoticeEmail('usr_player') },
    ...{ sourceId: project.id, asked: true, dedupeKey: null },
  };
  await db.$transaction((tx) => queueEmailsOnce(tx, [registration]));
  // Nothing is known of the domains, and two emails can be sent there that others cause.
  const unknown = { prompt: [], asked: 2, caused: 2 };
  const claimed = await claimEmails({ free: 10, asked: 5, caused: 8, each: 4, underWay: {}, unknown });
  expect(claimed.map(({ kind }) => kind)).toContain('participant.registered');
});

test('an email that several cause needs room for each of them, and leaves alone what it does not get', async () => {
  env.STRANGER_EMAILS_PER_DAY = 2;
  const [first, second, third] = [newId('usr'), newId('prj'), newId('usr')];
  const admit = (causes: string[][]) => db.$transaction((tx) => admitStrangerEmails(tx, causes));
  expect(await admit([[first], [first, second], [first], [second], []])).toEqual([true, true, false, true, true]);
  expect(await admit([[second, third], [third]])).toEqual([false, true]);
  expect(await admit([[third], [third]])).toEqual([true, false]);
});
