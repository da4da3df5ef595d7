import { z } from 'zod';
import { type ReportKind, reportData } from '@/domain/anticheat/reports';
import { DetectionVerdict } from '@/generated/prisma/enums';
import { holdsUnstorableText } from '@/server/storable-text';

/** The largest sum of the reports in a request, in bytes of JSON. */
export const maxReportsBytes = 256 * 1024;

/** What a verdict provider gets: ids and measurements, no names or addresses of people. */
export type VerdictRequest = {
  type: 'anticheat.verdict_requested';
  detection: {
    id: string;
    sessionId: string;
    matchId: string;
    userId: string;
    game: string;
    ruleId: string;
    rule: string;
    /** What the rule looks for; null: it is no longer there. */
    ruleDescription: string | null;
    severity: string;
    explanation: string;
    figures: unknown;
    raisedAt: string;
  };
  window: { start: string; end: string };
  /** In the order of their sequence. */
  reports: { sequence: number; at: string; receivedAt: string; kind: string; data: unknown }[];
  /** Reports of the window that did not fit. */
  reportsOmitted: number;
};

/** What it returns. Other fields are ignored. */
export const verdictAnswer = z
  .object({
    verdict: z.enum(DetectionVerdict),
    confidence: z.number().min(0).max(1),
    model: z.string().trim().min(1).max(100),
  })
  .refine(({ model }) => !holdsUnstorableText(model));
export type VerdictAnswer = z.infer<typeof verdictAnswer>;

/** The fields of a report that its kind names. Clients may add others, which may be about people. */
export function namedFields({ kind, data }: { kind: ReportKind; data: Record<string, unknown> }) {
  const names = Object.keys(reportData[kind].shape);
  return Object.fromEntries(names.filter((name) => name in data).map((name) => [name, data[name]]));
}

/** A request and its response, as the guide shows them. */
export const verdictExample: { request: VerdictRequest; response: VerdictAnswer } = {
  request: {
    type: 'anticheat.verdict_requested',
    detection: {
      id: 'det_01k9x8z5q9d6f8g0h1k2m3n4p5',
      sessionId: 'acs_01k9x6v1k5z2b4c6d7f8g9h0j1',
      matchId: 'mat_01k9x6t0a1b2c3d4e5f6g7h8j9',
      userId: 'usr_01k9x5a7m2n4p6q8r0s1t3v5w7',
      game: 'cs2',
      ruleId: 'cs2.reaction_floor',
      rule: 'Reactions below the human floor',
      ruleDescription: 'The median time from a target becoming visible to the shot is shorter than anyone can react. …',
      severity: 'high',
      explanation: 'Median reaction 62 ms over 11 shots; below 110 ms is not humanly possible.',
      figures: { medianMs: 62, shots: 11 },
      raisedAt: '2026-11-21T18:21:40.000Z',
    },
    window: { start: '2026-11-21T18:21:00.000Z', end: '2026-11-21T18:22:00.000Z' },
    reports: [
      {
        sequence: 481,
        at: '2026-11-21T18:21:02.118Z',
        receivedAt: '2026-11-21T18:21:02.870Z',
        kind: 'reaction',
        data: { ms: 61 },
      },
    ],
    reportsOmitted: 0,
  },
  response: { verdict: 'confirmed', confidence: 0.93, model: 'aim-review-2' },
};
