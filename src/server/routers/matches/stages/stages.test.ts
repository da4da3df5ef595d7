import { expect, test } from 'vitest';
import { fieldLabels } from '@/components/tournaments/form/labels';
import { db } from '@/server/db';
import { type Cup, readBracket, readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import type { BracketOutput, MatchOutput, StandingsOutput } from '@/server/routers/matches/schema';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();

async function decide(cup: Cup, match: MatchOutput, winnerId: string | null) {
  const answer = await api.post(`/matches/${match.id}/resolve`, { bearer: cup.moderator.bearer, body: { winnerId } });
  expect(answer.status, answer.text).toBe(200);
}

/** Plays the group stage of a cup; `wins` says whether the first of two seeds wins. */
async function playGroups(cup: Cup, wins = (first: number, second: number) => first < second) {
  for (const match of await readMatches(api, cup.tournamentId)) {
    if (match.group === null || match.status === 'completed') continue;
    const [a, b] = match.slots;
    await decide(cup, match, wins(a.seed ?? 0, b.seed ?? 0) ? a.participantId : b.participantId);
  }
}

/** Of three in a circle everyone beats one and loses to one. */
const circle = (first: number, second: number) => (second - first + 3) % 3 === 1;

const readStandings = async (cup: Cup) =>
  (await api.get<StandingsOutput>(`/tournaments/${cup.tournamentId}/standings`)).body;
const knockoutOf = ({ stages }: BracketOutput) =>
  stages[1]?.rounds[0]?.matches.map(({ slots }) => slots.map(({ participantId }) => participantId));

/** Whether a refusal names the setting that keeps players from deciding a reopened match again. */
const saysHowToGoBack = (text: string) => text.includes(`“${fieldLabels.resultMode}” to “Staff only”, reopen`);

const groups = { format: 'groups_to_knockout', formatOptions: { groups: 2 } } as const;

test('an organizer seeds the playoffs before they begin', async () => {
  const cup = await startCup(api, 8, groups);
  const bearer = cup.organizer.bearer;
  const stageId = (await readBracket(api, cup.tournamentId)).stages[1]?.id ?? '';
  const seed = (order: (string | undefined)[], by = bearer) =>
    api.put<BracketOutput>(`/tournaments/${cup.tournamentId}/stages/${stageId}/seeding`, {
      bearer: by,
      body: { order },
    });
  const [p1, p2, p3, p4, p5] = cup.participantIds;
  const order = [p4, p3, p2, p1];
  expect((await seed(order)).reason).toBe('INVALID_STATE');
  await playGroups(cup);
  expect((await seed(order, cup.moderator.bearer)).status).toBe(403);
  for (const wrong of [
    [p4, p3, p2],
    [p4, p3, p2, p2],
    [p4, p3, p2, p5],
    [...order, p5],
  ]) {
    expect((await seed(wrong)).reason).toBe('VALIDATION_FAILED');
  }
  const seeded = await seed(order);
  expect(seeded.status, seeded.text).toBe(200);
  expect(knockoutOf(seeded.body)).toEqual([
    [p4, p1],
    [p3, p2],
  ]);
  expect(knockoutOf(await readBracket(api, cup.tournamentId))).toEqual(knockoutOf(seeded.body));
  expect(await db.auditEntry.count({ where: { targetId: cup.tournamentId, action: 'tournament.seed_stage' } })).toBe(1);
  const [semifinal] = (await readMatches(api, cup.tournamentId)).filter(({ status }) => status === 'ready');
  const early = await api.post(`/matches/${semifinal?.id}/report`, {
    bearer: await cup.bearerOf(semifinal?.slots[0].participantId),
    body: { games: [{ scores: [1, 0] }] },
  });
  expect(early.status, early.text).toBe(200);
  expect((await seed([p1, p2, p3, p4])).status, 'a report alone does not begin the playoffs').toBe(200);
  const afterwards = (await readMatches(api, cup.tournamentId)).find(({ id }) => id === semifinal?.id);
  expect(afterwards).toMatchObject({ status: 'ready', report: null });
  expect((await seed(order)).status).toBe(200);
  if (semifinal) await decide(cup, semifinal, semifinal.slots[0].participantId);
  const late = await seed([p1, p2, p3, p4]);
  expect([late.reason, saysHowToGoBack(late.text)]).toEqual(['INVALID_STATE', true]);
  const other = await startCup(api, 8, groups);
  const path = `/tournaments/${other.tournamentId}/stages/${stageId}/seeding`;
  expect((await api.put(path, { bearer: other.organizer.bearer, body: { order } })).status).toBe(404);
});

test('staff decides a tie with a reason, everyone reads it, and it can be taken back', async () => {
  const cup = await startCup(api, 3, { format: 'round_robin' });
  const [p1, p2, p3] = cup.participantIds;
  const stageId = (await readStandings(cup)).stages[0]?.id ?? '';
  const path = `/tournaments/${cup.tournamentId}/stages/${stageId}/groups/1/ruling`;
  const rule = (order: (string | undefined)[], reason = 'Decided by a playoff game', by = cup.moderator.bearer) =>
    api.put<StandingsOutput>(path, { bearer: by, body: { order, reason } });
  const winners = async () => (await readStandings(cup)).final.map(({ participantId }) => participantId);

  expect((await rule([p3, p2, p1])).reason).toBe('INVALID_STATE');
  await playGroups(cup, circle);
  expect((await readStandings(cup)).stages[0]?.groups[0]).toMatchObject({ ties: [[p1, p2, p3]], ruling: null });
  expect(await winners()).toEqual([p1, p2, p3]);
  expect((await rule([p3, p2, p1], 'x', await cup.bearerOf(p3))).status).toBe(403);
  expect((await rule([p3, p2, p1], '  ')).reason).toBe('VALIDATION_FAILED');
  expect((await rule([p3, p2])).reason).toBe('VALIDATION_FAILED');
  expect((await rule([p3, p2, p2])).reason).toBe('VALIDATION_FAILED');

  const ruled = await rule([p3, p2, p1]);
  expect(ruled.status, ruled.text).toBe(200);
  const table = (await readStandings(cup)).stages[0]?.groups[0];
  expect(table?.ruling).toEqual({ order: [p3, p2, p1], ties: [[p1, p2, p3]], reason: 'Decided by a playoff game' });
  expect(table?.rows.map(({ participantId }) => participantId)).toEqual([p3, p2, p1]);
  expect(await winners()).toEqual([p3, p2, p1]);
  // The final places in the statistics follow.
  const { userId } = await db.participant.findUniqueOrThrow({ where: { id: p3 } });
  const stats = await db.playerStats.findFirst({ where: { projectId: cup.project.id, userId: userId ?? '' } });
  expect(stats?.placements).toEqual({ [cup.tournamentId]: 1 });

  expect((await api.delete(path, { bearer: cup.moderator.bearer })).status).toBe(200);
  expect(await winners()).toEqual([p1, p2, p3]);
  const audits = await db.auditEntry.findMany({ where: { targetId: cup.tournamentId }, orderBy: { id: 'asc' } });
  expect(audits.map(({ action }) => action).filter((action) => /tie|ruling/.test(action))).toEqual([
    'tournament.rule_tie',
    'tournament.withdraw_ruling',
  ]);
});

test('a ruling moves who advances, until the playoffs have begun', async () => {
  const options = { groups: 2, advancePerGroup: 1 };
  const cup = await startCup(api, 6, { format: 'groups_to_knockout', formatOptions: options });
  // Groups by snake: 1, 4, 5 and 2, 3, 6.
  await playGroups(cup, (a, b) => a < b !== (a === 1 && b === 5));
  const table = (await readStandings(cup)).stages[0];
  const [group] = table?.groups ?? [];
  const [p1, , , p4, p5] = cup.participantIds;
  expect(group?.ties).toEqual([[p1, p4, p5]]);
  const path = `/tournaments/${cup.tournamentId}/stages/${table?.id}/groups/1/ruling`;
  const rule = (first: string | undefined) => {
    const rest = [p1, p4, p5].filter((id) => id !== first);
    return api.put(path, {
      bearer: cup.organizer.bearer,
      body: { order: [first, ...rest], reason: 'Fewer rounds lost' },
    });
  };
  const finalist = async () => knockoutOf(await readBracket(api, cup.tournamentId))?.[0]?.[0];
  expect(await finalist()).toBe(p1);
  expect((await rule(p5)).status).toBe(200);
  expect(await finalist()).toBe(p5);
  const [final] = (await readMatches(api, cup.tournamentId)).filter(({ group: number }) => number === null);
  expect((await api.post(`/matches/${final?.id}/start`, { bearer: cup.moderator.bearer, body: {} })).status).toBe(200);
  const late = await rule(p4);
  expect([late.status, late.reason, saysHowToGoBack(late.text)]).toEqual([409, 'INVALID_STATE', true]);
  expect(await finalist()).toBe(p5);
});

test('the last event of a match says what it is, also when another order opens one that somebody forfeited', async () => {
  // Group 1 has the seeds 1, 4, 5, who each beat one of the others.
  const cup = await startCup(api, 6, {
    format: 'groups_to_knockout',
    formatOptions: { groups: 2, advancePerGroup: 2 },
  });
  await playGroups(cup, (a, b) => a < b !== (a === 1 && b === 5));
  const [p1, p2, p3, p4, p5] = cup.participantIds;
  const { bearer } = cup.organizer;
  const path = `/tournaments/${cup.tournamentId}`;
  const body = { reason: 'Cheated.' };
  const out = await api.post(`${path}/participants/${p1}/disqualify`, { bearer, body });
  expect(out.status, out.text).toBe(200);
  const playoffs = async () => (await readMatches(api, cup.tournamentId)).filter(({ group }) => group === null);
  const opponentOfWhoIsOut = async () => {
    const matches = await playoffs();
    for (const { id, number, status, winnerId } of matches) {
      const last = await db.domainEvent.findFirst({ where: { aggregateId: id }, orderBy: { sequence: 'desc' } });
      const isForfeited = status === 'forfeited' ? { status } : {};
      expect(last?.payload, `match ${number}, which is ${status}`).toMatchObject({ winnerId, ...isForfeited });
    }
    return matches.find(({ status }) => status === 'forfeited')?.winnerId;
  };
  expect(await opponentOfWhoIsOut()).toBe(p3);
  const stages = (await readBracket(api, cup.tournamentId)).stages;
  const seeded = await api.put(`${path}/stages/${stages[1]?.id}/seeding`, {
    bearer,
    body: { order: [p3, p2, p1, p4] },
  });
  expect(seeded.status, seeded.text).toBe(200);
  expect(await opponentOfWhoIsOut()).toBe(p2);
  const ruled = await api.put(`${path}/stages/${stages[0]?.id}/groups/1/ruling`, {
    bearer,
    body: { order: [p5, p4, p1], reason: 'Fewer rounds lost' },
  });
  expect(ruled.status, ruled.text).toBe(200);
  expect(await opponentOfWhoIsOut(), 'they are not in the playoffs any more').toBeUndefined();
});
