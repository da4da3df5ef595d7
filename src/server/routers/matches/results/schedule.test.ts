import { describe, expect, test } from 'vitest';
import { db } from '@/server/db';
import { countEvents, readMatches, startCup } from '@/server/routers/matches/matches.fixture';
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

test('a proposed time that has passed is accepted no more, so that who was called stays called', async () => {
  const { match, a, b, staff, send } = await oneMatch();
  const { body } = await send('reschedule', a, inHours(1));
  expect((await send('call', staff, { called: true })).status).toBe(200);
  const proposal = { ...body.proposal, scheduledAt: new Date(Date.now() - 1_000).toISOString() };
  const { userId } = (await db.match.findUniqueOrThrow({ where: { id: match.id } })).proposal as { userId: string };
  await db.match.update({ where: { id: match.id }, data: { proposal: { ...proposal, userId } } });
  for (const bearer of [b, staff]) expect((await send('reschedule/accept', bearer)).reason).toBe('INVALID_STATE');
  expect((await send('reschedule/decline', b)).body).toMatchObject({ proposal: null });
  expect((await db.match.findUniqueOrThrow({ where: { id: match.id } })).calledAt).not.toBeNull();
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

test('a time that is withdrawn counts as one that is proposed, and a time that the other side declines does not', async () => {
  const { a, b, send } = await oneMatch();
  const statuses: number[] = [];
  for (let at = 0; at < 15; at += 1) {
    statuses.push((await send('reschedule', a, inHours(at + 2))).status, (await send('reschedule/decline', a)).status);
  }
  expect(statuses).toEqual(Array(30).fill(200));
  expect((await send('reschedule', a, inHours(50))).status).toBe(429);
  expect((await send('reschedule', b, inHours(50))).status).toBe(200);
  expect((await send('reschedule/decline', a)).status).toBe(200);
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

test('players propose times up to 12 weeks after now or the start, staff set any', async () => {
  const { cup, a, b, staff, send } = await oneMatch();
  const weeks = 7 * 24;
  const startBy = (startDate: Date) => db.tournament.update({ where: { id: cup.tournamentId }, data: { startDate } });
  await startBy(new Date());
  const tooLate = await send('reschedule', a, inHours(12 * weeks + 1));
  expect([tooLate.status, tooLate.reason]).toEqual([400, 'VALIDATION_FAILED']);
  await startBy(new Date(Date.now() + 10 * weeks * 3_600_000));
  expect((await send('reschedule', a, inHours(22 * weeks + 1))).status).toBe(400);
  const time = inHours(22 * weeks - 1);
  expect((await send('reschedule', a, time)).status).toBe(200);
  expect((await send('reschedule/accept', b)).body).toMatchObject(time);
  expect((await send('reschedule', staff, inHours(30 * weeks))).status).toBe(200);
});

test('a match at the end of time can be reported', async () => {
  const { a, staff, send } = await oneMatch();
  const scheduledAt = '9999-12-31T23:59:59.999Z';
  expect((await send('reschedule', staff, { scheduledAt })).status).toBe(200);
  const reported = await send('report', a, { games: [{ scores: [1, 0] }] });
  expect(reported.body.report?.confirmBy, reported.text).toBe(scheduledAt);
});

describe('a match that is only reported', () => {
  const result = { games: [{ scores: [1, 0] }] };

  async function reportedMatch() {
    const one = await oneMatch();
    const reported = await one.send('report', one.a, result);
    expect(reported.body).toMatchObject({
      status: 'in_progress',
      startedAt: null,
      report: { winnerId: expect.any(String) },
    });
    return { ...one, reported: reported.body };
  }
  const unreported = { report: null, counterReport: null };

  test('is moved by staff, which takes the report off and says so in the thread', async () => {
    const { cup, match, a, b, staff, send, linesOf } = await reportedMatch();
    expect((await send('reschedule', b, inHours(2))).reason).toBe('INVALID_STATE');
    expect((await send('reschedule', a, inHours(2))).reason).toBe('INVALID_STATE');
    const time = inHours(3);
    const moved = await send('reschedule', staff, time);
    expect(moved.body).toMatchObject({ ...time, ...unreported, status: 'scheduled', startedAt: null });
    expect((await send('confirm', b)).reason).toBe('NOTHING_TO_CONFIRM');
    expect(await linesOf()).toEqual(['report', 'rescheduled', 'report_removed']);
    const thread = await api.get<{ items: unknown[] }>(`/matches/${match.id}/messages`, { bearer: a });
    expect(thread.body.items[0]).toMatchObject({
      kind: 'report_removed',
      author: { name: expect.any(String), participantId: null },
      previousResult: { games: [{ scores: [1, 0] }] },
    });
    const again = await send('report', a, result);
    expect(again.body).toMatchObject({ status: 'in_progress', report: { games: [{ scores: [1, 0] }] } });
    expect(await countEvents(cup.project.id)).toMatchObject({ 'match.rescheduled': 1, 'match.started': 2 });
  });

  test('is called by staff; taking a call back leaves a report that came after it', async () => {
    const { a, staff, send } = await reportedMatch();
    const called = await send('call', staff);
    expect(called.body).toMatchObject({ ...unreported, status: 'ready', calledAt: expect.any(String) });
    const reported = await send('report', a, result);
    expect(reported.body.showUpBy, 'the time to show up goes on').toBe(called.body.showUpBy);
    const takenBack = await send('call', staff, { called: false });
    expect(takenBack.body).toMatchObject({
      calledAt: null,
      status: 'in_progress',
      report: { games: [{ scores: [1, 0] }] },
    });
  });

  test('is started by staff, and then being played', async () => {
    const { a, b, staff, send } = await reportedMatch();
    const started = await send('start', staff);
    expect(started.body).toMatchObject({ ...unreported, status: 'in_progress', startedAt: expect.any(String) });
    expect((await send('confirm', b)).reason).toBe('NOTHING_TO_CONFIRM');
    expect((await send('report', a, result)).body).toMatchObject({ startedAt: started.body.startedAt });
    for (const [what, body] of [['start'], ['call'], ['reschedule', inHours(2)]] as const) {
      const refused = await send(what, staff, body);
      expect([refused.status, refused.reason]).toEqual([409, 'INVALID_STATE']);
    }
    expect((await send('reopen', staff)).reason).toBe('MATCH_NOT_DECIDED');
    expect((await send('confirm', b)).body).toMatchObject({ status: 'completed', startedAt: started.body.startedAt });
  });

  test('counts as started once its result is disputed or confirmed', async () => {
    const { a, b, staff, send, reported } = await reportedMatch();
    const startedAt = reported.report?.reportedAt;
    await send('report', a, { games: [{ scores: [2, 0] }] });
    const disputed = await send('dispute', b, { reason: 'Not played yet' });
    expect(disputed.body).toMatchObject({ status: 'disputed', startedAt });
    expect((await send('reschedule', staff, inHours(2))).reason).toBe('INVALID_STATE');
    expect((await send('start', staff)).reason).toBe('INVALID_STATE');
    expect((await send('resolve', staff, result)).body).toMatchObject({ status: 'completed', startedAt });
  });
});

test('a time outside the years that can be stored is refused', async () => {
  const { a, staff, send } = await oneMatch();
  const refused = await send('reschedule', a, { scheduledAt: '9999-12-31T23:59:59-14:00' });
  expect([refused.status, refused.reason]).toEqual([400, 'VALIDATION_FAILED']);
  expect((await send('reschedule', staff, { scheduledAt: '0000-01-01T00:00:00Z' })).status).toBe(400);
});
