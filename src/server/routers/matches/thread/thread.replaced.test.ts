import '@/test/store';
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { env } from '@/env';
import { db } from '@/server/db';
import { readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import type { MessageOutput } from '@/server/routers/matches/thread/schema';
import { makeUser } from '@/test/factories';
import { png } from '@/test/images';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();

type Grant = { uploadUrl: string; mediaFileId: string; requiredHeaders: Record<string, string> };

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

test('whoever claims a guest, or joins its roster later, does not read what was written, or see what was sent, before', async () => {
  const cup = await startCup(api, 2);
  const [match] = await readMatches(api, cup.tournamentId);
  const [mine = '', theirs = ''] = match?.slots.map(({ participantId }) => participantId ?? '') ?? [];
  const [player, opponent, staff] = [await cup.bearerOf(mine), await cup.bearerOf(theirs), cup.organizer.bearer];
  const thread = `/matches/${match?.id}/messages`;
  const tournament = `/tournaments/${cup.tournamentId}`;
  const write = async (bearer: string, body: object) =>
    expect(await api.post(thread, { bearer, body })).toMatchObject({ status: 201 });
  const read = async (bearer: string) => {
    const { items } = (await api.get<{ items: MessageOutput[] }>(thread, { bearer })).body;
    return items.map(({ text }) => text);
  };
  const claim = async (bearer: string) => {
    const { body } = await api.post<{ token: string }>(`${tournament}/participants/${mine}/claim-link`, {
      bearer: staff,
    });
    expect(await api.post('/claims/accept', { bearer, body })).toMatchObject({ status: 200 });
  };
  const join = async () => {
    const { id, bearer } = await makeUser();
    const place = { participantId: mine, tournamentId: cup.tournamentId, userId: id, acceptedAt: new Date() };
    await db.rosterMember.create({ data: { ...place, role: 'player' } });
    return bearer;
  };
  // Staff registered the player, who has not agreed.
  await db.participant.update({ where: { id: mine }, data: { acceptedAt: null } });
  await write(staff, { text: 'Where are you?' });
  const bytes = png(1_500);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const granted = await api.post<Grant>(`/matches/${match?.id}/media`, {
    bearer: player,
    body: { contentType: 'image/png', sizeBytes: bytes.length, sha256 },
  });
  const { uploadUrl, mediaFileId, requiredHeaders: headers } = granted.body;
  const url = uploadUrl.replace(env.PUBLIC_URL ?? '', api.url);
  expect((await fetch(url, { method: 'PUT', headers, body: new Uint8Array(bytes) })).status).toBe(200);
  await write(player, { text: 'I never registered.', mediaFileIds: [mediaFileId] });
  const leave = await api.post(`${tournament}/registrations/me/leave`, { bearer: player });
  expect(leave.status, leave.text).toBe(200);

  const [early, other] = [await join(), await makeUser()];
  await claim(other.bearer);
  const late = await join();
  for (const bearer of [other.bearer, late]) expect(await read(bearer)).toEqual([]);
  const view = async (bearer: string) =>
    (await api.get(`/matches/${match?.id}/media/${mediaFileId}`, { bearer })).status;
  expect([await view(other.bearer), await view(opponent), await view(staff)]).toEqual([404, 200, 200]);
  expect([await view(late), await view(early)]).toEqual([404, 200]);
  await write(opponent, { text: 'Hello' });
  for (const bearer of [other.bearer, late]) expect(await read(bearer)).toEqual(['Hello']);
  const all = ['Hello', 'I never registered.', 'Where are you?'];
  for (const bearer of [opponent, staff, early]) expect(await read(bearer)).toEqual(all);

  // Who takes their own place back reads all of it.
  await db.participant.update({ where: { id: mine }, data: { userId: null } });
  await claim(player);
  expect(await read(player)).toEqual(all);
});
