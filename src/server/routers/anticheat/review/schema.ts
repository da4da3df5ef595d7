import { z } from 'zod';
import { antiCheatGames } from '@/domain/anticheat/games';
import { reviewStatuses, severities, verdicts } from '@/domain/anticheat/reviews';
import { type RuleKey, ruleKeys } from '@/domain/anticheat/rules';
import { pageInputOf, pageOf } from '@/server/paging';

const timestamp = z.iso.datetime();
const id = z.string().max(64);

export const queueInput = pageInputOf(100, 25).extend({
  projectId: id,
  status: z.enum(reviewStatuses).optional().describe('Left out: all.'),
  severity: z.enum(severities).optional(),
  rule: z.enum(ruleKeys as [RuleKey, ...RuleKey[]]).optional(),
  game: z.enum(antiCheatGames).optional(),
  tournamentId: id.optional(),
  matchId: z.string().max(128).optional(),
  userId: id.optional(),
});
export type QueueInput = z.output<typeof queueInput>;

const review = z.object({
  verdict: z.enum(verdicts).nullable().describe('null: unreviewed.'),
  note: z.string().nullable(),
  reviewedBy: z.object({ userId: id, name: z.string().nullable().describe('null: a deleted user.') }).nullable(),
  reviewedAt: timestamp.nullable(),
  version: z.number().int(),
});

export const queueItem = review.extend({
  id,
  sessionId: id,
  ruleId: z.string(),
  rule: z.string(),
  severity: z.enum(severities),
  explanation: z.string(),
  raisedAt: timestamp,
  player: z.object({ userId: id, name: z.string().nullable().describe('null: a deleted user.') }),
  matchId: z.string(),
  match: z
    .object({ number: z.number().int(), tournamentId: id, tournamentSlug: z.string(), tournamentName: z.string() })
    .nullable()
    .describe("null: an id of the integrator's own."),
  evidenceCount: z.number().int(),
});
export type QueueItem = z.infer<typeof queueItem>;

export const queuePage = pageOf(queueItem);

export const detectionInput = z.object({ projectId: id, detectionId: id });

export const detectionDetail = queueItem.extend({
  windowStart: timestamp,
  windowEnd: timestamp,
  figures: z.record(z.string(), z.unknown()),
  thresholds: z.record(z.string(), z.number()).describe('Those that it was raised by.'),
  session: z.object({
    id,
    game: z.enum(antiCheatGames),
    startedAt: timestamp,
    endedAt: timestamp.nullable(),
    endReason: z.string().nullable(),
    requested: z.number().int().describe('Players whom it was started for.'),
    wired: z.number().int().describe('Clients that it covers.'),
  }),
  client: z
    .object({
      id,
      deviceName: z.string().nullable(),
      enrolledAt: timestamp,
      revokedAt: timestamp.nullable(),
      lastHeardAt: timestamp.nullable(),
    })
    .nullable()
    .describe('null: deleted.'),
});
export type DetectionDetail = z.infer<typeof detectionDetail>;
