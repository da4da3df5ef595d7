import '@/test/store';
import { afterEach, expect, test } from 'vitest';
import { env } from '@/env';
import { db } from '@/server/db';
import { usedOfRates } from '@/server/limits/used-rates';
import { makeCup, readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import { makeApiKey, makeUser } from '@/test/factories';
import { type ApiResponse, setupTestServer } from '@/test/server';
import { statementsOf } from '@/test/statements';
import { hostTeam, hostTournament } from '@/test/tournaments';

const api = setupTestServer();
const defaults = { ...env };
afterEach(() => void Object.assign(env, defaults));

type Variable = Exclude<keyof typeof env, 'LAUREL_DATA_DIR'>;

const written =
  /(INSERT INTO|UPDATE|DELETE FROM)\s+("public"\.)?"?(project|member|tournament|participant|roster_member|bracket|match|match_message|domain_event|audit_entry|anti_cheat_client|anti_cheat_session|media_file|webhook_delivery)\b/;

/** Expects a quota of nothing to refuse what `send` asks for before any row is written. */
async function expectNothingWritten(
  variable: Variable,
  send: () => Promise<Pick<ApiResponse<unknown>, 'status' | 'reason'>>,
): Promise<void> {
  Object.assign(env, defaults, { [variable]: 0 });
  let refused: unknown;
  const statements = await statementsOf(async () => {
    const { status, reason } = await send();
    refused = [status, reason];
  });
  Object.assign(env, defaults);
  expect([variable, refused]).toEqual([variable, [429, 'QUOTA_EXCEEDED']]);
  expect(statements.some((text) => text.includes('rate_limit_take'))).toBe(true);
  expect([variable, statements.filter((text) => written.test(text))]).toEqual([variable, []]);
}

const guests = Array.from({ length: 25 }, (_, at) => ({ name: `Guest ${at}`, roster: [{ name: 'Ann' }] }));

test('guests whom a quota refuses are not written first', async () => {
  const cup = await hostTournament(api, { maxParticipants: 64, teamSize: 2, rosterMin: 1, rosterMax: 2 });
  const send = () =>
    api.post(`${cup.path}/participants`, { bearer: cup.organizer.bearer, body: { participants: guests } });
  await expectNothingWritten('GUESTS_PER_PROJECT_PER_DAY', send);
  await expectNothingWritten('BULK_EVENTS_PER_PROJECT_PER_DAY', send);
  expect((await send()).status).toBe(201);
});

test('changes of many participants that a quota refuses are not written first', async () => {
  const cup = await makeCup(25, { maxParticipants: 50 });
  const { tournamentId, participantIds, organizer } = cup;
  const { bearer } = organizer;
  const act = (action: 'check_in' | 'waitlist') => async () => {
    const input = { tournamentId, action, participantIds };
    const error: unknown = await api
      .trpc(bearer)
      .participants.bulk.mutate(input)
      .catch((thrown: unknown) => thrown);
    const { httpStatus = 200, reason } =
      (error as { data?: { httpStatus: number; reason: string } }).data ??
      ({} as { httpStatus?: number; reason?: string });
    return { status: httpStatus, reason };
  };
  const start = () => api.post(`/tournaments/${tournamentId}/start`, { bearer });
  const raise = () => api.patch(`/tournaments/${tournamentId}`, { bearer, body: { maxParticipants: 100 } });
  for (const send of [act('check_in'), act('waitlist'), start])
    await expectNothingWritten('BULK_EVENTS_PER_PROJECT_PER_DAY', send);
  expect((await act('waitlist')()).status).toBe(200);
  await expectNothingWritten('BULK_EVENTS_PER_PROJECT_PER_DAY', raise);
  expect((await raise()).status).toBe(200);
  expect(await db.participant.count({ where: { tournamentId, registrationStatus: 'approved' } })).toBe(25);
  expect((await start()).status).toBe(200);
  await expectNothingWritten('BULK_EVENTS_PER_PROJECT_PER_DAY', () =>
    api.post(`/tournaments/${tournamentId}/draw`, { bearer }),
  );
});

test('whom a removal of many lets move up counts before anything is written', async () => {
  const cup = await makeCup(40, { maxParticipants: 15 });
  const { tournamentId, participantIds, organizer } = cup;
  const [removed, waiting] = [participantIds.slice(0, 15), participantIds.slice(15)];
  await db.participant.updateMany({
    where: { id: { in: waiting } },
    data: { registrationStatus: 'waitlisted', seed: null },
  });
  await db.$executeRaw`
    UPDATE "participant" SET "waitlistOrder" = nextval('participant_waitlist_order') WHERE "id" = ANY(${waiting})`;
  await db.tournament.update({ where: { id: tournamentId }, data: { currentParticipants: 15 } });
  const remove = () =>
    api.trpc(organizer.bearer).participants.bulk.mutate({ tournamentId, action: 'waitlist', participantIds: removed });
  env.BULK_EVENTS_PER_PROJECT_PER_DAY = 29;
  await expect(remove()).rejects.toMatchObject({ data: { reason: 'QUOTA_EXCEEDED' } });
  env.BULK_EVENTS_PER_PROJECT_PER_DAY = 30;
  expect((await remove()).done).toHaveLength(15);
  expect(await db.participant.count({ where: { id: { in: waiting }, registrationStatus: 'approved' } })).toBe(15);
});

test('the matches that participants forfeit by leaving count before anything is written', async () => {
  const cup = await startCup(api, 12, { format: 'round_robin' });
  const { tournamentId, participantIds, project } = cup;
  const used = async () => (await usedOfRates(db, 'project', project.id)).bulkEvents ?? 0;
  const before = await used();
  const disqualify = async (ids: string[]) => {
    const input = { tournamentId, action: 'disqualify' as const, participantIds: ids, reason: 'Cheated.' };
    const call = api.trpc(cup.moderator.bearer).participants.bulk.mutate(input);
    return call.then(
      ({ done }) => ({ status: 200, reason: `${done.length} done` }),
      ({ data }: { data: { httpStatus: number; reason: string } }) => ({
        status: data.httpStatus,
        reason: data.reason,
      }),
    );
  };
  await expectNothingWritten('BULK_EVENTS_PER_PROJECT_PER_DAY', () => disqualify(participantIds.slice(0, 3)));
  expect(await disqualify(participantIds.slice(0, 3))).toEqual({ status: 200, reason: '3 done' });
  const forfeits = await db.domainEvent.count({ where: { projectId: project.id, type: 'match.forfeited' } });
  expect(forfeits).toBe(11 + 10 + 9);
  expect((await used()) - before).toBe(3 + forfeits);
});

test('the forfeits that several who return take back count together, however few are of each', async () => {
  const cup = await startCup(api, 8, { format: 'round_robin' });
  const { tournamentId, participantIds, project } = cup;
  const used = async () => (await usedOfRates(db, 'project', project.id)).bulkEvents ?? 0;
  const ids = participantIds.slice(0, 4);
  const act = (action: 'disqualify' | 'reinstate') =>
    api.trpc(cup.moderator.bearer).participants.bulk.mutate({
      ...{ tournamentId, action, participantIds: ids },
      ...(action === 'disqualify' ? { reason: 'Cheated.' } : {}),
    });
  const corrected = () => db.domainEvent.count({ where: { projectId: project.id, type: 'match.result_corrected' } });
  await act('disqualify');
  const before = await used();
  env.BULK_EVENTS_PER_PROJECT_PER_DAY = before;
  await expect(act('reinstate')).rejects.toMatchObject({ data: { reason: 'QUOTA_EXCEEDED' } });
  expect([await used(), await corrected()]).toEqual([before, 0]);
  Object.assign(env, defaults);
  expect((await act('reinstate')).done).toEqual(ids);
  expect([(await used()) - before, await corrected()]).toEqual([22, 22]);
});

test('what else a quota refuses is not written first', async () => {
  const cup = await startCup(api, 4);
  const [match] = await readMatches(api, cup.tournamentId);
  const { id: projectId } = cup.project;
  const { bearer } = cup.owner;
  const { key } = await makeApiKey(projectId);
  const user = await makeUser();
  await db.user.update({ where: { id: user.id }, data: { emailVerifiedAt: new Date() } });
  const team = await hostTeam(api);
  const image = { contentType: 'image/png', sizeBytes: 1_000, sha256: 'ab'.repeat(32) };
  const player = await cup.bearerOf(match?.slots[0].participantId);
  const opponent = await cup.bearerOf(match?.slots[1].participantId);
  const matchPath = `/matches/${match?.id}`;
  const reported = await api.post(`${matchPath}/report`, {
    bearer: player,
    body: { winnerId: match?.slots[0].participantId },
  });
  expect(reported.status, reported.text).toBe(200);
  const post = (path: string, as: Parameters<typeof api.post>[1]) => () => api.post(path, as);
  const requests: [Variable, () => Promise<ApiResponse<unknown>>][] = [
    ['PROJECTS_PER_USER_PER_DAY', post('/projects', { bearer: user.bearer, body: { name: 'Arena' } })],
    ['MATCH_MESSAGES_PER_USER_PER_MINUTE', post(`${matchPath}/messages`, { bearer, body: { text: 'Hello' } })],
    ['SCREENSHOTS_PER_USER_PER_HOUR', post(`${matchPath}/media`, { bearer: opponent, body: image })],
    [
      'MATCH_ANSWERS_PER_PLAYER_PER_HOUR',
      post(`${matchPath}/dispute`, { bearer: opponent, body: { reason: 'He paused' } }),
    ],
    [
      'REGISTRATION_CHANGES_PER_PLAYER_PER_HOUR',
      () => team.edit(team.captain.bearer, { ...team.team, teamName: 'Day Owls' }),
    ],
    ['REGISTRATION_CHANGES_PER_PLAYER_PER_HOUR', () => team.cancel(team.captain.bearer)],
    [
      'STRANGER_EMAILS_PER_DAY',
      post(`/projects/${projectId}/members`, { bearer, body: { email: 'new@example.com', role: 'MEMBER' } }),
    ],
    ['ANTI_CHEAT_ENROLLMENTS_PER_USER_PER_DAY', post('/anti-cheat/clients', { bearer, body: { projectId } })],
    [
      'ANTI_CHEAT_SESSIONS_PER_PROJECT_PER_DAY',
      post('/anti-cheat/sessions', { apiKey: key, body: { game: 'cs2', participants: [{ userId: user.id }] } }),
    ],
  ];
  for (const [variable, send] of requests) await expectNothingWritten(variable, send);
  for (const [variable, send] of requests)
    expect([variable, Math.trunc((await send()).status / 100)]).toEqual([variable, 2]);
});
