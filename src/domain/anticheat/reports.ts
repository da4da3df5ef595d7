import { z } from 'zod';

/** What a client can report. Fields that a kind does not name are kept and ignored by the rules. */
export const reportData = {
  /** Milliseconds from a target becoming visible to the shot at it. */
  reaction: z.looseObject({ ms: z.number().min(0).max(60_000) }),
  /** One turn of the view before a shot: how far in degrees, how long, and whether the shot hit. */
  aim: z.looseObject({
    degrees: z.number().min(0).max(360),
    durationMs: z.number().min(0).max(60_000),
    hit: z.boolean(),
  }),
  /** Milliseconds between presses of one key or button, in order; repeats that the system generates are left out. */
  input: z.looseObject({ control: z.string().max(40), intervalsMs: z.array(z.number().min(0).max(60_000)).max(200) }),
  /** A program that runs beside the game. */
  process: z.looseObject({ name: z.string().min(1).max(260) }),
  /** A file that the game loaded: its SHA-256, and the one in the game's signed list; null: it is not in the list. */
  module: z.looseObject({
    name: z.string().min(1).max(260),
    sha256: z.string().max(64),
    expectedSha256: z.string().max(64).nullable(),
  }),
} as const;

export type ReportKind = keyof typeof reportData;
export const reportKinds = Object.keys(reportData) as [ReportKind, ...ReportKind[]];

type DataOf = { [Kind in ReportKind]: z.infer<(typeof reportData)[Kind]> };

/** A report as the rules read it: `at` by the client's clock, `receivedAt` by the server's, both in milliseconds. */
export type Report = { sequence: number; at: number; receivedAt: number } & {
  [Kind in ReportKind]: { kind: Kind; data: DataOf[Kind] };
}[ReportKind];

/** Whether a file that the game loaded differs from the game's signed list, which names it. */
export function isChangedFile({ sha256, expectedSha256 }: DataOf['module']): boolean {
  return expectedSha256 !== null && sha256.toLowerCase() !== expectedSha256.toLowerCase();
}

/** The data of the reports of one kind, in order. */
export function dataOf<Kind extends ReportKind>(reports: readonly Report[], kind: Kind): DataOf[Kind][] {
  return reports.flatMap((report) => (report.kind === kind ? [report.data as DataOf[Kind]] : []));
}
