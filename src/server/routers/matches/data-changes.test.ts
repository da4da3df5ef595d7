import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { hostTeam, teamOf } from '@/test/tournaments';
import { playOut, readMatches, startCup } from './matches.fixture';

const api = setupTestServer();

/** A team that has won its first match, and whose player was substituted afterwards. */
async function substitutedWinner() {
  const cup = await hostTeam(api, { format: 'round_robin', formatOptions: { legs: 2 } });
  const [captain, mate] = [await makeUser(), await makeUser()];
  const rivals = await cup.register(captain.bearer, teamOf(captain, [mate], 'Rivals'));
  const bearer = cup.moderator.bearer;
  const post = async (path: string, by: string, body: object = {}) => {
    const answer = await api.post(path, { bearer: by, body });
    expect(answer.status, answer.text).toBe(200);
  };
  await post(`${cup.path}/registrations/me/accept`, cup.mate.bearer);
  await post(`${cup.path}/start`, cup.organizer.bearer);
  const [match] = await readMatches(api, cup.id);
  const send = (what: string, body: object = {}) => post(`/matches/${match?.id}/${what}`, bearer, body);
  await send('resolve', { winnerId: cup.participantId });
  const body = { replacedUserId: cup.mate.id, substituteUserId: cup.outsider.id, reason: 'Ill' };
  await post(`${cup.path}/participants/${cup.participantId}/substitute`, bearer, body);
  /** Matches, wins and losses of who played, and of the substitute. */
  const figures = async () => {
    const rows = await db.playerStats.findMany({ where: { projectId: cup.project.id } });
    return [cup.mate, cup.outsider].map(({ id }) => {
      const row = rows.find(({ userId }) => userId === id);
      return [row?.matches ?? 0, row?.wins ?? 0, row?.losses ?? 0];
    });
  };
  return { cup, rivals: rivals.body.id, send, figures };
}

const none = [0, 0, 0];
const won = [1, 1, 0];
const lost = [1, 0, 1];

test('a correction and what undoes it count for the roster that played the match', async () => {
  const { rivals, send, figures } = await substitutedWinner();
  expect(await figures()).toEqual([won, none]);
  await send('correct', { winnerId: rivals });
  expect(await figures()).toEqual([lost, none]);
  await send('correct/undo');
  expect(await figures()).toEqual([won, none]);
});

test('an undone reopening counts for the roster that played the match, and a match that is played again for who plays it', async () => {
  const { cup, send, figures } = await substitutedWinner();
  await send('reopen');
  expect(await figures()).toEqual([none, none]);
  await send('correct/undo');
  expect(await figures()).toEqual([won, none]);
  await send('reopen');
  await send('resolve', { winnerId: cup.participantId });
  expect(await figures()).toEqual([none, won]);
});

test('a result that comes back in a redrawn match is an event, also when the match that had its number lost another', async () => {
  const cup = await startCup(api, 4, { format: 'swiss', formatOptions: { rounds: 2 } });
  await playOut(api, cup);
  const send = async (id: string | undefined, what: string, body: object = {}) => {
    const answer = await api.post(`/matches/${id}/${what}`, { bearer: cup.moderator.bearer, body });
    expect(answer.status, answer.text).toBe(200);
  };
  const [first] = await readMatches(api, cup.tournamentId);
  await send(first?.id, 'correct', { winnerId: first?.slots[1].participantId });
  const redrawn = (await readMatches(api, cup.tournamentId))[2];
  await send(redrawn?.id, 'resolve', { winnerId: redrawn?.slots[0].participantId });
  await send(first?.id, 'correct/undo');
  const third = (await readMatches(api, cup.tournamentId))[2];
  expect(third).toMatchObject({ number: 3, status: 'completed' });
  const eventsOf = async (aggregateId: string | undefined) => {
    const events = await db.domainEvent.findMany({ where: { aggregateId }, orderBy: { sequence: 'asc' } });
    return events.map(({ type }) => type);
  };
  expect(await eventsOf(redrawn?.id)).toEqual(['match.created', 'match.completed', 'match.result_corrected']);
  const where = { aggregateId: redrawn?.id, type: 'match.result_corrected' };
  const { payload } = await db.domainEvent.findFirstOrThrow({ where });
  const slots = redrawn?.slots.map(({ participantId }) => ({ participantId, score: null, result: null }));
  expect(payload, 'its match is gone, and so is its result').toMatchObject({
    ...{ status: 'pending', winnerId: null, previousWinnerId: redrawn?.slots[0].participantId, slots },
  });
  expect(await eventsOf(third?.id)).toEqual(['match.created', 'match.completed']);
});
