import { expect, test } from 'vitest';
import { makeMember, makeProject } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { watchWorkerTurns } from '@/test/thread';

const api = setupTestServer();
const startDate = '2031-05-17T18:00:00.000Z';

type Named = { id: string; name: string };
const named = (count: number): Named[] => Array.from({ length: count }, (_, at) => ({ id: `${at}`, name: `P ${at}` }));

function fileOf(participants: Named[], tournament: object = {}, bracket: object | null = null) {
  return {
    ...{ format: 'laurel', version: 1, participants, bracket },
    tournament: { name: 'Cup', game: 'cs2', maxParticipants: 512, startDate, ...tournament },
  };
}

/** What imports a file over both transports, and tells in which thread each time; no thread is there to do it. */
async function makeImporter() {
  const turns = watchWorkerTurns();
  const { project } = await makeProject();
  const { bearer } = await makeMember(project.id, 'ORGANIZER');
  return async (file: object) => {
    const rest = await api.post(`/projects/${project.id}/tournaments/import`, { bearer, body: file });
    const body = { 0: { json: { ...file, projectId: project.id } } };
    const trpc = await api.call('POST', '/api/trpc/matches.importFile?batch=1', { bearer, body });
    expect([rest.status, trpc.status]).toEqual([503, 503]);
    return turns.splice(0).map(({ isLong }) => isLong);
  };
}

const quick = [false, false];
const slow = [true, true];

test('a file of few matches does not wait behind those of thousands', async () => {
  const turnsOf = await makeImporter();
  expect(await turnsOf(fileOf(named(16)))).toEqual(quick);
  expect(await turnsOf(fileOf(named(512), { format: 'double_elimination' }))).toEqual(quick);
  expect(await turnsOf(fileOf(named(76), { format: 'round_robin' }))).toEqual(quick);
});

test('a few kilobytes that make thousands of matches take long', async () => {
  const turnsOf = await makeImporter();
  expect(await turnsOf(fileOf(named(80), { format: 'round_robin' }))).toEqual(slow);
  expect(await turnsOf(fileOf(named(60), { format: 'round_robin', formatOptions: { legs: 2 } }))).toEqual(slow);
  expect(await turnsOf(fileOf(named(64), { format: 'swiss', formatOptions: { rounds: 100 } }))).toEqual(slow);
  const players = named(80).map(({ id }) => id);
  const hidden = { randomSeed: 'x', participants: players, matches: [], stages: [] };
  expect(await turnsOf(fileOf([], { format: 'round_robin' }, hidden))).toEqual(slow);
});

test('so do matches that a file lists, and one of many bytes', async () => {
  const turnsOf = await makeImporter();
  const matches = Array.from({ length: 3_000 }, () => ({}));
  expect(await turnsOf(fileOf(named(2), {}, { participants: [], matches }))).toEqual(slow);
  expect(await turnsOf(fileOf(named(2), { description: 'x'.repeat(128 * 1024) }))).toEqual(slow);
});

test('what is wrong with a file is said soon where it is short', async () => {
  const turnsOf = await makeImporter();
  for (const formatOptions of [{ groups: 1e9 }, { rounds: -1 }, { groups: 'many' }]) {
    expect(await turnsOf(fileOf(named(16), { format: 'groups_to_knockout', formatOptions }))).toEqual(quick);
    expect(await turnsOf(fileOf(named(600), { format: 'groups_to_knockout', formatOptions }))).toEqual(slow);
  }
});
