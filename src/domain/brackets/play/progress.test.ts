import { describe, expect, it } from 'vitest';
import { generate } from '@/domain/brackets/draw/generate';
import { deepFreeze, ids, playOut, reportWinner } from '@/domain/brackets/playing.fixture';
import type { Bracket } from '@/domain/brackets/types';
import { isComplete } from './outcomes';
import { apply, findMatch, replaceMatch } from './progress';

const idsOf = (bracket: Bracket, number: number) =>
  findMatch(bracket, number).slots.map(({ participantId }) => participantId);
const leave = (bracket: Bracket, participantId: string) => apply(bracket, { type: 'withdraw', participantId });

describe('apply', () => {
  const start = deepFreeze(generate('single_elimination', {}, ids(4), 'x'));

  it('changes the match and the one its winner goes to, and nothing else', () => {
    const { patch } = apply(start, { type: 'result', match: 1, result: { type: 'played', winnerId: 'p1' } });
    expect(patch.changed.map(({ number }) => number)).toEqual([1, 3]);
    expect(patch).toMatchObject({
      added: [],
      removed: [],
      stages: [],
      departures: null,
      eliminated: ['p4'],
      restored: [],
    });
  });

  it('takes a result while the match is scheduled, in progress or disputed', () => {
    for (const status of ['scheduled', 'in_progress', 'disputed'] as const) {
      const bracket = replaceMatch(start, { ...findMatch(start, 1), status });
      expect(findMatch(reportWinner(bracket, findMatch(bracket, 1), 'p1'), 1).status).toBe('completed');
    }
  });

  it('keeps what the caller set on a match while its participants stay', () => {
    const bracket = replaceMatch(start, { ...findMatch(start, 2), status: 'in_progress' });
    expect(findMatch(reportWinner(bracket, findMatch(bracket, 1), 'p1'), 2).status).toBe('in_progress');
  });

  it.each([
    [{ type: 'result', match: 9, result: { type: 'played', winnerId: 'p1' } }, 'UNKNOWN_MATCH'],
    [{ type: 'result', match: 3, result: { type: 'played', winnerId: 'p1' } }, 'MATCH_NOT_READY'],
    [{ type: 'withdraw', participantId: 'p9' }, 'UNKNOWN_PARTICIPANT'],
    [{ type: 'reseed', stage: 1, participantIds: ids(4) }, 'STAGE_NOT_DRAWN'],
    [{ type: 'reseed', stage: 2, participantIds: ids(4) }, 'UNKNOWN_STAGE'],
    [{ type: 'rule_tie', stage: 1, group: 1, ruling: null }, 'UNKNOWN_STAGE'],
  ] as const)('refuses %j with %s', (action, code) => {
    expect(() => apply(start, action)).toThrow(expect.objectContaining({ code }));
  });

  it('refuses a second result and a second departure', () => {
    const done = reportWinner(start, findMatch(start, 1), 'p1');
    expect(() => reportWinner(done, findMatch(done, 1), 'p4')).toThrow(
      expect.objectContaining({ code: 'MATCH_ALREADY_DECIDED' }),
    );
    const gone = leave(start, 'p1').bracket;
    expect(() => leave(gone, 'p1')).toThrow(expect.objectContaining({ code: 'ALREADY_DEPARTED' }));
  });

  it('passes byes on when both sides of a match forfeit', () => {
    const both = { type: 'forfeit', participantIds: ['p1', 'p8'] } as const;
    let bracket = generate('double_elimination', {}, ids(8), 'x');
    bracket = apply(bracket, { type: 'result', match: 1, result: both }).bracket;
    expect(findMatch(bracket, 1)).toMatchObject({ status: 'forfeited', winnerId: null });
    bracket = reportWinner(bracket, findMatch(bracket, 2), 'p4');
    const next = bracket.matches.find((match) => match.bracket === 'winners' && match.round === 2);
    expect(next).toMatchObject({ status: 'completed', decidedBy: 'bye', winnerId: 'p4' });
    expect(next?.slots[0]).toMatchObject({
      participantId: null,
      source: { type: 'bye', of: { type: 'winner', match: 1 } },
    });
    const losers = bracket.matches.find((match) => match.bracket === 'losers' && match.round === 1);
    expect(losers).toMatchObject({ status: 'completed', decidedBy: 'bye', winnerId: 'p5' });
    expect(isComplete(playOut(bracket))).toBe(true);
  });
});

describe('a departure', () => {
  it('forfeits the open match of a knockout and every later one', () => {
    const bracket = generate('double_elimination', {}, ids(4), 'x');
    const { bracket: gone, patch } = leave(bracket, 'p1');
    expect(findMatch(gone, 1)).toMatchObject({ status: 'forfeited', decidedBy: 'departure', winnerId: 'p4' });
    expect(patch.departures).toEqual([{ participantId: 'p1', type: 'withdrawn', stage: 1, round: 0 }]);
    expect(patch.eliminated).toEqual([]);
    const next = playOut(gone);
    const lost = next.matches.filter(({ slots }) => slots.some(({ participantId }) => participantId === 'p1'));
    expect(lost.map(({ bracket: side, decidedBy }) => [side, decidedBy])).toEqual([
      ['winners', 'departure'],
      ['losers', 'departure'],
    ]);
  });

  it('leaves the win of an opponent who leaves later as it is', () => {
    const gone = leave(generate('single_elimination', {}, ids(4), 'x'), 'p1').bracket;
    const end = reportWinner(reportWinner(gone, findMatch(gone, 2), 'p2'), findMatch(gone, 3), 'p4');
    const later = leave(end, 'p4');
    expect(later.patch.changed).toEqual([]);
    expect(later.bracket.departures.map(({ participantId }) => participantId)).toEqual(['p1', 'p4']);
  });

  it('lets results of a round robin stand and forfeits the rest', () => {
    const start = generate('round_robin', {}, ids(4), 'x');
    const open = start.matches.filter(({ slots }) => slots.some(({ participantId }) => participantId === 'p1'));
    const [first] = open;
    const played = first ? reportWinner(start, first, 'p1') : start;
    const gone = leave(played, 'p1').bracket;
    const mine = gone.matches.filter(({ slots }) => slots.some(({ participantId }) => participantId === 'p1'));
    expect(mine.map(({ decidedBy }) => decidedBy).sort()).toEqual(['departure', 'departure', 'result']);
  });

  it('keeps who left during the groups out of the knockout', () => {
    const start = generate('groups_to_knockout', { groups: 2 }, ids(8), 'x');
    const [first] = start.matches;
    const played = start.matches.slice(1).reduce((bracket, match) => {
      if (match.stage !== 1) return bracket;
      return reportWinner(
        bracket,
        match,
        (match.slots[0].seed ?? 0) < (match.slots[1].seed ?? 0)
          ? match.slots[0].participantId
          : match.slots[1].participantId,
      );
    }, start);
    const gone = leave(played, 'p2').bracket;
    const done = first ? reportWinner(gone, first, first.slots[0].participantId) : gone;
    expect(idsOf(done, 13).concat(idsOf(done, 14))).not.toContain('p2');
    expect(idsOf(done, 14)).toEqual(['p3', 'p4']);
  });

  it('forfeits the knockout for who leaves after the groups', () => {
    const start = generate('groups_to_knockout', { groups: 2 }, ids(8), 'x');
    const groupsDone = start.matches.reduce((bracket, match) => {
      return match.stage === 1 ? reportWinner(bracket, match, match.slots[0].participantId) : bracket;
    }, start);
    const [someone] = idsOf(groupsDone, 13);
    const gone = leave(groupsDone, someone ?? '').bracket;
    expect(findMatch(gone, 13)).toMatchObject({ status: 'forfeited', decidedBy: 'departure' });
  });
});

describe('reseed', () => {
  const groupsDone = (() => {
    const start = generate('groups_to_knockout', { groups: 2 }, ids(8), 'x');
    return start.matches.reduce((bracket, match) => {
      return match.stage === 1 ? reportWinner(bracket, match, match.slots[0].participantId) : bracket;
    }, start);
  })();
  const entered = [...idsOf(groupsDone, 13), ...idsOf(groupsDone, 14)].map((id) => id ?? '');

  it('draws the knockout in the order given', () => {
    const participantIds = entered.toReversed();
    const { bracket, patch } = apply(groupsDone, { type: 'reseed', stage: 2, participantIds });
    expect(idsOf(bracket, 13)).toEqual([participantIds[0], participantIds[3]]);
    expect(idsOf(bracket, 14)).toEqual([participantIds[1], participantIds[2]]);
    expect(patch.changed.map(({ number }) => number)).toEqual([13, 14]);
    expect(isComplete(playOut(bracket))).toBe(true);
  });

  it('is refused when somebody is missing or the stage has begun', () => {
    const seed = (bracket: Bracket, participantIds: string[]) =>
      apply(bracket, { type: 'reseed', stage: 2, participantIds });
    expect(() => seed(groupsDone, entered.slice(1))).toThrow(expect.objectContaining({ code: 'INVALID_SEEDING' }));
    const begun = reportWinner(groupsDone, findMatch(groupsDone, 13), entered[0]);
    expect(() => seed(begun, entered)).toThrow(expect.objectContaining({ code: 'STAGE_ALREADY_BEGUN' }));
  });
});
