import { chartOf, type ReportChart } from '@/domain/anticheat/charts';
import type { Report } from '@/domain/anticheat/reports';
import { ruleOf } from '@/domain/anticheat/reviews';
import { thresholdsOf, windowMs } from '@/domain/anticheat/rules';
import type { Tx } from '@/server/db';
import { type AskedDetection, noSuchDetection, readable } from './data-detection';

/** Reports that are read for a chart: an honest client sends 300 in a minute. */
const maxReports = 3_000;

type Row = { sequence: bigint; at: Date; receivedAt: Date } & Pick<Report, 'kind' | 'data'>;

/**
 * The reports of a detection's window, drawn as its rule read them.
 * @returns null where nothing is left to draw: the reports are deleted after their time, and the rule may be gone
 * @throws NOT_FOUND
 */
export async function drawWindow(tx: Tx, asked: AskedDetection): Promise<ReportChart | null> {
  const found = await tx.detection.findFirst({
    where: readable(asked),
    select: { clientId: true, ruleId: true, windowStart: true, raisedAt: true, figures: true, thresholds: true },
  });
  if (!found) throw noSuchDetection();
  const { key } = ruleOf(found.ruleId);
  if (!key) return null;
  const thresholds = thresholdsOf(key, found.thresholds as Record<string, number>);
  const start = found.windowStart.getTime();
  const end = start + windowMs;
  const from = new Date(start - (thresholds.silenceMs ?? 0));
  const rows = await tx.$queryRaw<Row[]>`
    SELECT "sequence", "at", "receivedAt", "kind", "data" FROM "anti_cheat_report"
    WHERE "clientId" = ${found.clientId} AND "receivedAt" >= ${from} AND "receivedAt" < ${new Date(end)}
    ORDER BY "sequence" LIMIT ${maxReports}`;
  if (rows.length === 0) return null;
  const reports = rows.map(({ sequence, at, receivedAt, ...row }) => {
    return { ...row, sequence: Number(sequence), at: at.getTime(), receivedAt: receivedAt.getTime() } as Report;
  });
  const figures = found.figures as Record<string, unknown>;
  return chartOf(key, { start, end, reports, thresholds, figures });
}
