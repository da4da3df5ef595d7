import { afterEach, expect, onTestFinished, test } from 'vitest';
import { env } from '@/env';
import { createContext } from '@/server/context';
import { db } from '@/server/db';
import { appRouter } from '@/server/routers/_app';
import { countEvents, readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import type { BracketOutput } from '@/server/routers/matches/schema';
import { createCallerFactory } from '@/server/trpc';
import { installWorker } from '@/server/worker/offload';
import { makeMember, makeParticipants, makeProject, makeTournament } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();
const defaults = { ...env };
afterEach(() => void Object.assign(env, defaults));

test('a project draws as many matches in a day as allowed, however often it draws them', async () => {
  env.BULK_EVENTS_PER_PROJECT_PER_DAY = 100;
  const cup = await startCup(api, 32);
  const redraw = () => api.post(`/tournaments/${cup.tournamentId}/draw`, { bearer: cup.organizer.bearer });
  expect([(await redraw()).status, (await redraw()).status]).toEqual([200, 200]);
  const [before, events] = [await readMatches(api, cup.tournamentId), await countEvents(cup.project.id)];
  const refused = await redraw();
  expect([refused.status, refused.reason]).toEqual([429, 'QUOTA_EXCEEDED']);
  expect(await readMatches(api, cup.tournamentId)).toEqual(before);
  expect(await countEvents(cup.project.id)).toEqual(events);
  // One match after the other goes on.
  const answer = await api.post(`/matches/${before[0]?.id}/resolve`, {
    bearer: cup.moderator.bearer,
    body: { winnerId: before[0]?.slots[0].participantId },
  });
  expect(answer.status, answer.text).toBe(200);
});

test('actions on many participants are counted by what they change', async () => {
  env.BULK_EVENTS_PER_PROJECT_PER_DAY = 100;
  const cup = await startCup(api, 2);
  const { id } = await db.tournament.update({
    where: { id: cup.tournamentId },
    data: { status: 'PUBLISHED', maxParticipants: 64 },
  });
  const participants = Array.from({ length: 40 }, (_, at) => ({ name: `Guest ${at}` }));
  const bearer = cup.organizer.bearer;
  const added = await api.post<{ items: { id: string }[] }>(`/tournaments/${id}/participants`, {
    bearer,
    body: { participants },
  });
  expect(added.status, added.text).toBe(201);
  const participantIds = added.body.items.map((one) => one.id);
  const act = (action: 'check_in' | 'undo_check_in') =>
    api.trpc(bearer).participants.bulk.mutate({ tournamentId: id, action, participantIds });
  expect((await act('check_in')).done).toHaveLength(40);
  await expect(act('undo_check_in')).rejects.toMatchObject({ data: { reason: 'QUOTA_EXCEEDED', httpStatus: 429 } });
  expect(await db.participant.count({ where: { tournamentId: id, status: 'checked_in' } })).toBe(40);
});

test('a draw that has become large since its size was asked for is made in a worker thread only', async () => {
  const { project } = await makeProject();
  const organizer = await makeMember(project.id, 'ORGANIZER');
  const cup = await makeTournament(project.id, { status: 'PUBLISHED', maxParticipants: 64, format: 'round_robin' });
  await makeParticipants(cup, 60);
  const { draw, redraw } = createCallerFactory(appRouter)(
    createContext({
      ...{ requestId: 'req_draw', ip: '127.0.0.1', transport: 'server', setHeader: () => undefined },
      authorization: organizer.bearer,
    }),
  ).matches;
  const small = await makeTournament(project.id, { status: 'PUBLISHED', maxParticipants: 8, format: 'round_robin' });
  await makeParticipants(small, 6);
  const countOf = ({ stages }: BracketOutput) =>
    stages.flatMap(({ rounds }) => rounds).flatMap((one) => one.matches).length;
  installWorker({ waiting: 0, run: async () => undefined });
  onTestFinished(() => installWorker(undefined));
  for (const call of [draw, redraw]) {
    await expect(call({ tournamentId: cup.id })).rejects.toMatchObject({ reason: 'OVERLOADED' });
    expect(countOf((await call({ tournamentId: small.id })).bracket)).toBe(15);
  }
  // A round of a Swiss is all that is drawn of it, however many there will be.
  const swiss = await makeTournament(project.id, { status: 'PUBLISHED', maxParticipants: 256, format: 'swiss' });
  await makeParticipants(swiss, 240);
  expect(countOf((await redraw({ tournamentId: swiss.id })).bracket)).toBe(120);
  installWorker(undefined);
  expect(countOf((await draw({ tournamentId: cup.id })).bracket)).toBe(1770);
});
