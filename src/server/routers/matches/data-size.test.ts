import { afterAll, expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { closeDatabase, db } from '@/server/db';
import { makeProject, makeTournament } from '@/test/factories';
import { statementsOf } from '@/test/statements';
import { turnOfLarge } from './data-size';

afterAll(() => closeDatabase());

test('what can be no id is neither looked up nor remembered', async () => {
  const texts = await statementsOf(async () => {
    for (const text of ['', 'a\0b', 'x'.repeat(60_000), '中'.repeat(1_000), `match ${newId('mat')}`]) {
      expect(await turnOfLarge({ tournamentId: text }, 'read')).toBeNull();
      expect(await turnOfLarge({ matchId: text }, 'read')).toBeNull();
    }
  });
  expect(texts).toEqual([]);
});

test('what can be one is looked up once in a while', async () => {
  const texts = await statementsOf(async () => {
    for (const tournamentId of [newId('trn'), `cup-${newId('trn').toLowerCase()}`.slice(0, 60)]) {
      expect(await turnOfLarge({ tournamentId }, 'read')).toBeNull();
      expect(await turnOfLarge({ tournamentId }, 'read')).toBeNull();
    }
  });
  expect(texts).toHaveLength(2);
});

test('who changes a large draw does not wait behind those who read it', async () => {
  const { project } = await makeProject();
  const { id, slug } = await makeTournament(project.id, { maxParticipants: 512 });
  await db.tournament.update({ where: { id }, data: { currentParticipants: 300 } });
  const [reader, organizer] = [
    (await turnOfLarge({ tournamentId: slug }, 'read'))?.owner,
    (await turnOfLarge({ tournamentId: id }, 'change'))?.owner,
  ];
  expect([reader, organizer]).toEqual([expect.stringContaining(project.id), expect.stringContaining(project.id)]);
  expect(reader).not.toBe(organizer);
});

test('a tournament that has just grown is large for who changes it', async () => {
  const { project } = await makeProject();
  const { id } = await makeTournament(project.id, { maxParticipants: 512, format: 'round_robin' });
  expect(await turnOfLarge({ tournamentId: id }, 'read')).toBeNull();
  expect(await turnOfLarge({ tournamentId: id }, 'change')).toBeNull();
  await db.tournament.update({ where: { id }, data: { currentParticipants: 110 } });
  expect((await turnOfLarge({ tournamentId: id }, 'change'))?.owner).toContain(project.id);
});

test('so it is for who only looks at a draw that has to be made for it', async () => {
  const { project } = await makeProject();
  const { id } = await makeTournament(project.id, { maxParticipants: 512, format: 'round_robin' });
  expect(await turnOfLarge({ tournamentId: id }, 'read')).toBeNull();
  await db.tournament.update({ where: { id }, data: { currentParticipants: 110 } });
  expect((await turnOfLarge({ tournamentId: id }, 'read', { afresh: true }))?.owner).toContain(project.id);
});

test.each([
  ['single_elimination', 1_024, false],
  ['double_elimination', 1_024, false],
  ['swiss', 1_024, false],
  ['round_robin', 64, false],
  ['round_robin', 65, true],
  ['groups_to_knockout', 111, true],
] as const)('a draw takes long from 2,049 matches on: %s with %i', async (format, count, isLong) => {
  const { project } = await makeProject();
  const { id } = await makeTournament(project.id, { maxParticipants: 1_024, format });
  await db.tournament.update({ where: { id }, data: { currentParticipants: count } });
  expect(await turnOfLarge({ tournamentId: id }, 'change')).toMatchObject({ isLong });
});
