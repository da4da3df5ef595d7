import '@/test/store';
import { expect, test } from 'vitest';
import { readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import type { MessageOutput } from '@/server/routers/matches/thread/schema';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();

/** A cup of four whose semifinals are decided: `put` corrects the first one, `read` and `write` are about the final. */
async function setupFinal() {
  const cup = await startCup(api, 4);
  const [first, second, final] = await readMatches(api, cup.tournamentId);
  const staff = { bearer: cup.moderator.bearer };
  const ids = first?.slots.map(({ participantId }) => participantId ?? '') ?? [];
  const [winner = '', loser = ''] = ids;
  const rival = second?.slots[0].participantId ?? '';
  const post = (id: string | undefined, what: string, bearer: string, body: unknown = {}) =>
    api.post(`/matches/${id}/${what}`, { bearer, body });
  for (const [match, winnerId] of [
    [first, winner],
    [second, rival],
  ] as const) {
    expect(await post(match?.id, 'resolve', staff.bearer, { winnerId })).toMatchObject({ status: 200 });
  }
  const put = async (winnerId: string) =>
    expect(await post(first?.id, 'correct', staff.bearer, { winnerId })).toMatchObject({ status: 200 });
  const read = async (bearer: string) => {
    const answer = await api.get<{ items: MessageOutput[]; total: number }>(`/matches/${final?.id}/messages`, {
      bearer,
    });
    expect(answer.body.total).toBe(answer.body.items.length);
    return answer.body.items.map(({ text }) => text);
  };
  const write = async (bearer: string, text: string) =>
    expect(await post(final?.id, 'messages', bearer, { text })).toMatchObject({ status: 201 });
  const bearers = {
    winner: await cup.bearerOf(winner),
    loser: await cup.bearerOf(loser),
    rival: await cup.bearerOf(rival),
  };
  return { final, winner, loser, rival, staff: staff.bearer, bearers, post, put, read, write };
}

test('who a correction puts into an undecided match does not read what was written for others', async () => {
  const { winner, loser, staff, bearers, put, read, write } = await setupFinal();
  await write(staff, 'for the winner');
  await write(bearers.rival, 'from the rival');
  expect(await read(bearers.winner)).toEqual(['from the rival', 'for the winner']);
  await put(loser);
  expect(await read(bearers.loser)).toEqual([]);
  await write(bearers.rival, 'for the other');
  expect(await read(bearers.loser)).toEqual(['for the other']);
  await put(winner);
  expect(await read(bearers.winner)).toEqual(['from the rival', 'for the winner']);
  expect(await read(bearers.rival)).toEqual(['for the other', 'from the rival', 'for the winner']);
  expect(await read(staff)).toEqual(['for the other', 'from the rival', 'for the winner']);
});

test('nor of a match that was disputed, decided and reopened', async () => {
  const { final, loser, staff, bearers, post, put, read } = await setupFinal();
  const body = { games: [{ scores: [1, 0] }] };
  expect(await post(final?.id, 'report', bearers.winner, body)).toMatchObject({ status: 200 });
  expect(await post(final?.id, 'dispute', bearers.rival, { reason: 'a secret' })).toMatchObject({ status: 200 });
  expect(await post(final?.id, 'resolve', staff, body)).toMatchObject({ status: 200 });
  expect(await post(final?.id, 'reopen', staff)).toMatchObject({ status: 200 });
  await put(loser);
  expect(await read(bearers.loser)).not.toContain('a secret');
});
