import { z } from 'zod';
import { antiCheatGames } from '@/domain/anticheat/games';
import { define, sample, timestamp } from './definition';

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
  game: z.enum(antiCheatGames),
  userIds: z.array(z.string()).describe('Players whose anti-cheat client took part in the session.'),
  detectionCount: z.number().int().describe('Detections so far; further ones may follow within minutes.'),
  reason: z.string().nullable(),
  startedAt: timestamp,
  endedAt: timestamp,
});

const common = { version: 1, audience: 'project' } as const;

export const antiCheatEvents = {
  'anticheat.detection_raised': define({
    ...common,
    aggregateType: 'detection',
    title: 'Detection raised',
    description: 'A rule detected something in an anti-cheat session. The payload contains no evidence.',
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
    ...common,
    aggregateType: 'anticheat_session',
    title: 'Session completed',
    description: 'An anti-cheat session ended.',
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
};
