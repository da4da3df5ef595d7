import { z } from 'zod';
import { define, sample } from './definition';

/** Never an email address: subscribers do not need to know it. */
const user = z.object({ userId: z.string(), name: z.string() });

const example = { userId: sample.userId, name: 'Ada' };

const common = { version: 1, aggregateType: 'user', audience: 'user' } as const;

export const userEvents = {
  'user.created': define({
    ...common,
    title: 'User signed up',
    description: 'Someone signed up.',
    payload: user,
    example,
  }),
  'user.verified': define({
    ...common,
    title: 'User verified',
    description: 'A user confirmed their email address.',
    payload: user,
    example,
  }),
  'user.suspended': define({
    ...common,
    planned: true,
    title: 'User suspended',
    description: 'A user was suspended and can neither sign in nor play.',
    payload: user.extend({ reason: z.string().nullable() }),
    example: { ...example, reason: 'Ban evasion' },
  }),
};
