import { expect, test } from 'vitest';
import { turnOfProject } from '@/server/events/project-turn';
import { readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import { makeSubscription, makeTeam, makeUser } from '@/test/factories';
import { type ApiResponse, setupTestServer } from '@/test/server';
import { statementsOf } from '@/test/statements';
import { hostTournament, hoursFromNow } from '@/test/tournaments';

const api = setupTestServer();

/** A tournament in a project that the process knows: who created one is read once. */
async function hostKnown() {
  const cup = await hostTournament(api);
  await turnOfProject(cup.project.id);
  return cup;
}

/** Expects a write to succeed with at most so many statements, BEGIN and COMMIT included. */
async function expectAtMost(most: number, write: () => Promise<ApiResponse<unknown>>): Promise<void> {
  let response: ApiResponse<unknown> | undefined;
  const statements = await statementsOf(async () => {
    response = await write();
  });
  expect(response?.status, response?.text).toBeLessThan(300);
  expect(statements.length, `${statements.length} statements:\n${statements.join('\n')}`).toBeLessThanOrEqual(most);
  // A count of nothing would pass, too.
  expect(statements.length).toBeGreaterThanOrEqual(3);
}

test('changing a tournament takes 8 statements, and 9 when it starts the schedule anew', async () => {
  const { path, organizer } = await hostKnown();
  const { bearer } = organizer;
  await expectAtMost(8, () => api.patch(path, { bearer, body: { name: 'Spring Cup' } }));
  await expectAtMost(9, () => api.patch(path, { bearer, body: { startDate: hoursFromNow(48).toISOString() } }));
});

test('registering takes 3 statements, and 4 on the waitlist', async () => {
  const cup = await hostTournament(api, { maxParticipants: 2, waitlistEnabled: true });
  const [first, last, waiting] = [await makeUser(), await makeUser(), await makeUser()];
  await expectAtMost(3, () => cup.register(first.bearer));
  await expectAtMost(3, () => cup.register(last.bearer));
  await expectAtMost(4, () => cup.register(waiting.bearer));
});

test('checking in takes 9 statements for a player and for staff', async () => {
  const cup = await hostTournament(api, { checkInOpensAt: hoursFromNow(-1) });
  const [player, other] = [await makeUser(), await makeUser()];
  await cup.register(player.bearer);
  const { body } = await cup.register(other.bearer);
  await expectAtMost(9, () => cup.checkIn(player.bearer));
  const path = `${cup.path}/participants/${body.id}/checkin`;
  await expectAtMost(9, () => api.post(path, { bearer: cup.organizer.bearer }));
});

test('creating a tournament takes 10 statements, publishing and cancelling one 9', async () => {
  const { project, organizer, path: other } = await hostKnown();
  const { bearer } = organizer;
  const body = { name: 'Winter Cup', game: 'cs2', maxParticipants: 16, startDate: hoursFromNow(48).toISOString() };
  let path = '';
  await expectAtMost(10, async () => {
    const response = await api.post<{ id: string }>(`/projects/${project.id}/tournaments`, { bearer, body });
    path = `/tournaments/${response.body.id}`;
    return response;
  });
  await expectAtMost(9, () => api.post(`${path}/publish`, { bearer }));
  // The functions of the one that was just published begin again a second later, which other tests would count.
  await expectAtMost(9, () => api.post(`${other}/cancel`, { bearer }));
});

test('starting a tournament takes 17 statements', async () => {
  const cup = await hostKnown();
  for (const player of [await makeUser(), await makeUser(), await makeUser()]) await cup.register(player.bearer);
  await expectAtMost(17, () => api.post(`${cup.path}/start`, { bearer: cup.organizer.bearer, body: {} }));
});

test('disqualifying takes 11 statements before the start', async () => {
  const cup = await hostTournament(api);
  const { body } = await cup.register((await makeUser()).bearer);
  const path = `${cup.path}/participants/${body.id}/disqualify`;
  await expectAtMost(11, () => api.post(path, { bearer: cup.organizer.bearer, body: { reason: 'Cheating' } }));
});

test('reporting a result takes 12 statements, and confirming it 12', async () => {
  const cup = await startCup(api, 4);
  const match = (await readMatches(api, cup.tournamentId)).find(({ status }) => status === 'ready');
  const [a, b] = match?.slots ?? [];
  const bearers = [await cup.bearerOf(a?.participantId), await cup.bearerOf(b?.participantId)];
  const body = { games: [{ scores: [16, 3] }] };
  await expectAtMost(12, () => api.post(`/matches/${match?.id}/report`, { bearer: bearers[0], body }));
  await expectAtMost(12, () => api.post(`/matches/${match?.id}/confirm`, { bearer: bearers[1] }));
});

test('changing a team takes 8 statements', async () => {
  const captain = await makeUser();
  const { id } = await makeTeam(captain, [await makeUser()]);
  await expectAtMost(8, () => api.patch(`/teams/${id}`, { bearer: captain.bearer, body: { name: 'Night Owls' } }));
});

test('changing a webhook takes 10 statements', async () => {
  const { project, owner } = await hostTournament(api);
  const { id } = await makeSubscription(project.id, { url: 'http://127.0.0.1:9/hook' });
  const body = { description: 'Results' };
  await expectAtMost(10, () => api.patch(`/webhooks/subscriptions/${id}`, { bearer: owner.bearer, body }));
});
