import { describe, expect, test } from 'vitest';
import { signAccessToken } from '@/server/auth/bearer';
import { db } from '@/server/db';
import { takeOver } from '@/server/routers/auth/data-takeover';
import { readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import { makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { hostTeam, hostTournament, hoursFromNow, projectEvents, refusalOf, teamOf } from '@/test/tournaments';

const api = setupTestServer();

const leave = (path: string, bearer: string) => api.post(`${path}/registrations/me/leave`, { bearer });

/** The changes that the `participant.updated` events of a project report, oldest first. */
async function changesIn(projectId: string) {
  const where = { projectId, type: 'participant.updated' };
  const events = await db.domainEvent.findMany({ where, orderBy: { sequence: 'asc' } });
  return events.map(({ payload, metadata }) => ({ ...(payload as { changes: string[] }), metadata }));
}

describe('checking in', () => {
  test('accepts a place on a roster, once, with everything that accepting does', async () => {
    const { path, project, mate, bench, checkIn, mine, set } = await hostTeam(api, {
      checkInOpensAt: hoursFromNow(-1),
    });
    const checkedIn = await checkIn(mate.bearer);
    expect(checkedIn.body).toMatchObject({ status: 'checked_in', mustAccept: false });
    expect(checkedIn.body.notAccepted).toEqual([bench.id]);
    expect((await projectEvents(project.id)).slice(-2)).toEqual(['participant.updated', 'participant.checked_in']);
    expect(await changesIn(project.id)).toMatchObject([
      { changes: ['acceptance'], metadata: { actor: { id: mate.id } } },
    ]);
    expect((await mine(mate.bearer)).body).toMatchObject({ mustAccept: false, addedBy: null });
    expect(refusalOf(await checkIn(mate.bearer))).toEqual([409, 'ALREADY_CHECKED_IN']);
    expect(refusalOf(await checkIn(bench.bearer))).toEqual([409, 'ALREADY_CHECKED_IN']);
    expect((await mine(bench.bearer)).body.mustAccept).toBe(true);
    await set({ rosterLockAt: hoursFromNow(-1) });
    expect(refusalOf(await leave(path, mate.bearer))).toEqual([409, 'ROSTER_LOCKED']);
    expect((await leave(path, bench.bearer)).status).toBe(200);
  });

  test('accepts a registration that an organizer made, and by the organizer it does not', async () => {
    const cup = await hostTournament(api, { checkInOpensAt: hoursFromNow(-1) });
    const { bearer } = cup.organizer;
    const [player, other] = [await makeUser(), await makeUser()];
    const body = { csv: `email\n${player.email}\n${other.email}\n` };
    expect((await api.post(`${cup.path}/participants/import`, { bearer, body })).status).toBe(200);
    const { id } = (await cup.mine(other.bearer)).body;
    expect((await api.post(`${cup.path}/participants/${id}/checkin`, { bearer })).status).toBe(200);
    expect((await cup.mine(other.bearer)).body).toMatchObject({ status: 'checked_in', mustAccept: true });
    expect((await cup.checkIn(player.bearer)).body).toMatchObject({ status: 'checked_in', mustAccept: false });
    const contacts = (await cup.list('', bearer)).body.items as { userId: string; contact: object | null }[];
    const contactOf = ({ id: userId }: { id: string }) => contacts.find((one) => one.userId === userId)?.contact;
    expect([contactOf(player), contactOf(other)]).toEqual([{ email: player.email }, null]);
  });
});

/** A match of two whose second side has not accepted, and what both and staff can do. */
async function hostMatch() {
  const cup = await startCup(api, 2);
  const [match] = await readMatches(api, cup.tournamentId);
  const [first, second] = match?.slots.map(({ participantId }) => participantId ?? '') ?? [];
  await db.participant.update({ where: { id: second }, data: { acceptedAt: null } });
  const [opponent, player] = [await cup.bearerOf(first), await cup.bearerOf(second)];
  const act = async (bearer: string, path: string, body?: object) => {
    const answer = await api.post(`/matches/${match?.id}/${path}`, { bearer, body });
    expect(answer.status, answer.text).toBeLessThan(300);
  };
  const hasAccepted = async () => {
    const row = await db.participant.findUniqueOrThrow({ where: { id: second } });
    return row.acceptedAt !== null;
  };
  return { ...cup, path: `/tournaments/${cup.tournamentId}`, opponent, player, act, hasAccepted };
}

const won = { games: [{ scores: [16, 3] }] };
const lost = { games: [{ scores: [3, 16] }] };
const time = { scheduledAt: hoursFromNow(48).toISOString() };

type Act = [path: string, body?: object];
const acts: [name: string, before: Act | null, ...act: Act][] = [
  ['reporting', null, 'report', lost],
  ['confirming', ['report', won], 'confirm'],
  ['reporting the same', ['report', won], 'report', won],
  ['reporting something else', ['report', won], 'report', lost],
  ['disputing', ['report', won], 'dispute', { reason: 'Wrong scores' }],
  ['proposing a time', null, 'reschedule', time],
  ['accepting a time', ['reschedule', time], 'reschedule/accept'],
  ['declining a time', ['reschedule', time], 'reschedule/decline'],
];

test.each(acts)('%s accepts the registration of who does it', async (_name, before, ...own) => {
  const { project, opponent, player, act, hasAccepted, ...cup } = await hostMatch();
  if (before) await act(opponent, ...before);
  expect(await hasAccepted()).toBe(false);
  await act(player, ...own);
  expect(await hasAccepted()).toBe(true);
  expect(await changesIn(project.id)).toMatchObject([{ changes: ['acceptance'] }]);
  expect(refusalOf(await leave(cup.path, player))).toEqual([409, 'INVALID_STATE']);
});

test('what staff and the opponent do in a match accepts nothing, and neither does a message', async () => {
  const { project, opponent, player, moderator, act, hasAccepted, ...cup } = await hostMatch();
  const { bearer } = moderator;
  await act(bearer, 'reschedule', time);
  await act(opponent, 'report', won);
  await act(bearer, 'dispute', { reason: 'The wrong map was played' });
  await act(player, 'messages', { text: 'I have never registered for this' });
  await act(bearer, 'resolve', won);
  expect(await hasAccepted()).toBe(false);
  expect(await changesIn(project.id)).toEqual([]);
  expect((await leave(cup.path, player)).status).toBe(200);
});

test('who has taken an account over accepts again what they act on', async () => {
  const { id, path, organizer, captain, register, mine } = await hostTeam(api);
  const rival = await makeUser();
  await register(rival.bearer, teamOf(rival, [await makeUser()], 'Rivals'));
  expect((await api.post(`${path}/start`, { bearer: organizer.bearer })).status).toBe(200);
  await db.$transaction((tx) => takeOver(tx, captain.id, '203.0.113.9'));
  const bearer = `Bearer ${await signAccessToken(await db.user.findUniqueOrThrow({ where: { id: captain.id } }))}`;
  expect((await mine(bearer)).body).toMatchObject({ mustAccept: true });
  const [match] = await readMatches(api, id);
  expect((await api.post(`/matches/${match?.id}/report`, { bearer, body: won })).status).toBe(200);
  expect((await mine(bearer)).body).toMatchObject({ mustAccept: false, addedBy: null });
  expect(await db.rosterMember.findFirst({ where: { userId: captain.id } })).toMatchObject({
    acceptedAt: expect.any(Date),
    addedById: null,
  });
  expect(refusalOf(await leave(path, bearer))).toEqual([409, 'INVALID_STATE']);
});
