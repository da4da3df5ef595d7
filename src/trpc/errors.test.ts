import { describe, expect, it } from 'vitest';
import { readError } from '@/trpc/errors';

describe('readError', () => {
  it('reads the reason, issues and request id of an API error', () => {
    const error = Object.assign(new Error('Some fields are missing or not valid.'), {
      data: {
        reason: 'VALIDATION_FAILED',
        httpStatus: 400,
        issues: [{ path: 'name', message: 'Enter a name.' }, { path: 3 }],
        requestId: 'req_1',
      },
    });
    expect(readError(error)).toEqual({
      message: 'Some fields are missing or not valid.',
      reason: 'VALIDATION_FAILED',
      status: 400,
      issues: [{ path: 'name', message: 'Enter a name.' }],
      requestId: 'req_1',
      retryAfter: undefined,
    });
  });

  it('tells people who were signed out what to do', () => {
    const data = { reason: 'UNAUTHENTICATED', httpStatus: 401 };
    const error = Object.assign(new Error('Sign in, or send a Bearer access token.'), { data });
    expect(readError(error)).toMatchObject({ reason: 'UNAUTHENTICATED', status: 401 });
    expect(readError(error).message).toBe('You are signed out. Sign in in another tab, then try again here.');
  });

  it('says when the server was not reached', () => {
    expect(readError(new TypeError('Failed to fetch'))).toMatchObject({ reason: 'UNREACHABLE', status: 0 });
  });

  it('does not show the message of an unknown error', () => {
    expect(readError(new Error('secret detail')).message).not.toContain('secret');
    expect(readError('x').reason).toBe('UNKNOWN');
  });
});
