import { expect, test } from 'vitest';
import { historyText } from '@/components/tournaments/desk/drawer/history-text';

const facts = {
  registrationStatus: 'approved',
  status: 'registered',
  previous: null,
  reason: null,
  changes: [],
  isGuest: false,
  substitution: null,
} as const;
const text = (entry: Partial<Parameters<typeof historyText>[0]> & { type: string }, bySelf = false) =>
  historyText({ ...facts, changes: [], ...entry }, bySelf);

test('participants act for themselves, organizers act on them', () => {
  expect(text({ type: 'participant.registered' }, true).predicate).toBe('registered.');
  expect(text({ type: 'participant.registered' }).predicate).toBe('registered this participant.');
  expect(text({ type: 'participant.checked_in' }, true).predicate).toBe('checked in.');
  expect(text({ type: 'participant.registered', registrationStatus: 'waitlisted' }).detail).toBe('On the waitlist.');
});

test('promotions differ from approvals, and undone decisions are named', () => {
  expect(text({ type: 'participant.approved' }).predicate).toBe('approved the registration.');
  const waitlisted = { registrationStatus: 'waitlisted', status: 'registered' } as const;
  expect(text({ type: 'participant.approved', previous: waitlisted }).predicate).toBe(
    'promoted this participant from the waitlist.',
  );
  const checkedIn = { registrationStatus: 'approved', status: 'checked_in' } as const;
  expect(text({ type: 'participant.updated', changes: ['status'], previous: checkedIn }).predicate).toBe(
    'undid the check-in.',
  );
  const rejected = { registrationStatus: 'rejected', status: 'registered' } as const;
  const reconsidered = { registrationStatus: 'pending', changes: ['registrationStatus'], previous: rejected } as const;
  expect(text({ type: 'participant.updated', ...reconsidered, changes: ['registrationStatus'] }).predicate).toBe(
    'moved the registration back to pending.',
  );
});

test('an account that takes a participant over differs from one that leaves it', () => {
  const change = { type: 'participant.updated', changes: ['userId'] };
  expect(text(change).predicate).toBe('took over this participant with a claim link.');
  expect(text({ ...change, isGuest: true }).predicate).toMatch(/^left /);
});

test('edits name what changed, and reasons are kept', () => {
  expect(text({ type: 'participant.updated', changes: ['customFields', 'name'] }).predicate).toBe(
    'changed the answers and name.',
  );
  expect(text({ type: 'participant.disqualified', reason: 'Smurfing' })).toEqual({
    predicate: 'disqualified this participant.',
    detail: 'Smurfing',
  });
  const substitution = { out: { id: 'usr_1', name: 'Bo' }, in: { id: 'usr_2', name: null } };
  expect(text({ type: 'participant.substituted', substitution, reason: 'Ill' })).toEqual({
    predicate: 'replaced Bo with usr_2.',
    detail: 'Ill',
  });
});
