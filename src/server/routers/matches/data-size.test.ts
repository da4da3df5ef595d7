import { expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { db } from '@/server/db';
import { makeParticipants, makeProject, makeTournament } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { statementsOf } from '@/test/statements';
import { extentOf, findLarge } from './data-size';
import { startCup } from './matches.fixture';

const api = setupTestServer();

test('what can be no id is neither looked up nor remembered', async () => {
  const texts = await statementsOf(async () => {
    for (const text of ['', 'a\0b', 'x'.repeat(60_000), '中'.repeat(1_000), `match ${newId('mat')}`]) {
      expect(await findLarge({ tournamentId: text }, 'read')).toBeNull();
      expect(await findLarge({ matchId: text }, 'read')).toBeNull();
    }
  });
  expect(texts).toEqual([]);
});

test('what can be one is looked up once in a while', async () => {
  const texts = await statementsOf(async () => {
    for (const tournamentId of [newId('trn'), `cup-${newId('trn').toLowerCase()}`.slice(0, 60)]) {
      expect(await findLarge({ tournamentId }, 'read')).toBeNull();
      expect(await findLarge({ tournamentId }, 'read')).toBeNull();
    }
  });
  expect(texts).toHaveLength(2);
});

test('who changes a large draw does not wait behind those who read it', async () => {
  const { project } = await makeProject();
  const { id, slug } = await makeTournament(project.id, { maxParticipants: 512 });
  await db.tournament.update({ where: { id }, data: { currentParticipants: 300 } });
  const [reader, organizer] = [
    await findLarge({ tournamentId: slug }, 'read'),
    await findLarge({ tournamentId: id }, 'change'),
  ];
  const ofProject = {
    ...{ tournamentId: id, owner: expect.stringContaining(project.id), isLong: false },
    account: project.id,
  };
  expect([reader, organizer]).toEqual([ofProject, ofProject]);
  expect(reader?.owner).not.toBe(organizer?.owner);
});

test('a tournament that has just grown is large for who changes it', async () => {
  const { project } = await makeProject();
  const { id } = await makeTournament(project.id, { maxParticipants: 512, format: 'round_robin' });
  expect(await findLarge({ tournamentId: id }, 'read')).toBeNull();
  expect(await findLarge({ tournamentId: id }, 'change')).toBeNull();
  await db.tournament.update({ where: { id }, data: { currentParticipants: 110 } });
  expect(await findLarge({ tournamentId: id }, 'change')).toMatchObject({ isLong: true });
});

test('a large one that has grown is long for who changes it', async () => {
  const { project } = await makeProject();
  const { id } = await makeTournament(project.id, { maxParticipants: 512, format: 'round_robin' });
  await db.tournament.update({ where: { id }, data: { currentParticipants: 24 } });
  expect(await findLarge({ tournamentId: id }, 'change')).toMatchObject({ isLong: false });
  await db.tournament.update({ where: { id }, data: { currentParticipants: 110 } });
  expect(await findLarge({ tournamentId: id }, 'change')).toMatchObject({ isLong: true });
  expect(await findLarge({ tournamentId: id }, 'read')).toMatchObject({ isLong: 'at worst' });
});

test('a draw is as large as it has participants, though few have played and all have left', async () => {
  const { project } = await makeProject();
  const { id: tournamentId } = await makeTournament(project.id, { format: 'swiss', maxParticipants: 512 });
  const participantIds = Array.from({ length: 300 }, () => newId('prt'));
  await db.bracket.create({ data: { tournamentId, format: 'swiss', options: {}, randomSeed: 'x', participantIds } });
  expect(await findLarge({ tournamentId }, 'read')).toMatchObject({ isLong: false });
});

test('matches with many games count as many, and ordinary ones do not', async () => {
  const size = async (games: number) => {
    const { tournamentId } = await startCup(api, 20, { format: 'round_robin', formatOptions: { bestOf: 99 } });
    const played = Array.from({ length: games }, (_, at) => ({ scores: [at % 2, 1], winner: null }));
    await db.match.updateMany({ where: { tournamentId, number: { lte: 200 } }, data: { games: played } });
    return findLarge({ tournamentId }, 'read');
  };
  expect(await size(4)).toBeNull();
  // 190 matches.
  expect(await size(5)).toMatchObject({ isLong: false });
  expect(await size(19)).toMatchObject({ isLong: 'at worst' });
  expect(await size(21)).toMatchObject({ isLong: 'at worst' });
});

test('to an export a match counts the games that it can have, played or not', async () => {
  const { tournamentId } = await startCup(api, 20, { format: 'round_robin' });
  const find = async (bestOf: number, wholeDraw: 'with rosters' | 'with rosters and games') => {
    await db.match.updateMany({ where: { tournamentId }, data: { bestOf } });
    return findLarge({ tournamentId }, 'read', { isHeavy: true, ...extentOf([{ wholeDraw }]) });
  };
  // 190 matches.
  expect(await find(99, 'with rosters')).toBeNull();
  expect(await find(3, 'with rosters and games')).toBeNull();
  expect(await find(5, 'with rosters and games')).toMatchObject({ isLong: false });
  expect(await find(99, 'with rosters and games')).toMatchObject({ isLong: true });
});

test('a draw that is worked out for many participants is as large as all of that', async () => {
  const { tournamentId } = await startCup(api, 20, { format: 'round_robin' });
  const find = (times?: number) => findLarge({ tournamentId }, 'change', { times });
  // 190 matches.
  expect([await find(), await find(5)]).toEqual([null, null]);
  expect(await find(6)).toMatchObject({ tournamentId, isLong: false });
});

test('to a correction a Swiss is as large as all its rounds have to be ranked again', async () => {
  const { tournamentId } = await startCup(api, 4, { format: 'swiss' });
  const participantIds = Array.from({ length: 122 }, () => newId('prt'));
  await db.bracket.update({ where: { tournamentId }, data: { participantIds } });
  const { id: matchId } = await db.match.findFirstOrThrow({ where: { tournamentId } });
  const find = async (rounds: number, isHeavy: boolean) => {
    await db.match.update({ where: { id: matchId }, data: { round: rounds } });
    return findLarge({ matchId }, 'change', { isHeavy });
  };
  expect(await find(100, false)).toBeNull();
  expect(await find(8, true)).toBeNull();
  expect(await find(9, true)).toMatchObject({ tournamentId, isLong: false });
  expect(await find(100, true)).toMatchObject({ tournamentId, isLong: false });
});

test.each([
  ['many rounds', 8, { rounds: 63 }, { isLong: false }],
  ['few', 8, { rounds: 62 }, null],
  ['many of many', 60, { rounds: 98 }, { isLong: true }],
  ['few with many games', 8, { rounds: 4, bestOf: 99 }, { isLong: false }],
  ['a round with many games', 8, { rounds: 4, bestOfOverrides: [{ bracket: 'group', bestOf: 99 }] }, { isLong: false }],
] as const)(
  'to an undo a Swiss is as large as it can become, however little is left of it: %s',
  async (_, count, formatOptions, large) => {
    const cup = await startCup(api, count, { format: 'swiss', formatOptions: structuredClone(formatOptions) });
    const { id: matchId } = await db.match.findFirstOrThrow({ where: { tournamentId: cup.tournamentId } });
    const find = (wholeDraw: true | 'with games and rounds') =>
      findLarge({ matchId }, 'change', { isHeavy: true, ...extentOf([{ wholeDraw }]) });
    expect(await find(true)).toBeNull();
    expect(await find('with games and rounds')).toEqual(large && expect.objectContaining(large));
  },
);

test('to an undo a match counts the games that it can have, as it may get them back', async () => {
  const { tournamentId } = await startCup(api, 20, { format: 'round_robin' });
  const find = async (bestOf: number) => {
    await db.match.updateMany({ where: { tournamentId }, data: { bestOf } });
    const of = extentOf([{ wholeDraw: 'with games and rounds' }]);
    return findLarge({ tournamentId }, 'change', { isHeavy: true, ...of });
  };
  // 190 matches.
  expect([await find(3), await find(99)]).toEqual([null, expect.objectContaining({ isLong: true })]);
});

test('what reads everybody on the rosters is as large as they are many, whether or not they have a slot', async () => {
  const { project } = await makeProject();
  const sizes = async (count: number) => {
    const tournament = await makeTournament(project.id, { maxParticipants: 512 });
    await makeParticipants(tournament, count, { registrationStatus: 'pending' });
    const find = (withRosters: boolean) => findLarge({ tournamentId: tournament.id }, 'read', { withRosters });
    return [await find(false), await find(true)];
  };
  expect(await sizes(500)).toEqual([null, null]);
  expect(await sizes(600)).toEqual([null, expect.objectContaining({ isLong: false })]);
  expect(await sizes(6_000)).toEqual([null, expect.objectContaining({ isLong: true })]);
});

test('so it is for who only looks at a draw that has to be made for it', async () => {
  const { project } = await makeProject();
  const { id } = await makeTournament(project.id, { maxParticipants: 512, format: 'round_robin' });
  expect(await findLarge({ tournamentId: id }, 'read')).toBeNull();
  await db.tournament.update({ where: { id }, data: { currentParticipants: 110 } });
  expect(await findLarge({ tournamentId: id }, 'read', { isHeavy: true })).toMatchObject({ isLong: true });
});

test.each([
  ['everyone against everyone', 'round_robin', {}, 24, true],
  ['fewer', 'round_robin', {}, 22, false],
  ['fewer, twice', 'round_robin', { legs: 2 }, 17, true],
  ['everyone in groups', 'groups_to_knockout', { groups: 8 }, 64, true],
  ['small groups', 'groups_to_knockout', { groups: 8 }, 32, false],
  ['two brackets', 'double_elimination', {}, 129, true],
  ['one bracket', 'single_elimination', {}, 129, false],
  ['many rounds', 'swiss', { rounds: 8 }, 64, true],
] as const)(
  'before the start a draw is as large as it can become: %s',
  async (_, format, formatOptions, count, isLarge) => {
    const { project } = await makeProject();
    const { id } = await makeTournament(project.id, { maxParticipants: 512, format, formatOptions });
    await db.tournament.update({ where: { id }, data: { currentParticipants: count } });
    expect((await findLarge({ tournamentId: id }, 'read')) !== null).toBe(isLarge);
  },
);
