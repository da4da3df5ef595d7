import { describe, expect, test } from 'vitest';
import { allowedActions } from './allowed';

const slot = (participantId: string) => {
  const source = { type: 'pairing' as const };
  return { participantId, name: participantId, seed: 1, score: null, result: null, source };
};
type Given = Partial<Parameters<typeof allowedActions>[0]>;
const match = (given: Given = {}) => ({
  status: 'ready' as const,
  slots: [slot('a'), slot('b')] as [ReturnType<typeof slot>, ReturnType<typeof slot>],
  report: null,
  decidedBy: null,
  startedAt: null,
  ...given,
});
const started = '2026-12-05T17:30:00.000Z';
const report = { by: 'a', games: [], winnerId: 'a', reportedAt: started, confirmBy: null };
const player = (myParticipantId: string) => ({ canManage: false, myParticipantId });
const staff = { canManage: true, myParticipantId: null };
const stranger = { canManage: false, myParticipantId: null };

describe('a player', () => {
  test('reports, and confirms or disputes what the opponent reported', () => {
    const reported = match({ status: 'in_progress', report, startedAt: started });
    expect(allowedActions(match(), player('a'))).toEqual(['report', 'reschedule']);
    expect(allowedActions(reported, player('a'))).toEqual(['report']);
    expect(allowedActions(reported, player('b'))).toEqual(['confirm', 'dispute']);
    expect(allowedActions(reported, player('c'))).toEqual([]);
  });

  test('never reports where only staff enter results, but may propose a time', () => {
    expect(allowedActions(match(), { ...player('a'), staffResults: true })).toEqual(['reschedule']);
    const running = match({ status: 'in_progress', startedAt: started });
    expect(allowedActions(running, { ...player('a'), staffResults: true })).toEqual([]);
    // A report from before that was decided.
    const reported = match({ status: 'in_progress', report });
    expect(allowedActions(reported, { ...player('b'), staffResults: true })).toEqual(['dispute']);
    const both = { canManage: true, myParticipantId: 'a', staffResults: true };
    expect(allowedActions(running, both)).toEqual(['enter', 'forfeit']);
  });

  test('waits while the match is pending, disputed or over', () => {
    expect(allowedActions(match({ status: 'pending' }), player('a'))).toEqual([]);
    expect(allowedActions(match({ status: 'pending' }), staff)).toEqual(['reschedule']);
    expect(allowedActions(match({ status: 'disputed', report }), player('b'))).toEqual([]);
    expect(allowedActions(match({ status: 'completed', decidedBy: 'result' }), player('b'))).toEqual([]);
  });
});

test('staff decides open matches and corrects decided ones', () => {
  expect(allowedActions(match(), staff)).toEqual(['enter', 'begin', 'forfeit', 'reschedule']);
  expect(allowedActions(match({ status: 'in_progress', report, startedAt: started }), staff)).toEqual([
    'confirm',
    'rule',
    'forfeit',
  ]);
  expect(allowedActions(match({ status: 'in_progress', report }), staff)).toEqual([
    'confirm',
    'rule',
    'removeReport',
    'forfeit',
  ]);
  expect(allowedActions(match({ status: 'disputed', report, startedAt: started }), staff)).toEqual([
    'rule',
    'removeReport',
    'forfeit',
  ]);
  expect(allowedActions(match({ status: 'completed', decidedBy: 'result' }), staff)).toEqual(['correct', 'reopen']);
  expect(allowedActions(match({ status: 'completed', decidedBy: 'bye' }), staff)).toEqual([]);
  expect(allowedActions(match(), stranger)).toEqual([]);
});
