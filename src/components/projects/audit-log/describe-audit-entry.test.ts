import { expect, test } from 'vitest';
import {
  type AuditEntry,
  actorName,
  describeAuditEntry,
  remainingDetails,
} from '@/components/projects/audit-log/describe-audit-entry';

const entry = (changes: Partial<AuditEntry>): AuditEntry => ({
  id: 'aud_1',
  action: 'member.update',
  actor: { type: 'user', id: 'usr_1', name: 'Olivia' },
  targetType: 'user',
  targetId: 'usr_2',
  targetName: 'Max',
  details: {},
  requestId: 'req_1',
  createdAt: '2026-11-21T18:00:00.000Z',
  ...changes,
});

const sentence = (changes: Partial<AuditEntry>) => {
  const described = entry(changes);
  return `${actorName(described)} ${describeAuditEntry(described)
    .map(({ text }) => text)
    .join('')}`;
};

test('a role change names both roles and links to the member', () => {
  const changes = { details: { from: 'ORGANIZER', to: 'ADMIN' } };
  expect(sentence(changes)).toBe('Olivia changed Max’s role from Organizer to Admin');
  expect(describeAuditEntry(entry(changes))).toContainEqual({ text: 'Max', path: '/members', isName: true });
  expect(remainingDetails(entry(changes))).toEqual([]);
});

test('removing oneself is leaving', () => {
  const changes = { action: 'member.remove', details: { role: 'MEMBER' } };
  expect(sentence(changes)).toBe('Olivia removed Max from the project');
  expect(sentence({ ...changes, targetId: 'usr_1', targetName: 'Olivia' })).toBe('Olivia left the project');
});

test('an invitation names its address and role', () => {
  const invitation = { targetType: 'invitation', targetId: 'inv_1', targetName: null };
  const details = { email: 'max@example.com', role: 'ADMIN' };
  expect(sentence({ ...invitation, action: 'invitation.create', details })).toBe(
    'Olivia invited max@example.com as Admin',
  );
  expect(sentence({ ...invitation, action: 'invitation.accept', details: { role: 'ADMIN' } })).toBe(
    'Olivia joined the project as Admin',
  );
});

test('a tournament links to its page until it is deleted', () => {
  const tournament = { targetType: 'tournament', targetId: 'tnm_1' };
  const edited = { ...tournament, action: 'tournament.update', targetName: 'Spring Cup' };
  expect(sentence({ ...edited, details: { changes: ['name', 'banner'] } })).toBe('Olivia edited Spring Cup');
  expect(remainingDetails(entry({ ...edited, details: { changes: ['name', 'banner'] } }))).toEqual([
    { label: 'Changed', value: 'Name, Banner' },
  ]);
  expect(describeAuditEntry(entry(edited))).toContainEqual({
    text: 'Spring Cup',
    path: '/tournaments/tnm_1',
    isName: true,
  });
  const deleted = { ...tournament, action: 'tournament.delete', targetName: null, details: { name: 'Spring Cup' } };
  expect(sentence(deleted)).toBe('Olivia deleted the draft Spring Cup');
  expect(describeAuditEntry(entry(deleted)).some(({ path }) => path)).toBe(false);
});

test('a participant links to its tournament, and the reason stays a detail', () => {
  const changes = {
    action: 'participant.disqualify',
    targetType: 'participant',
    targetId: 'prt_1',
    targetName: 'Team North',
    details: { tournamentId: 'tnm_1', reason: 'Cheating' },
  };
  expect(sentence(changes)).toBe('Olivia disqualified Team North');
  expect(describeAuditEntry(entry(changes)).at(-1)?.path).toBe('/tournaments/tnm_1');
  expect(remainingDetails(entry(changes))).toEqual([{ label: 'Reason', value: 'Cheating' }]);
});

test('a match is named by its number and links to its tournament', () => {
  const match = { targetType: 'match', targetId: 'mat_1', targetName: null };
  const details = { tournamentId: 'tnm_1', number: 7, reason: 'Wrong map' };
  const corrected = { ...match, action: 'match.correct', details };
  expect(sentence(corrected)).toBe('Olivia corrected the result of M7');
  expect(describeAuditEntry(entry(corrected))).toContainEqual({ text: 'M7', path: '/tournaments/tnm_1' });
  expect(remainingDetails(entry(corrected))).toEqual([{ label: 'Reason', value: 'Wrong map' }]);
  expect(sentence({ ...match, action: 'match.assign', details: { ...details, station: 'Setup A' } })).toBe(
    'Olivia assigned M7 to Setup A',
  );
});

test('a start says in words whether no-shows were removed', () => {
  const started = { action: 'tournament.start', targetType: 'tournament', details: { removeNoShows: false } };
  expect(remainingDetails(entry(started))).toEqual([{ label: 'No-shows removed', value: 'No' }]);
});

test('a webhook is called by its URL where the entry has it', () => {
  const webhook = { targetType: 'webhook_subscription', targetId: 'whs_1', targetName: null };
  const created = { ...webhook, action: 'webhook.create', details: { url: 'https://example.com/hook', mode: 'none' } };
  expect(sentence(created)).toBe('Olivia created the webhook to example.com/hook');
  expect(remainingDetails(entry(created))).toEqual([{ label: 'Authentication', value: 'No authentication' }]);
  expect(sentence({ ...webhook, action: 'webhook.pause' })).toBe('Olivia paused a webhook');
});

test('a change of plan says which', () => {
  const project = { action: 'project.update', targetType: 'project', targetId: 'prj_1', targetName: null };
  expect(sentence({ ...project, details: { plan: 'pro' } })).toBe('Olivia changed the plan of the project to Pro');
  expect(sentence({ ...project, details: { name: 'Northern League' } })).toBe(
    'Olivia changed the settings of the project',
  );
});

test('actors without a name and unknown actions still read as sentences', () => {
  const unknown = { action: 'tournament.exploded', targetType: 'tournament', targetName: 'Spring Cup' };
  expect(sentence({ ...unknown, actor: { type: 'system', id: null, name: null } })).toBe(
    'Laurel changed Spring Cup (tournament.exploded)',
  );
  expect(actorName(entry({ actor: { type: 'user', id: 'usr_9', name: null } }))).toBe('A deleted user');
});

test('anti-cheat entries say which rules changed, and link to the session', () => {
  const rules = { game: 'Counter-Strike 2', rules: 'Inhuman aim snaps: snaps 4 to 6' };
  const changed = {
    action: 'anti_cheat_rules.update',
    targetType: 'anti_cheat_rules',
    targetId: 'cs2',
    details: rules,
  };
  expect(sentence(changed)).toBe(
    'Olivia changed the anti-cheat rules of Counter-Strike 2: Inhuman aim snaps: snaps 4 to 6',
  );
  expect(remainingDetails(entry(changed))).toEqual([]);
  const session = { targetType: 'anti_cheat_session', targetId: 'acs_1', targetName: null };
  const started = { ...session, action: 'anti_cheat_session.start', details: { number: 7 } };
  expect(sentence(started)).toBe('Olivia started an anti-cheat session for M7');
  expect(describeAuditEntry(entry(started))).toContainEqual({ text: 'M7', path: '/anti-cheat/sessions/acs_1' });
  expect(sentence({ ...session, action: 'anti_cheat_session.end' })).toBe('Olivia ended an anti-cheat session');
});

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('what a person called %s reads so', (text) => {
  const session = { action: 'anti_cheat_session.start', targetType: 'anti_cheat_session', targetName: null };
  expect(remainingDetails(entry({ ...session, details: { game: text } }))).toEqual([{ label: 'Game', value: text }]);
  const tie = { action: 'tournament.rule_tie', targetType: 'tournament', targetName: 'Cup', details: { reason: text } };
  expect(sentence(tie)).toBe(`Olivia decided a tie in Cup: ${text}`);
});
