import type { Report } from '@/domain/anticheat/reports';
import { windowMs } from '@/domain/anticheat/rules';
import { pool } from '@/server/db';
import { judgedData } from '@/server/routers/anticheat/data-judged';

/** Reports that one statement reads: parsing them holds up the process for some milliseconds. */
const batchSize = 1_000;

type Row = { sequence: string; at: Date; receivedAt: Date; kind: string; data: unknown };

/** What a client sent in one window, in the order of its sequence. Milliseconds of our clock. */
type StoredWindow = { start: number; end: number; reports: Report[] };

function toReport({ sequence, at, receivedAt, kind, data }: Row): Report {
  return { sequence: Number(sequence), at: at.getTime(), receivedAt: receivedAt.getTime(), kind, data } as Report;
}

/** The windows of a session in which a client reported, in their order. @param from when the first window of all began */
export async function* storedWindows(clientId: string, from: number, until: number): AsyncGenerator<StoredWindow> {
  let pending: Report[] = [];
  let after = { receivedAt: new Date(from), sequence: '0' };
  for (let isLast = false; !isLast; ) {
    const { rows } = await pool.query<Row>({
      name: 'anti_cheat_stored_reports',
      text: `SELECT "sequence", "at", "receivedAt", "kind", ${judgedData} AS "data" FROM "anti_cheat_report" r
             WHERE "clientId" = $1 AND ("receivedAt", "sequence") > ($2, $3) AND "receivedAt" < $4
             ORDER BY "receivedAt", "sequence" LIMIT $5`,
      values: [clientId, after.receivedAt, after.sequence, new Date(until), batchSize],
    });
    isLast = rows.length < batchSize;
    const last = rows.at(-1);
    if (last) after = { receivedAt: last.receivedAt, sequence: last.sequence };
    pending.push(...rows.map(toReport));
    for (let first = pending[0]; first; first = pending[0]) {
      const start = from + Math.floor((first.receivedAt - from) / windowMs) * windowMs;
      const end = start + windowMs;
      const next = pending.findIndex(({ receivedAt }) => receivedAt >= end);
      // The rest of the window comes with the next batch.
      if (next === -1 && !isLast) break;
      const reports = next === -1 ? pending : pending.slice(0, next);
      pending = next === -1 ? [] : pending.slice(next);
      yield { start, end: Math.min(end, until), reports: reports.sort((a, b) => a.sequence - b.sequence) };
    }
  }
}
