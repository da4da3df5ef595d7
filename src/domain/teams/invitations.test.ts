import { expect, test } from 'vitest';
import { teamInvitationKind, teamInvitationStatus } from '@/domain/teams/invitations';

test('an invitation is open until it is answered, revoked or expired', () => {
  const at = (minutes: number) => new Date(minutes * 60_000);
  const row = { acceptedAt: null, declinedAt: null, revokedAt: null, expiresAt: at(10) };
  expect(teamInvitationStatus(row, at(9))).toBe('open');
  expect(teamInvitationStatus(row, at(10))).toBe('expired');
  expect(teamInvitationStatus({ ...row, acceptedAt: at(1) }, at(20))).toBe('accepted');
  expect(teamInvitationStatus({ ...row, declinedAt: at(1) }, at(2))).toBe('declined');
  expect(teamInvitationStatus({ ...row, revokedAt: at(1) }, at(2))).toBe('revoked');
});

test('an invitation is for one player, one address, or the holder of the link', () => {
  expect(teamInvitationKind({ userId: 'usr_a', email: null })).toBe('player');
  expect(teamInvitationKind({ userId: null, email: 'a@players.test' })).toBe('email');
  expect(teamInvitationKind({ userId: null, email: null })).toBe('link');
});
