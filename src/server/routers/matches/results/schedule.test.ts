import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import type { MatchOutput } from '@/server/routers/matches/schema';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();

async function oneMatch() {
  const cup = await startCup(api, 2);
  const [match] = await readMatches(api, cup.tournamentId);
  if (!match) throw new Error('no match');
  const [a, b] = match.slots.map(({ participantId }) => participantId);
  const send = (what: string, bearer: string, body: unknown = {}) =>
    api.post<MatchOutput>(`/matches/${match.id}/${what}`, { bearer, body });
  const linesOf = async () =>
    (await db.matchMessage.findMany({ where: { matchId: match.id }, orderBy: { id: 'asc' } })).map(({ kind }) => kind);
  const staff = cup.moderator.bearer;
  return { cup, match, a: await cup.bearerOf(a), b: await cup.bearerOf(b), staff, send, linesOf };
}

const inHours = (hours: number) => ({ scheduledAt: new Date(Date.now() + hours * 3_600_000).toISOString() });

test('a proposal that is sent again changes nothing, and the same from the other side is an agreement', async () => {
  const { a, b, send, linesOf } = await oneMatch();
  const time = inHours(2);
  const first = await send('reschedule', a, time);
  const again = await send('reschedule', a, time);
  expect(again.body).toEqual(first.body);
  expect(await linesOf()).toEqual(['proposal']);
  const agreed = await send('reschedule', b, time);
  expect(agreed.body).toMatchObject({ ...time, proposal: null, status: 'scheduled' });
  expect((await send('reschedule', a, time)).status, 'it is the time already').toBe(400);
  expect(await linesOf()).toEqual(['proposal', 'rescheduled']);
});

test('a proposal is withdrawn by its own side and declined by the other, and the thread says which', async () => {
  const { a, b, staff, send, linesOf } = await oneMatch();
  await send('reschedule', a, inHours(2));
  expect((await send('reschedule/decline', a)).body.proposal).toBeNull();
  await send('reschedule', a, inHours(3));
  expect((await send('reschedule/decline', b)).body.proposal).toBeNull();
  await send('reschedule', staff, inHours(4));
  const before = await send('reschedule', staff, inHours(5));
  const again = await send('reschedule', staff, { scheduledAt: before.body.scheduledAt });
  expect(again.body.version).toBe(before.body.version);
  expect(await linesOf()).toEqual([
    'proposal',
    'proposal_withdrawn',
    'proposal',
    'proposal_declined',
    'rescheduled',
    'rescheduled',
  ]);
});

test('a time is accepted as it was seen: a proposal that was changed meanwhile is refused', async () => {
  const { a, b, send } = await oneMatch();
  const seen = await send('reschedule', a, inHours(2));
  const swapped = await send('reschedule', a, inHours(1));
  const late = await send('reschedule/accept', b, { version: seen.body.version });
  expect([late.status, late.reason]).toEqual([412, 'VERSION_MISMATCH']);
  const accepted = await send('reschedule/accept', b, { version: swapped.body.version });
  expect(accepted.body).toMatchObject({ scheduledAt: swapped.body.proposal?.scheduledAt, proposal: null });
});

test('a report settles a proposal: the match has been played', async () => {
  const { a, b, send } = await oneMatch();
  await send('reschedule', a, inHours(2));
  const reported = await send('report', b, { games: [{ scores: [1, 0] }] });
  expect(reported.body).toMatchObject({ status: 'in_progress', proposal: null });
  expect((await send('reschedule/accept', b)).reason).toBe('INVALID_STATE');
});

test('a report that is sent again gives the opponent no more time', async () => {
  const { a, send, linesOf } = await oneMatch();
  const first = await send('report', a, { games: [{ scores: [1, 0] }] });
  const again = await send('report', a, { games: [{ scores: [1, 0] }] });
  expect(again.body).toEqual(first.body);
  const changed = await send('report', a, { games: [{ scores: [2, 0] }] });
  expect(changed.body.version).toBe(first.body.version + 1);
  expect(await linesOf()).toEqual(['report', 'report']);
});

test('reports and proposals of one player are limited for each match, staff are not', async () => {
  const { a, b, staff, send } = await oneMatch();
  const statuses: number[] = [];
  for (let at = 0; at < 31; at += 1) statuses.push((await send('reschedule', a, inHours(at + 2))).status);
  expect(statuses).toEqual([...Array(30).fill(200), 429]);
  expect((await send('report', a, { games: [{ scores: [1, 0] }] })).status).toBe(429);
  expect((await send('reschedule', b, inHours(50))).status).toBe(200);
  for (let at = 0; at < 31; at += 1) expect((await send('reschedule', staff, inHours(at + 60))).status).toBe(200);
});

test('silence confirms a result that is reported before the time of the match only after that time', async () => {
  const { a, b, staff, match, send } = await oneMatch();
  const time = inHours(48);
  expect((await send('reschedule', staff, time)).status).toBe(200);
  const reported = await send('report', a, { games: [{ scores: [1, 0] }] });
  expect(reported.status, reported.text).toBe(200);
  expect(reported.body.report?.confirmBy).toBe(new Date(Date.parse(time.scheduledAt) + 15 * 60_000).toISOString());
  expect((await send('confirm', b)).body).toMatchObject({ id: match.id, status: 'completed' });
});

test('a time outside the years that can be stored is refused', async () => {
  const { a, staff, send } = await oneMatch();
  const refused = await send('reschedule', a, { scheduledAt: '9999-12-31T23:59:59-14:00' });
  expect([refused.status, refused.reason]).toEqual([400, 'VALIDATION_FAILED']);
  expect((await send('reschedule', staff, { scheduledAt: '0000-01-01T00:00:00Z' })).status).toBe(400);
});
