import { z } from 'zod';
import { type EvidenceKind, evidenceKinds, evidenceTypes, maxEvidenceBytes } from '@/domain/anticheat/evidence';
import { antiCheatGames } from '@/domain/anticheat/games';
import { reportData, reportKinds } from '@/domain/anticheat/reports';
import { fieldsLeft, isObject } from '@/domain/json/fields';
import { lineField } from '@/domain/text/line';
import { compiled } from '@/server/compiled';
import { pageInput, pageOf } from '@/server/paging';

const timestamp = z.iso.datetime();
const sessionId = z.string().meta({ example: 'acs_01k9x6v1k5z2b4c6d7f8g9h0j1' });
export const game = z.enum(antiCheatGames);
export const severity = z.enum(['low', 'medium', 'high', 'critical']);

const userIds = z
  .array(z.object({ userId: z.string().min(1).max(64) }))
  .max(200)
  .describe('The players to monitor. Without it, the roster of the match.');

export const startSessionInput = z.object({
  game,
  matchId: z
    .string()
    .trim()
    .min(1)
    .max(128)
    .optional()
    .describe('A match of the project, or an id of your own. Generated when left out.'),
  participants: userIds.optional(),
});

export const startedSession = z.object({ sessionId, matchId: z.string() });

export const endSessionInput = z.object({ sessionId: z.string(), reason: z.string().trim().max(500).optional() });

export const endedSession = z.object({
  sessionId,
  ended: z.boolean().describe('false when the project has no such session.'),
  endedAt: timestamp.nullable(),
});

export const detectionItem = z.object({
  id: z.string(),
  sessionId,
  matchId: z.string(),
  userId: z.string(),
  ruleId: z.string().meta({ example: 'cs2.aim_snap' }),
  rule: z.string().meta({ example: 'Inhuman aim snaps' }),
  severity,
  raisedAt: timestamp,
  hasAiVerdict: z.boolean().describe('Whether the verdict provider of this instance has given a verdict.'),
  evidenceCount: z
    .number()
    .int()
    .describe('Uploaded for this detection, or for its session without naming a detection.'),
  reviewed: z.boolean().describe('Whether staff have given a verdict.'),
  beforeTakeover: z
    .boolean()
    .describe(
      'Whether the owner of the email address has taken the account over since. Somebody else may have played with it then.',
    ),
});
export type DetectionItem = z.infer<typeof detectionItem>;

export const listDetectionsInput = z.object({
  limit: z.number().int().min(1).max(200).default(50),
  unreviewedOnly: z.boolean().default(false).describe('Only detections without a verdict.'),
  cursor: z.string().max(64).optional().describe('From the `Link` header of the page before.'),
});

const sha256 = z
  .string()
  .refine((text) => /^[0-9a-f]{64}$/i.test(text) || /^[A-Za-z0-9+/]{43}=$/.test(text), {
    error: 'must be the SHA-256 of the bytes, as 64 hex digits or in base64',
  })
  .transform((text) => (text.length === 64 ? text.toLowerCase() : Buffer.from(text, 'base64').toString('hex')));

export const presignInput = z
  .object({
    sessionId: z.string(),
    detectionId: z.string().optional().describe('Left out: the evidence is for the whole session.'),
    kind: z.enum(evidenceKinds),
    contentType: z.string().max(100).meta({ example: 'image/png' }),
    sizeBytes: z.number().int().min(1).max(maxEvidenceBytes, { error: 'Evidence can have at most 100 MiB.' }),
    sha256: sha256.describe('Of the bytes, as 64 hex digits or in base64.'),
  })
  .superRefine(({ kind, contentType }, issues) => {
    const allowed: readonly string[] = evidenceTypes[kind as EvidenceKind];
    if (allowed.includes(contentType)) return;
    issues.addIssue({
      code: 'custom',
      path: ['contentType'],
      message: `For ${kind}, use one of ${allowed.join(', ')}.`,
    });
  });

export const enrollInput = z.object({
  projectId: z.string(),
  game: game.optional().describe('Left out: any game.'),
  deviceName: lineField({ max: 80 }).optional(),
});

export const enrolledClient = z.object({
  id: z.string(),
  clientToken: z
    .string()
    .describe('Shown only once.')
    .meta({ example: 'lac_Zk3vQm8sT1xWc0aLr7uYh2JdNe5BpGfOiKq4Rt6Ux9E' }),
});

export const clientItem = z.object({
  id: z.string(),
  projectId: z.string(),
  projectName: z.string().meta({ example: 'Harbour City Esports' }),
  game: z.string().nullable(),
  deviceName: z.string().nullable().meta({ example: 'Desk at home' }),
  running: z.boolean().describe('Whether its last heartbeat came within a minute.'),
  lastHeartbeatAt: timestamp.nullable(),
  lastReportAt: timestamp.nullable().describe('null: no report that is still kept.'),
  createdAt: timestamp,
});

export const listClientsInput = pageInput.extend({ projectId: z.string().optional() });
export const clientPage = pageOf(clientItem).extend({
  maxClients: z.number().int().describe('How many clients you can have, over all projects.'),
});
export const clientInput = z.object({ clientId: z.string() });
export const revokedClient = z.object({ id: z.string(), revokedAt: timestamp });

export const heartbeatOutput = z.object({ serverTime: timestamp });

/** The largest `data` of a report, in bytes of JSON. */
const maxReportBytes = 4096;
/** The rules read a few, and each takes microseconds to check and to store. */
const maxReportFields = 100;

export const reportInput = z
  .object({
    sequence: z
      .number()
      .int()
      .min(1)
      .max(Number.MAX_SAFE_INTEGER)
      .describe("The client's counter, from 1. A repeated number changes nothing."),
    at: timestamp
      .refine((text) => !text.startsWith('0000'), { error: 'must be a date after the year 0' })
      .describe("By the client's clock."),
    kind: z.enum(reportKinds),
    // Not a record, of which zod checks and copies each field: what has too many is refused before anything else looks at them.
    data: z
      .custom<Record<string, unknown>>(isObject, { error: 'must be an object', abort: true })
      .meta({ type: 'object', additionalProperties: {} })
      .refine((data) => fieldsLeft(data, maxReportFields) >= 0, {
        error: `may have at most ${maxReportFields} fields, those of objects in it included`,
        abort: true,
      }),
  })
  .superRefine(({ kind, data }, issues) => {
    if (Buffer.byteLength(JSON.stringify(data)) > maxReportBytes) {
      issues.addIssue({ code: 'custom', path: ['data'], message: 'may have at most 4 KiB' });
      return;
    }
    const checked = reportData[kind].safeParse(data);
    for (const issue of checked.error?.issues ?? []) {
      issues.addIssue({ code: 'custom', path: ['data', ...issue.path], message: issue.message });
    }
  });
export type NewReport = z.infer<typeof reportInput>;

export const postReportsInput = compiled(z.object({ reports: z.array(reportInput).min(1).max(100) }));
export const postReportsOutput = z.object({
  accepted: z.number().int().describe('Reports that are new.'),
  lastSequence: z.number().int().describe('The highest sequence that was ever received from this client.'),
});
