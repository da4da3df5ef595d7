import fc from 'fast-check';
import { expect, test } from 'vitest';
import { env } from '@/env';
import type { TournamentUncheckedCreateInput } from '@/generated/prisma/models';
import { db } from '@/server/db';
import {
  type Cup,
  countEvents,
  makeCup,
  playOut,
  readMatches,
  startCup,
} from '@/server/routers/matches/matches.fixture';
import type { StandingsOutput } from '@/server/routers/matches/schema';
import type { TournamentDetail } from '@/server/routers/tournaments/schema';
import { makeMember, makeParticipants, makeProject, makeTournament } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import type { LaurelFile } from './schema';

const api = setupTestServer();

async function exportOf(tournamentId: string, bearer: string) {
  const answer = await api.get<LaurelFile>(`/tournaments/${tournamentId}/export`, { bearer });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

/** The settings of a file as those of a draft. */
const draftOf = ({ tournament }: LaurelFile) => ({
  ...tournament,
  status: 'DRAFT',
  publishedAt: null,
  startedAt: null,
});

async function makeImporter() {
  const { project, owner } = await makeProject();
  const organizer = await makeMember(project.id, 'ORGANIZER');
  const importFile = (body: unknown, bearer = organizer.bearer) =>
    api.post<TournamentDetail & { error?: { issues?: { path: string; message: string }[] } }>(
      `/projects/${project.id}/tournaments/import`,
      { bearer, body },
    );
  return { project, owner, organizer, importFile };
}

/** The file of a tournament, and of what it becomes when it is imported elsewhere. */
async function roundTrip(cup: Pick<Cup, 'tournamentId' | 'organizer'>) {
  const first = await exportOf(cup.tournamentId, cup.organizer.bearer);
  const { importFile, organizer, project } = await makeImporter();
  const imported = await importFile(first);
  expect(imported.status, imported.text).toBe(201);
  return {
    first,
    second: await exportOf(imported.body.id, organizer.bearer),
    imported: imported.body,
    project,
    organizer,
  };
}

const formats: [string, number, Partial<TournamentUncheckedCreateInput>][] = [
  ['single elimination', 6, { formatOptions: { thirdPlace: true, bestOf: 3 } }],
  ['double elimination', 5, { format: 'double_elimination' }],
  ['round robin', 4, { format: 'round_robin' }],
  ['Swiss', 5, { format: 'swiss', formatOptions: { rounds: 3 } }],
  ['Swiss with playoffs', 6, { format: 'swiss', formatOptions: { rounds: 2, playoffs: 4 } }],
  ['groups to a knockout', 8, { format: 'groups_to_knockout', formatOptions: { groups: 2 } }],
  ['GSL groups', 8, { format: 'groups_to_knockout', formatOptions: { groups: 2, groupFormat: 'gsl' } }],
];

/** What happens to a tournament while it is played; a refused step changes nothing. */
const step = fc.record({
  kind: fc.constantFrom('win', 'win', 'win', 'forfeit', 'correct', 'report', 'schedule', 'start', 'disqualify'),
  at: fc.nat({ max: 30 }),
  slot: fc.constantFrom(0 as const, 1 as const),
});

async function take(cup: Cup, { kind, at, slot }: typeof step extends fc.Arbitrary<infer S> ? S : never) {
  const bearer = cup.moderator.bearer;
  if (kind === 'disqualify') {
    const id = cup.participantIds[at % cup.participantIds.length];
    await api.post(`/tournaments/${cup.tournamentId}/participants/${id}/disqualify`, {
      bearer,
      body: { reason: 'Cheating' },
    });
    return;
  }
  const matches = await readMatches(api, cup.tournamentId);
  const open = matches.filter(({ status }) => ['ready', 'scheduled', 'in_progress'].includes(status));
  const decided = matches.filter(({ decidedBy }) => decidedBy === 'result');
  const of = kind === 'correct' ? decided : open;
  const match = of[at % Math.max(1, of.length)];
  if (!match) return;
  const { participantId } = match.slots[slot];
  const games = Array.from({ length: Math.floor(match.bestOf / 2) + 1 }, () => ({
    scores: slot === 0 ? [13, 7] : [7, 13],
  }));
  const bodies = {
    win: ['resolve', { games }],
    correct: ['correct', { winnerId: participantId }],
    forfeit: ['forfeit', { participantIds: [participantId] }],
    schedule: ['reschedule', { scheduledAt: new Date(Date.UTC(2031, 1, 1, at)).toISOString() }],
    start: ['start', {}],
    report: ['report', { games }],
  } as const;
  const [action, body] = bodies[kind];
  const by = kind === 'report' ? await cup.bearerOf(participantId) : bearer;
  await api.post(`/matches/${match.id}/${action}`, { bearer: by, body });
}

test.each(formats)(
  'the export of an imported %s is the file itself, in play and completed',
  async (_name, count, data) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
        const cup = await startCup(api, count, data);
        for (const each of steps) await take(cup, each);
        const inPlay = await roundTrip(cup);
        expect(inPlay.second).toEqual(inPlay.first);
      }),
      { numRuns: 4 },
    );
    const cup = await startCup(api, count, data);
    await playOut(api, cup);
    const { first, second, imported } = await roundTrip(cup);
    expect(second).toEqual(first);
    expect(imported.status).toBe('COMPLETED');
    const standings = await api.get<StandingsOutput>(`/tournaments/${imported.id}/standings`);
    expect(standings.body.final.map(({ rank, name }) => [rank, name])).toEqual(
      first.standings.map(({ rank, participant }) => [
        rank,
        first.participants.find(({ id }) => id === participant)?.name,
      ]),
    );
  },
  180_000,
);

/** Reinstates everyone who is disqualified. @returns what the server said, by name */
async function reinstateAll(tournamentId: string, bearer: string) {
  const where = { tournamentId, status: 'disqualified' } as const;
  const answers: [name: string, status: number, reason: string | undefined][] = [];
  for (const { id, name } of await db.participant.findMany({ where, orderBy: { name: 'asc' } })) {
    const answer = await api.post(`/tournaments/${tournamentId}/participants/${id}/reinstate`, { bearer });
    answers.push([name, answer.status, answer.reason]);
  }
  return answers;
}

test('who was disqualified in a running tournament comes back in a copy as in the original', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...formats), fc.array(step, { maxLength: 8 }), async (format, steps) => {
      const cup = await startCup(api, format[1], format[2]);
      for (const each of steps) await take(cup, each);
      await take(cup, { kind: 'disqualify', at: 0, slot: 0 });
      const { imported, organizer } = await roundTrip(cup);
      const inOriginal = await reinstateAll(cup.tournamentId, cup.moderator.bearer);
      expect(inOriginal.length).toBeGreaterThan(0);
      expect(await reinstateAll(imported.id, organizer.bearer)).toEqual(inOriginal);
      const [original, copy] = [
        await exportOf(cup.tournamentId, cup.organizer.bearer),
        await exportOf(imported.id, organizer.bearer),
      ];
      expect(copy).toEqual(original);
    }),
    { numRuns: 8 },
  );
}, 120_000);

test('who was disqualified before the start comes back neither in a running tournament nor in a copy of it', async () => {
  const cup = await makeCup(3);
  const path = `/tournaments/${cup.tournamentId}`;
  const disqualify = `${path}/participants/${cup.participantIds[2]}/disqualify`;
  const body = { reason: 'Cheating' };
  expect((await api.post(disqualify, { bearer: cup.moderator.bearer, body })).status).toBe(200);
  expect((await api.post(`${path}/start`, { bearer: cup.organizer.bearer })).status).toBe(200);
  const { imported, organizer } = await roundTrip(cup);
  const refused = [['Player 3', 409, 'INVALID_STATE']];
  expect(await reinstateAll(cup.tournamentId, cup.moderator.bearer)).toEqual(refused);
  expect(await reinstateAll(imported.id, organizer.bearer)).toEqual(refused);
});

test('a copy of a tournament in which lots decide has the same champion', async () => {
  const formatOptions = { tiebreakers: ['points', 'random'] };
  const cup = await startCup(api, 4, { format: 'round_robin', formatOptions });
  for (const { id } of await readMatches(api, cup.tournamentId)) {
    const body = { games: [{ scores: [1, 1] }] };
    expect((await api.post(`/matches/${id}/resolve`, { bearer: cup.moderator.bearer, body })).status).toBe(200);
  }
  for (let copies = 0; copies < 4; copies += 1) {
    const { first, second } = await roundTrip(cup);
    expect(second.standings).toEqual(first.standings);
  }
});

test('in a copy of a Swiss, undoing a correction brings the later rounds back', async () => {
  const cup = await startCup(api, 8, { format: 'swiss', formatOptions: { rounds: 3 } });
  await playOut(api, cup);
  const { second: before, imported, organizer } = await roundTrip(cup);
  const [match] = await readMatches(api, imported.id);
  const { bearer } = organizer;
  const winnerId = match?.slots.find(({ participantId }) => participantId !== match.winnerId)?.participantId;
  const corrected = await api.post(`/matches/${match?.id}/correct`, { bearer, body: { winnerId } });
  expect(corrected.status, corrected.text).toBe(200);
  const undone = await api.post(`/matches/${match?.id}/correct/undo`, { bearer, body: {} });
  expect(undone.status, undone.text).toBe(200);
  const played = ({ bracket, standings }: LaurelFile) => [
    bracket?.matches.map(({ number, participants, winner }) => [number, participants, winner]),
    standings,
  ];
  expect(played(await exportOf(imported.id, bearer))).toEqual(played(before));
});

test('a file has a lot for each participant, or none', async () => {
  const cup = await startCup(api, 4, { format: 'round_robin' });
  const { importFile } = await makeImporter();
  const { bracket, ...file } = await exportOf(cup.tournamentId, cup.organizer.bearer);
  const refused = await importFile({ ...file, bracket: { ...bracket, lots: ['one'] } });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('a lot for each participant')]);
  const { lots: _lots, ...older } = bracket ?? {};
  expect((await importFile({ ...file, bracket: older })).status).toBe(201);
});

test('a file has the ties that a ruling was for, and no others', async () => {
  const cup = await startCup(api, 3, { format: 'round_robin' });
  const bearer = cup.moderator.bearer;
  for (const { id, slots } of await readMatches(api, cup.tournamentId)) {
    const [a, b] = slots;
    const winnerId = ((b.seed ?? 0) - (a.seed ?? 0) + 3) % 3 === 1 ? a.participantId : b.participantId;
    expect((await api.post(`/matches/${id}/resolve`, { bearer, body: { winnerId } })).status).toBe(200);
  }
  const path = `/tournaments/${cup.tournamentId}`;
  const stageId = (await api.get<StandingsOutput>(`${path}/standings`)).body.stages[0]?.id;
  const body = { order: cup.participantIds.toReversed(), reason: 'By lot' };
  expect((await api.put(`${path}/stages/${stageId}/groups/1/ruling`, { bearer, body })).status).toBe(200);
  const { first, second } = await roundTrip(cup);
  expect(second).toEqual(first);
  const ruling = first.bracket?.stages[0]?.groups[0]?.ruling;
  expect(ruling?.ties?.map((tie) => tie.toSorted())).toEqual([ruling?.order.toSorted()]);
  const { importFile } = await makeImporter();
  Object.assign(ruling ?? {}, { ties: [ruling?.order.slice(1)] });
  expect((await importFile(first)).reason).toBe('VALIDATION_FAILED');
  // As files were written before they had them.
  Object.assign(ruling ?? {}, { ties: undefined });
  expect((await importFile(first)).status).toBe(201);
});

test('drafts, waitlists and rosters survive, and nobody has an account', async () => {
  const cup = await makeCup(3, { teamSize: 2, rosterMin: 2, rosterMax: 3, waitlistEnabled: true, maxParticipants: 3 });
  const [team = '', second = '', third = ''] = cup.participantIds;
  await db.rosterMember.createMany({
    data: [
      { participantId: team, tournamentId: cup.tournamentId, userId: cup.stranger.id, role: 'captain' },
      { participantId: team, tournamentId: cup.tournamentId, userId: null, name: 'Guest', role: 'player' },
    ],
  });
  await db.participant.update({ where: { id: second }, data: { registrationStatus: 'pending', seed: null } });
  await db.participant.update({ where: { id: third }, data: { registrationStatus: 'cancelled', seed: null } });
  await db.tournament.update({ where: { id: cup.tournamentId }, data: { currentParticipants: 1 } });
  const { first, second: again, imported, organizer } = await roundTrip(cup);
  expect(again).toEqual(first);
  expect(first.bracket).toBeNull();
  expect(first.participants).toHaveLength(2);
  expect(imported).toMatchObject({ status: 'PUBLISHED', currentParticipants: 1 });
  expect(JSON.stringify(first)).not.toMatch(/players\.test|usr_|prt_|trn_/);
  const rows = await db.participant.findMany({ where: { tournamentId: imported.id }, include: { roster: true } });
  expect(rows.every(({ userId, roster }) => userId === null && roster.every((member) => member.userId === null))).toBe(
    true,
  );
  const audits = await db.auditEntry.findMany({ where: { targetId: imported.id } });
  expect(audits).toMatchObject([{ action: 'tournament.import', actorId: organizer.id }]);
});

test('of the reports of an import, silence confirms one for each participant, and none of a cancelled one', async () => {
  const cup = await startCup(api, 5, { format: 'round_robin' });
  const file = await exportOf(cup.tournamentId, cup.organizer.bearer);
  for (const match of file.bracket?.matches ?? []) {
    const [by, reportedAt] = [match.participants?.[0] ?? '', '2031-01-01T12:00:00.000Z'];
    Object.assign(match, {
      status: 'in_progress',
      report: { by, games: [{ scores: [13, 7] }], winner: by, reportedAt },
    });
  }
  const { importFile } = await makeImporter();
  for (const [status, confirmed] of [
    ['IN_PROGRESS', 5],
    ['CANCELLED', 0],
  ]) {
    const { body, text } = await importFile({ ...file, tournament: { ...file.tournament, status } });
    expect(body.status, text).toBe(status);
    const where = { tournamentId: body.id };
    expect(await db.match.count({ where: { ...where, status: 'in_progress' } })).toBe(10);
    expect(await db.match.count({ where: { ...where, confirmBy: { not: null } } })).toBe(confirmed);
  }
});

test('an imported tournament is played to its end, and writes its own events only', async () => {
  const cup = await startCup(api, 4);
  const { imported, project, organizer } = await roundTrip(cup);
  expect(await countEvents(project.id)).toEqual({ 'tournament.created': 1 });
  expect(imported.slug).not.toBe(cup.tournamentId);
  await playOut(api, { tournamentId: imported.id, moderator: organizer });
  expect((await api.get(`/tournaments/${imported.id}`)).body).toMatchObject({ status: 'COMPLETED' });
  expect(await countEvents(project.id)).toMatchObject({ 'match.completed': 3, 'tournament.completed': 1 });
});

test('only organizers import, and moderators and up export', async () => {
  const cup = await startCup(api, 2);
  const file = await exportOf(cup.tournamentId, cup.moderator.bearer);
  const { importFile, project } = await makeImporter();
  const moderator = await makeMember(project.id, 'MODERATOR');
  expect((await importFile(file, moderator.bearer)).status).toBe(403);
  expect((await importFile(file, cup.organizer.bearer)).status).toBe(404);
  const read = (bearer?: string) => api.get(`/tournaments/${cup.tournamentId}/export`, { bearer });
  expect([(await read()).status, (await read(cup.stranger.bearer)).status]).toEqual([401, 403]);
  expect(await db.tournament.count({ where: { projectId: project.id } })).toBe(0);
});

test('more can have a slot before the start than can play', async () => {
  const { importFile, project, organizer } = await makeImporter();
  const tournament = await makeTournament(project.id, { maxParticipants: 2_000 });
  await makeParticipants(tournament, 1_100);
  const file = await exportOf(tournament.id, organizer.bearer);
  expect(file.participants).toHaveLength(1_100);
  const { body } = await importFile(file);
  expect(await db.tournament.findUnique({ where: { id: body.id } })).toMatchObject({ currentParticipants: 1_100 });
});

test('a file has not more people than can be read at once', async () => {
  const { project, organizer } = await makeImporter();
  const tournament = await makeTournament(project.id, { maxParticipants: 2_000 });
  await makeParticipants(tournament, 20_001, { registrationStatus: 'pending' });
  const refused = await api.get(`/tournaments/${tournament.id}/export`, { bearer: organizer.bearer });
  expect([refused.status, refused.reason]).toEqual([409, 'INVALID_STATE']);
});

test('everybody in a file counts as a guest that the project adds', async () => {
  const cup = await startCup(api, 4);
  const file = await exportOf(cup.tournamentId, cup.organizer.bearer);
  const { importFile, project } = await makeImporter();
  const limit = env.GUESTS_PER_PROJECT_PER_DAY;
  env.GUESTS_PER_PROJECT_PER_DAY = 9;
  try {
    const answers = await Promise.all([importFile(file), importFile(file), importFile(file)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 429]);
    expect(answers.find(({ status }) => status === 429)?.reason).toBe('QUOTA_EXCEEDED');
    expect((await importFile({ ...file, participants: [], bracket: null, tournament: draftOf(file) })).status).toBe(
      201,
    );
    expect(await db.participant.count({ where: { tournament: { projectId: project.id } } })).toBe(8);
  } finally {
    env.GUESTS_PER_PROJECT_PER_DAY = limit;
  }
});

test('exports as brackets-manager once there is a bracket', async () => {
  const cup = await makeCup(4);
  const path = `/tournaments/${cup.tournamentId}/export?format=brackets-manager`;
  const bearer = cup.organizer.bearer;
  expect((await api.get(path, { bearer })).reason).toBe('BRACKET_NOT_AVAILABLE');
  await api.post(`/tournaments/${cup.tournamentId}/start`, { bearer });
  const answer = await api.get<{ match: unknown[]; participant: { name: string }[] }>(path, { bearer });
  expect(answer.body.match).toHaveLength(3);
  expect(answer.body.participant.map(({ name }) => name)).toEqual(['Player 1', 'Player 2', 'Player 3', 'Player 4']);
});

test('a file for brackets-manager has so many games at most', async () => {
  const cup = await startCup(api, 46, { format: 'round_robin' });
  const bearer = cup.organizer.bearer;
  const exported = () =>
    api.get<{ match_game: unknown[] }>(`/tournaments/${cup.tournamentId}/export?format=brackets-manager`, { bearer });
  await db.match.updateMany({ where: { tournamentId: cup.tournamentId, number: { lte: 10 } }, data: { bestOf: 99 } });
  expect((await exported()).body.match_game).toHaveLength(990);
  // 1,035 matches.
  await db.match.updateMany({ where: { tournamentId: cup.tournamentId }, data: { bestOf: 99 } });
  const refused = await exported();
  expect([refused.status, refused.reason]).toEqual([409, 'INVALID_STATE']);
  expect((await exportOf(cup.tournamentId, bearer)).bracket?.matches).toHaveLength(1_035);
});
