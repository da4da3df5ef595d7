import { expect, test } from 'vitest';
import { invitationStatus } from '@/domain/projects/invitations';

test('an invitation is open until it is accepted, revoked or expired', () => {
  const open = { acceptedAt: null, revokedAt: null, expiresAt: new Date(1000) };
  expect(invitationStatus(open, new Date(999))).toBe('open');
  expect(invitationStatus(open, new Date(1000))).toBe('expired');
  expect(invitationStatus({ ...open, acceptedAt: new Date(1) }, new Date(2000))).toBe('accepted');
  expect(invitationStatus({ ...open, revokedAt: new Date(1) }, new Date(2000))).toBe('revoked');
});
