import { afterEach, expect, test } from 'vitest';
import { env } from '@/env';
import { db } from '@/server/db';
import { makeCup, startCup } from '@/server/routers/matches/matches.fixture';
import { makeMember, makeParticipants, makeProject } from '@/test/factories';
import { type ApiResponse, setupTestServer } from '@/test/server';
import { statementsOf } from '@/test/statements';
import { hoursFromNow } from '@/test/tournaments';
import type { LaurelFile } from './schema';

const api = setupTestServer();
const defaults = { ...env };
afterEach(() => void Object.assign(env, defaults));

/** Expects a quota to refuse what `send` asks for before anything of a tournament is written. */
async function expectNothingWritten(send: () => Promise<ApiResponse<unknown>>): Promise<void> {
  let response: ApiResponse<unknown> | undefined;
  const statements = await statementsOf(async () => {
    response = await send();
  });
  expect([response?.status, response?.reason]).toEqual([429, 'QUOTA_EXCEEDED']);
  expect(statements.some((text) => text.includes('rate_limit_take'))).toBe(true);
  expect(
    statements.filter((text) => /INSERT INTO\W+(public\W+)?(tournament|participant|bracket|match)\b/.test(text)),
  ).toEqual([]);
}

test('an import or a new tournament that a quota refuses writes nothing, and keeps no slug from others', async () => {
  const cup = await startCup(api, 8, { format: 'round_robin' });
  const bearer = cup.organizer.bearer;
  const file = await api.get<object>(`/tournaments/${cup.tournamentId}/export`, { bearer });
  const { project } = await makeProject();
  const organizer = await makeMember(project.id, 'ORGANIZER');
  const path = `/projects/${project.id}/tournaments`;
  const send = (to: string, body: unknown) => () => api.post(to, { bearer: organizer.bearer, body });
  const importFile = send(`${path}/import`, file.body);
  const create = send(path, {
    name: 'Cup',
    game: 'cs2',
    maxParticipants: 8,
    startDate: hoursFromNow(48).toISOString(),
  });
  const refusing = {
    GUESTS_PER_PROJECT_PER_DAY: [importFile],
    BULK_EVENTS_PER_PROJECT_PER_DAY: [importFile],
    TOURNAMENTS_PER_PROJECT_PER_DAY: [importFile, create],
    TOURNAMENTS_PER_BLOCK_PER_DAY: [importFile, create],
  } as const;
  for (const [name, requests] of Object.entries(refusing)) {
    Object.assign(env, defaults, { [name]: 0 });
    for (const request of requests) await expectNothingWritten(request);
  }
  Object.assign(env, defaults);
  expect([(await importFile()).status, (await create()).status]).toEqual([201, 201]);
});

/** More registrations than a file may have participants, none of which has a slot. */
const addStrangers = (tournamentId: string, registrationStatus: 'cancelled' | 'rejected' | 'waitlisted') =>
  db.$executeRaw`
    INSERT INTO "participant" ("id", "tournamentId", "name", "registrationStatus", "waitlistOrder", "updatedAt")
    SELECT 'prt_' || gen_random_uuid(), ${tournamentId}, 'Stranger ' || n, ${registrationStatus}::"registration_status",
      CASE ${registrationStatus} WHEN 'waitlisted' THEN nextval('participant_waitlist_order') END, now()
    FROM generate_series(1, 20001) n`;

test('registrations that are in no file take its room from nobody, before the start, after it and when it is cancelled', async () => {
  const cup = await makeCup(4, { waitlistEnabled: true, maxParticipants: 4 });
  const path = `/tournaments/${cup.tournamentId}`;
  const { bearer } = cup.organizer;
  const exported = async () => {
    const { status, body } = await api.get<LaurelFile>(`${path}/export`, { bearer });
    return [status, body.participants?.map(({ name }) => name)];
  };
  const four = cup.participantIds.map((_id, at) => `Player ${at + 1}`);
  const full = { id: cup.tournamentId, maxParticipants: 4, currentParticipants: 4 };
  await addStrangers(cup.tournamentId, 'cancelled');
  expect(await exported()).toEqual([200, four]);
  await addStrangers(cup.tournamentId, 'rejected');
  expect(await exported()).toEqual([200, four]);
  const [waiting = ''] = await makeParticipants(full, 1);
  await db.participant.update({ where: { id: waiting }, data: { name: 'First in line' } });
  expect(await exported()).toEqual([200, [...four, 'First in line']]);
  await addStrangers(cup.tournamentId, 'waitlisted');
  // Staff can remove them now, and not once it has started.
  expect(await exported()).toEqual([409, undefined]);
  expect((await api.post(`${path}/start`, { bearer })).status).toBe(200);
  expect(await exported()).toEqual([200, four]);

  const cancelled = await makeCup(4, { waitlistEnabled: true, maxParticipants: 4 });
  const of = `/tournaments/${cancelled.tournamentId}`;
  await addStrangers(cancelled.tournamentId, 'waitlisted');
  expect((await api.post(`${of}/cancel`, { bearer: cancelled.organizer.bearer })).status).toBe(200);
  const file = await api.get<LaurelFile>(`${of}/export`, { bearer: cancelled.organizer.bearer });
  expect([file.status, file.body.participants?.length]).toEqual([200, 4]);
}, 60_000);

test('players of teams that are in no file are not counted, and those of teams that are in it are', async () => {
  const cup = await makeCup(2, { teamSize: 2, rosterMin: 1, rosterMax: 40 });
  const { bearer } = cup.organizer;
  const exported = async () => (await api.get(`/tournaments/${cup.tournamentId}/export`, { bearer })).status;
  const [, second = ''] = cup.participantIds;
  await db.$executeRaw`
    INSERT INTO "roster_member" ("participantId", "tournamentId", "name", "role")
    SELECT ${second}, ${cup.tournamentId}, 'Guest ' || n, 'player' FROM generate_series(1, 20001) n`;
  expect(await exported()).toBe(409);
  await db.participant.update({ where: { id: second }, data: { registrationStatus: 'rejected' } });
  expect(await exported()).toBe(200);
}, 60_000);
