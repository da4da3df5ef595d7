import { z } from 'zod';
import { evidenceKinds } from '@/domain/anticheat/evidence';
import { antiCheatGames } from '@/domain/anticheat/games';
import { maxNoteLength, reviewStatuses, severities, verdicts } from '@/domain/anticheat/reviews';
import { type RuleKey, ruleKeys } from '@/domain/anticheat/rules';
import { AiVerdictFailure } from '@/generated/prisma/enums';
import { pageInput, pageInputOf, pageOf } from '@/server/paging';

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

/** What the verdict provider of the instance said. */
const aiVerdict = z.object({
  verdict: z.enum(verdicts),
  confidence: z.number().describe('From 0 to 1.'),
  model: z.string(),
  at: timestamp,
});

export const queueItem = review.extend({
  id,
  sessionId: id,
  ruleId: z.string(),
  rule: z.string(),
  severity: z.enum(severities),
  explanation: z.string(),
  raisedAt: timestamp,
  player: z.object({
    userId: id,
    name: z.string().nullable().describe('null: a deleted user, or one before the takeover.'),
    beforeTakeover: z.boolean().describe('Whether the owner of the account took it over later.'),
  }),
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
  aiVerdict: aiVerdict.nullable(),
  aiVerdictPending: z.boolean().describe('Whether the provider is still to be asked.'),
  aiVerdictFailure: z.enum(AiVerdictFailure).nullable().describe('Why the provider gave no verdict.'),
  session: z.object({
    id,
    game: z.enum(antiCheatGames),
    startedAt: timestamp,
    endedAt: timestamp.nullable(),
    endReason: z.string().nullable(),
    requested: z.number().int().describe('Players whom it was started for.'),
    wired: z.number().int().describe('Players whose clients it covers.'),
  }),
  participants: z
    .array(z.object({ id, name: z.string(), tournamentId: id, tournamentName: z.string() }))
    .describe('The player in the match; without a match of the project, in its current tournaments.'),
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

export const reviewInput = detectionInput.extend({
  verdict: z.enum(verdicts).nullable().describe('null: takes the review back.'),
  note: z.string().trim().max(maxNoteLength).nullable(),
  version: z.number().int().min(0).describe('The version that the reviewer saw.'),
});
export const reviewOutput = review.extend({ id });
export type ReviewOutput = z.infer<typeof reviewOutput>;

export const evidenceInput = detectionInput.extend(pageInput.shape);
export const evidenceItem = z.object({
  id,
  kind: z.enum(evidenceKinds),
  contentType: z.string(),
  sizeBytes: z.number().int(),
  isForDetection: z.boolean().describe('false: for the whole session.'),
  uploadedAt: timestamp,
});
export const evidencePage = pageOf(evidenceItem);
export const viewInput = detectionInput.extend({ mediaFileId: id });

export const reportChart = z.object({
  title: z.string(),
  kind: z.enum(['dots', 'bars', 'lines']),
  unit: z.enum(['ms', 's', 'reports']),
  series: z.array(z.string()),
  thresholds: z.array(z.object({ label: z.string(), value: z.number() })),
  points: z.array(z.object({ id: z.string(), at: timestamp, values: z.array(z.number().nullable()) })),
  omitted: z.number().int(),
});
