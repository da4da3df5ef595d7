import { z } from 'zod';
import { aboutOther, aboutUser, define, sample, timestamp } from './definition';

/** Never an e-mail address: whoever subscribes need not know it. */
const user = z.object({ userId: z.string(), name: z.string() });

const detection = z.object({
  detectionId: z.string(),
  sessionId: z.string(),
  matchId: z.string(),
  userId: z.string(),
  ruleId: z.string(),
  rule: z.string(),
  severity: z.enum(['low', 'medium', 'high', 'critical']),
  raisedAt: timestamp,
});

const session = z.object({
  sessionId: z.string(),
  matchId: z.string(),
  game: z.enum(['cs2', 'valorant', 'apex', 'dota2', 'rl']),
  userIds: z.array(z.string()).describe('Players whose client was wired into the session.'),
  detectionCount: z.number().int(),
  reason: z.string().nullable(),
  startedAt: timestamp,
  endedAt: timestamp,
});

const ofUser = { version: 1, aggregateType: 'user', filters: aboutUser } as const;
const ada = { userId: sample.userId, name: 'Ada' };

export const peopleEvents = {
  'user.created': define({ ...ofUser, description: 'Someone signed up.', payload: user, example: ada }),
  'user.verified': define({
    ...ofUser,
    description: 'A user confirmed their e-mail address.',
    payload: user,
    example: ada,
  }),
  'user.suspended': define({
    ...ofUser,
    description: 'A user may not sign in or play until further notice.',
    payload: user.extend({ reason: z.string().nullable() }),
    example: { ...ada, reason: 'Ban evasion' },
  }),
  'anticheat.detection_raised': define({
    version: 1,
    aggregateType: 'detection',
    filters: aboutUser,
    description: 'A rule flagged something in an anti-cheat session. Carries no evidence.',
    payload: detection,
    example: {
      detectionId: 'det_01k9x8z5q9d6f8g0h1k2m3n4p5',
      sessionId: sample.sessionId,
      matchId: sample.matchId,
      userId: sample.userId,
      ruleId: 'cs2.aim_snap',
      rule: 'Inhuman aim snaps',
      severity: 'high',
      raisedAt: sample.at,
    },
  }),
  'anticheat.session_completed': define({
    version: 1,
    aggregateType: 'anticheat_session',
    filters: aboutOther,
    description: 'A monitoring session ended.',
    payload: session,
    example: {
      sessionId: sample.sessionId,
      matchId: sample.matchId,
      game: 'cs2',
      userIds: [sample.userId],
      detectionCount: 1,
      reason: 'match completed',
      startedAt: sample.at,
      endedAt: '2026-11-21T18:48:00.000Z',
    },
  }),
  'webhook.test': define({
    version: 1,
    aggregateType: 'webhook_subscription',
    filters: [],
    description: 'Sent by hand to try out a subscription, whatever it subscribes to.',
    payload: z.object({ subscriptionId: z.string(), message: z.string() }),
    example: { subscriptionId: 'whs_01k9x9a6r0e7g9h1j2m3n4p5q6', message: 'This is a test.' },
  }),
};
