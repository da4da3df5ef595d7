import { expect, test } from 'vitest';
import { signInError } from '@/components/auth/sign-in';

test('an unknown reason is not shown, because a link can carry whatever text it likes', () => {
  expect(signInError('INVALID_CREDENTIALS').reason).toBe('INVALID_CREDENTIALS');
  for (const code of ['Your account is locked: call +1 555 0100', 'constructor', '']) {
    expect(signInError(code)).toEqual({ message: 'Signing in failed. Try again.' });
  }
});
