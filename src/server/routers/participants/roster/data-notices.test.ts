import { afterEach, expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { env } from '@/env';
import { db } from '@/server/db';
import { admitStrangerEmails } from '@/server/limits/stranger-emails';
import { queueRosterNotices } from '@/server/routers/participants/roster/data-notices';
import { makeUser } from '@/test/factories';
import { statementsOf } from '@/test/statements';

const defaults = { ...env };
afterEach(() => void Object.assign(env, defaults));

/** A roster of strangers whom a captain has named. */
async function makeRoster(count: number, projectId = newId('prj')) {
  const [captain, ...players] = await Promise.all(Array.from({ length: count + 1 }, () => makeUser()));
  const tournamentId = newId('trn');
  const named = players.map(({ id: userId }) => ({
    ...{ userId, tournamentId, projectId, namedById: captain?.id ?? null },
  }));
  const where = { kind: 'roster_notice', recipient: { in: players.map(({ email }) => email) } };
  return { named, notices: () => db.outgoingMail.count({ where }) };
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

test('an email that several cause needs room for each of them, and leaves alone what it does not get', async () => {
  env.STRANGER_EMAILS_PER_DAY = 2;
  const [first, second, third] = [newId('usr'), newId('prj'), newId('usr')];
  const admit = (causes: string[][]) => db.$transaction((tx) => admitStrangerEmails(tx, causes));
  expect(await admit([[first], [first, second], [first], [second], []])).toEqual([true, true, false, true, true]);
  expect(await admit([[second, third], [third]])).toEqual([false, true]);
  expect(await admit([[third], [third]])).toEqual([true, false]);
});
