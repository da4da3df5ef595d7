import { expect, test } from 'vitest';
import {
  actionDefinitions,
  actionNames,
  availableActions,
  blockedByCapacity,
  participantLabel,
  primaryAction,
  refusalSummary,
} from '@/components/tournaments/desk/actions/actions';

test('every action has its own key, and its undo is an action', () => {
  const keys = actionNames.map((action) => actionDefinitions[action].key);
  expect(new Set(keys).size).toBe(keys.length);
  for (const page of ['/', 'e', 'l', 'm', 's', 'u', '?']) expect(keys).not.toContain(page);
  for (const action of actionNames) {
    const { undo, reasonQuestion, warning } = actionDefinitions[action];
    if (undo) expect(actionNames).toContain(undo);
    // Actions without undo ask first, unless they reverse a decision or admit a participant.
    else if (!['promote', 'reinstate', 'reconsider'].includes(action)) expect(warning ?? reasonQuestion).toBeTruthy();
  }
});

test('the primary action moves a participant forward and is never destructive', () => {
  expect(primaryAction({ actions: ['waitlist', 'disqualify', 'check_in', 'remove'] })).toBe('check_in');
  expect(primaryAction({ actions: ['reject', 'approve', 'waitlist'] })).toBe('approve');
  expect(primaryAction({ actions: ['remove', 'promote'] })).toBe('promote');
  expect(primaryAction({ actions: ['disqualify', 'remove', 'waitlist'] })).toBeNull();
});

test('a full tournament blocks approvals, promotions and reinstatements', () => {
  const full = { status: 'PUBLISHED', currentParticipants: 8, maxParticipants: 8 };
  const pending = { registrationStatus: 'pending', status: 'registered' } as const;
  const disqualified = { registrationStatus: 'approved', status: 'disqualified' } as const;
  expect(blockedByCapacity(pending, full)).toBe('approved');
  expect(blockedByCapacity({ ...pending, registrationStatus: 'waitlisted' }, full)).toBe('promoted');
  expect(blockedByCapacity(disqualified, full)).toBe('reinstated');
  expect(blockedByCapacity({ ...disqualified, status: 'checked_in' }, full)).toBeNull();
  expect(blockedByCapacity({ ...pending, registrationStatus: 'rejected' }, full)).toBeNull();
  expect(blockedByCapacity(pending, { ...full, maxParticipants: 9 })).toBeNull();
  expect(blockedByCapacity(disqualified, { ...full, status: 'IN_PROGRESS' })).toBeNull();
});

test('a selection offers the actions allowed for any of its rows, with counts', () => {
  const rows = [{ actions: ['check_in', 'remove'] as const }, { actions: ['approve', 'remove'] as const }];
  expect(availableActions(rows.map(({ actions }) => ({ actions: [...actions] })))).toEqual([
    { action: 'check_in', count: 1 },
    { action: 'approve', count: 1 },
    { action: 'remove', count: 2 },
  ]);
});

test('failures are counted by code, the most frequent first', () => {
  const failed = (code: string) => ({ id: code, name: 'Ada', code, message: code });
  const refused = [failed('INVALID_STATE'), failed('ROSTER_FULL'), failed('ROSTER_FULL')];
  expect(refusalSummary(refused, 40)).toEqual({
    title: '3 of 40 failed',
    codes: 'ROSTER_FULL (2), INVALID_STATE (1)',
  });
  expect([participantLabel([{ name: 'Ada' }]), participantLabel([{ name: 'Ada' }, { name: 'Bo' }])]).toEqual([
    'Ada',
    '2 participants',
  ]);
});
