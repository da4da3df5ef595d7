import { describe, expect, it } from 'vitest';
import { bracketData, drawn } from '@/components/brackets/bracket-data.fixture';
import type { BracketMatch } from '@/components/brackets/types';
import { describeNextMatch } from '@/components/matches/next-match-words';
import type { Bracket } from '@/domain/brackets/types';

const ownMatches = (bracket: Bracket, participantId: string) =>
  bracketData(bracket)
    .stages.flatMap(({ rounds }) => rounds.flatMap(({ matches }) => matches))
    .filter(({ slots }) => slots.some((slot) => slot.participantId === participantId));

function firstMatch(change: Partial<BracketMatch> = {}): BracketMatch {
  const [match] = ownMatches(drawn('single_elimination', 4), 'p1');
  if (!match) throw new Error('no match');
  return { ...match, ...change };
}

const report = { by: 'p4', games: [], winnerId: 'p4', reportedAt: '2026-12-05T18:00:00.000Z', confirmBy: null };

describe('describeNextMatch', () => {
  const advice = (change: Partial<BracketMatch>) => describeNextMatch(firstMatch(change), 'p1', 'confirm');

  it('never asks a player to report where staff enter results', () => {
    for (const change of [{}, { status: 'in_progress' as const }]) {
      expect(describeNextMatch(firstMatch(change), 'p1', 'staff').advice).toMatch(/staff enter the result\.$/i);
      expect(advice(change).advice).toMatch(/report the result/i);
    }
  });

  it('names the opponent and says to play', () => {
    expect(advice({})).toMatchObject({ opponent: 'Player 4', urgent: true });
  });

  it('counts down to the scheduled time', () => {
    const at = '2026-12-05T18:00:00.000Z';
    expect(advice({ status: 'scheduled', scheduledAt: at }).until).toEqual({ at, label: 'Starts' });
  });

  it('asks for a confirmation only of the opponent’s report', () => {
    expect(advice({ status: 'in_progress', report }).advice).toContain('Confirm it');
    expect(advice({ status: 'in_progress', report: { ...report, by: 'p1' } }).advice).toContain('has to confirm');
  });

  it('sends a called player to the station, until the time to show up', () => {
    const showUpBy = '2026-12-05T18:40:00.000Z';
    const called = { calledAt: '2026-12-05T18:30:00.000Z', showUpBy };
    expect(advice({ ...called, station: 'Station 3' })).toMatchObject({
      advice: 'You are called to Station 3.',
      urgent: true,
      until: { at: showUpBy, label: 'Be there' },
    });
    expect(advice(called).advice).toContain('Go to your match now');
  });

  it('leaves a disputed match to the moderators', () => {
    expect(advice({ status: 'disputed', report }).advice).toContain('A moderator will decide');
  });
});
