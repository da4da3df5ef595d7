import { expect, test } from 'vitest';
import type { Match } from '@/components/matches/types';
import { deskSections, sectionChanges } from './sections';

const now = Date.parse('2026-12-05T18:00:00.000Z');

function listed(number: number, given: Partial<Match>) {
  const slot = (participantId: string) => {
    const source = { type: 'pairing' as const };
    return { participantId, name: participantId, seed: 1, score: null, result: null, source };
  };
  const match: Match = {
    id: `mat_${number}`,
    tournamentId: 'trn',
    stage: 'Bracket',
    stageId: 'stg',
    group: null,
    round: 1,
    number,
    bracket: 'winners',
    status: 'ready',
    decidedBy: null,
    bestOf: 1,
    slots: [slot('a'), slot('b')],
    games: [],
    winnerId: null,
    winnerTo: null,
    loserTo: null,
    report: null,
    counterReport: null,
    proposal: null,
    scheduledAt: null,
    calledAt: null,
    showUpBy: null,
    station: null,
    stationId: null,
    streamUrl: null,
    streamPosition: null,
    startedAt: null,
    completedAt: null,
    version: 1,
    ...given,
  };
  return { match, roundName: 'Round 1' };
}

test('the most urgent come first: disputes, no-shows, reports; the newest result leads the finished', () => {
  const report = { by: 'a', games: [], winnerId: 'a', reportedAt: '2026-12-05T17:00:00.000Z', confirmBy: null };
  const sections = deskSections(
    [
      listed(1, { status: 'completed', completedAt: '2026-12-05T16:00:00.000Z' }),
      listed(2, { status: 'forfeited', completedAt: '2026-12-05T17:00:00.000Z' }),
      listed(3, {}),
      listed(4, { status: 'scheduled', scheduledAt: '2026-12-05T19:00:00.000Z' }),
      listed(5, { status: 'scheduled', scheduledAt: '2026-12-05T17:59:00.000Z' }),
      listed(6, { status: 'in_progress', startedAt: '2026-12-05T17:30:00.000Z' }),
      listed(7, { status: 'in_progress', report }),
      listed(8, { status: 'disputed', report }),
      listed(9, { status: 'pending' }),
      listed(10, { calledAt: '2026-12-05T17:49:00.000Z', showUpBy: '2026-12-05T17:59:00.000Z' }),
      listed(11, { calledAt: '2026-12-05T17:55:00.000Z', showUpBy: '2026-12-05T18:05:00.000Z' }),
      listed(12, { status: 'in_progress', startedAt: '2026-12-05T17:15:00.000Z' }),
      listed(13, { status: 'in_progress', startedAt: '2026-12-05T17:00:00.000Z', bestOf: 3 }),
    ],
    now,
  );
  expect(sections.map(({ id, items }) => [id, items.map(({ match }) => match.number)])).toEqual([
    ['disputed', [8]],
    ['missing', [10]],
    ['reported', [7]],
    ['unreported', [12]],
    ['late', [5]],
    ['called', [11]],
    ['running', [13, 6]],
    ['ready', [4, 3]],
    ['finished', [2, 1]],
  ]);
});

test('names the moments at which a match moves to another section', () => {
  const all = [
    listed(1, { scheduledAt: '2026-12-05T19:00:00.000Z' }),
    listed(4, { calledAt: '2026-12-05T17:55:00.000Z', showUpBy: '2026-12-05T18:05:00.000Z' }),
    listed(2, { status: 'in_progress', startedAt: '2026-12-05T17:30:00.000Z', bestOf: 3 }),
    listed(3, {}),
  ];
  for (const change of sectionChanges(all)) {
    const at = (when: number) =>
      deskSections(all, when).map(({ id, items }) => [id, items.map(({ match }) => match.number)]);
    expect(at(change + 1)).not.toEqual(at(change - 1));
  }
  expect(sectionChanges(all)).toHaveLength(3);
});
