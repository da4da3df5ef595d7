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
import { historyText } from '@/components/tournaments/desk/drawer/history-text';

test('every action has a key of its own, and what takes it back is an action', () => {
  const keys = actionNames.map((action) => actionDefinitions[action].key);
  expect(new Set(keys).size).toBe(keys.length);
  for (const page of ['/', 'e', 'l', 'm', 's', 'u', '?']) expect(keys).not.toContain(page);
  for (const action of actionNames) {
    const { undo, reasonQuestion: reason, warning: asks } = actionDefinitions[action];
    if (undo) expect(actionNames).toContain(undo);
    // What cannot be undone asks, unless it takes back or lets in.
    else if (!['promote', 'reinstate', 'reconsider'].includes(action)) expect(asks ?? reason).toBeTruthy();
  }
});

test('the next step makes an entrant ready, and is none of what harms', () => {
  expect(primaryAction({ actions: ['waitlist', 'disqualify', 'check_in', 'remove'] })).toBe('check_in');
  expect(primaryAction({ actions: ['reject', 'approve', 'waitlist'] })).toBe('approve');
  expect(primaryAction({ actions: ['remove', 'promote'] })).toBe('promote');
  expect(primaryAction({ actions: ['disqualify', 'remove', 'waitlist'] })).toBeNull();
});

test('who cannot be let in for want of a slot is told apart from who can', () => {
  const full = { status: 'PUBLISHED', currentParticipants: 8, maxParticipants: 8 };
  const pending = { registrationStatus: 'pending', status: 'registered' } as const;
  const out = { registrationStatus: 'approved', status: 'disqualified' } as const;
  expect(blockedByCapacity(pending, full)).toBe('approved');
  expect(blockedByCapacity({ ...pending, registrationStatus: 'waitlisted' }, full)).toBe('promoted');
  expect(blockedByCapacity(out, full)).toBe('reinstated');
  expect(blockedByCapacity({ ...out, status: 'checked_in' }, full)).toBeNull();
  expect(blockedByCapacity({ ...pending, registrationStatus: 'rejected' }, full)).toBeNull();
  expect(blockedByCapacity(pending, { ...full, maxParticipants: 9 })).toBeNull();
  expect(blockedByCapacity(out, { ...full, status: 'IN_PROGRESS' })).toBeNull();
});

test('a selection can be done what fits any of it, with how many', () => {
  const rows = [{ actions: ['check_in', 'remove'] as const }, { actions: ['approve', 'remove'] as const }];
  expect(availableActions(rows.map(({ actions }) => ({ actions: [...actions] })))).toEqual([
    { action: 'check_in', count: 1 },
    { action: 'approve', count: 1 },
    { action: 'remove', count: 2 },
  ]);
});

test('refusals are counted by code, the most frequent first', () => {
  const refusal = (code: string) => ({ id: code, name: 'Ada', code, message: code });
  const refused = [refusal('INVALID_STATE'), refusal('ROSTER_FULL'), refusal('ROSTER_FULL')];
  expect(refusalSummary(refused, 40)).toEqual({
    title: '3 of 40 refused',
    codes: 'ROSTER_FULL (2), INVALID_STATE (1)',
  });
  expect([participantLabel([{ name: 'Ada' }]), participantLabel([{ name: 'Ada' }, { name: 'Bo' }])]).toEqual([
    'Ada',
    '2 entrants',
  ]);
});

const told = {
  registrationStatus: 'approved',
  status: 'registered',
  previous: null,
  reason: null,
  changes: [],
  substitution: null,
} as const;
const words = (entry: Partial<Parameters<typeof historyText>[0]> & { type: string }) =>
  historyText({ ...told, changes: [], ...entry });

test('the history tells promotions from approvals, and what was taken back', () => {
  expect(words({ type: 'participant.approved' }).title).toBe('Approved');
  const waited = { registrationStatus: 'waitlisted', status: 'registered' } as const;
  expect(words({ type: 'participant.approved', previous: waited }).title).toBe('Promoted from the waitlist');
  const checkedIn = { registrationStatus: 'approved', status: 'checked_in' } as const;
  expect(words({ type: 'participant.updated', changes: ['status'], previous: checkedIn }).title).toBe(
    'Check-in taken back',
  );
  expect(words({ type: 'participant.updated', changes: ['customFields', 'name'] }).detail).toBe(
    'Changed: answers, name.',
  );
  expect(words({ type: 'participant.disqualified', reason: 'Smurfing' })).toEqual({
    title: 'Disqualified',
    detail: 'Smurfing',
  });
  const substitution = { out: { id: 'usr_1', name: 'Bo' }, in: { id: 'usr_2', name: null } };
  expect(words({ type: 'participant.substituted', substitution, reason: 'Ill' }).detail).toBe('usr_2 for Bo: Ill');
});
