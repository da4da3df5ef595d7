import { reportLifetime } from '@/domain/anticheat/lifetimes';
import { type EnrolledClient, forgetClient } from '@/server/auth/anti-cheat-clients';
import { db, pool } from '@/server/db';
import { refuse } from '@/server/errors';
import { Batcher } from '@/server/jobs/embedded/batcher';
import { rateExceeded, rateTerms } from '@/server/limits/quotas';
import { logger } from '@/server/logger';
import type { NewReport } from './schema';

/** What one request of a client says: that it runs, or what it saw. */
type Word = { client: EnrolledClient; beat: boolean; reports: readonly NewReport[] };

type Stored = {
  clientId: string;
  now: Date;
  lastSequence: string;
  /** null: it took nothing from the rate. */
  granted: number | null;
  usedBefore: number | null;
  freeInMs: string | null;
  accepted: number;
};

/** Requests, and reports of them, that share a commit. */
const maxWords = 250;
const maxReports = 1_000;
/** Slots that the rate of a client is counted in: few, since each client's row is written every second. */
const rateSlots = 12;

/**
 * Stores what clients say, of each client once. Whether their tokens still work is asked here, where their rows are locked.
 * All reports of a request are stored, or none. A client that has no row in the result was refused or, with SKIP LOCKED, in use.
 */
const storeSql = (locking: '' | 'SKIP LOCKED') => `
  WITH asked AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::bool[], $4::int[], $5::bigint[])
      AS a ("clientId", "tokenHash", "beat", "count", "highest")
  ), admitted AS MATERIALIZED (
    SELECT a.* FROM asked a JOIN "anti_cheat_client" c ON c."id" = a."clientId" JOIN "user" u ON u."id" = c."userId"
    WHERE c."tokenHash" = a."tokenHash" AND c."revokedAt" IS NULL AND u."suspendedAt" IS NULL
    ORDER BY c."id" FOR NO KEY UPDATE OF c ${locking}
  ), taken AS MATERIALIZED (
    SELECT a."clientId", a."count", t.granted, t.used_before, t.free_in_ms
    FROM admitted a CROSS JOIN LATERAL rate_limit_take($7::text || a."clientId", a."count", $8::int, $9::bigint, $10::bigint) t
    WHERE a."count" > 0
  ), returned AS MATERIALIZED (
    SELECT rate_limit_return($7::text || "clientId", granted) FROM taken WHERE granted > 0 AND granted < "count"
  ), fitting AS (
    SELECT a.* FROM admitted a LEFT JOIN taken t USING ("clientId") WHERE t.granted IS NULL OR t.granted = a."count"
  ), updated AS (
    UPDATE "anti_cheat_client" c SET "lastHeardAt" = clock_timestamp(),
      "lastHeartbeatAt" = CASE WHEN f."beat" THEN clock_timestamp() ELSE c."lastHeartbeatAt" END,
      "lastSequence" = greatest(c."lastSequence", f."highest")
    FROM fitting f WHERE c."id" = f."clientId" RETURNING c."id", c."lastHeardAt", c."lastSequence"
  ), stored AS (
    INSERT INTO "anti_cheat_report" ("clientId", "sequence", "at", "receivedAt", "kind", "data")
    SELECT f."clientId", r."sequence", r."at", clock_timestamp(), r."kind", r."data"
    FROM jsonb_to_recordset($6::jsonb)
      AS r("clientId" text, "sequence" bigint, "at" timestamptz, "kind" text, "data" jsonb)
    JOIN fitting f USING ("clientId")
    ON CONFLICT ("clientId", "sequence") DO NOTHING RETURNING "clientId"
  ), counted AS (
    SELECT "clientId", count(*)::int AS accepted FROM stored GROUP BY "clientId"
  )
  SELECT a."clientId", coalesce(u."lastHeardAt", clock_timestamp()) AS now, coalesce(u."lastSequence", 0) AS "lastSequence",
    t.granted, t.used_before AS "usedBefore", t.free_in_ms AS "freeInMs",
    coalesce(n.accepted, 0) AS accepted, (SELECT count(*) FROM returned)
  FROM admitted a LEFT JOIN taken t USING ("clientId") LEFT JOIN counted n USING ("clientId")
    LEFT JOIN updated u ON u."id" = a."clientId"`;

const statements = {
  together: { name: 'anti_cheat_store', text: storeSql('SKIP LOCKED') },
  alone: { name: 'anti_cheat_store_alone', text: storeSql('') },
};

async function store(kind: keyof typeof statements, words: readonly Word[]): Promise<Map<string, Stored>> {
  const { prefix, limit, windowMs, slotMs } = rateTerms('antiCheatReports', rateSlots);
  const reports = words.flatMap(({ client, reports }) =>
    // PostgreSQL does not read every fraction of a second that ISO 8601 allows.
    reports.map(({ at, ...rest }) => ({ ...rest, at: new Date(at).toISOString(), clientId: client.id })),
  );
  const { rows } = await pool.query<Stored>({
    ...statements[kind],
    values: [
      words.map(({ client }) => client.id),
      words.map(({ client }) => client.tokenHash),
      words.map(({ beat }) => beat),
      words.map(({ reports }) => reports.length),
      words.map(({ reports }) => Math.max(0, ...reports.map(({ sequence }) => sequence))),
      JSON.stringify(reports),
      prefix,
      limit,
      windowMs,
      slotMs,
    ],
  });
  return new Map(rows.map((row) => [row.clientId, row]));
}

/** Stores one request by a statement of its own, waiting for whoever uses the client's row. @throws CLIENT_TOKEN_INVALID */
async function storeAlone(word: Word): Promise<Stored> {
  const row = (await store('alone', [word])).get(word.client.id);
  if (row) return row;
  forgetClient(word.client);
  throw refuse('CLIENT_TOKEN_INVALID');
}

/** What each request gets: its row, or the way to get it. One that a batch cannot take holds up no other. */
async function storeTogether(words: Word[]): Promise<(() => Promise<Stored>)[]> {
  const rows = await store('together', words).catch((error: unknown) => {
    if (words.length > 1) logger.warn({ err: error }, 'a batch of reports could not be stored; each is stored alone');
    else throw error;
    return new Map<string, Stored>();
  });
  return words.map((word) => {
    const row = rows.get(word.client.id);
    return async () => row ?? storeAlone(word);
  });
}

/** The next batch: of each client one request, of each project as many as of the others, in the order of arrival. */
function chooseFairly(waiting: readonly Word[]): Word[] {
  const clients = new Set<string>();
  const ofProject = new Map<string, number>();
  const placed: { word: Word; place: number }[] = [];
  for (const word of waiting) {
    const { id, projectId } = word.client;
    if (clients.has(id)) continue;
    clients.add(id);
    const place = ofProject.get(projectId) ?? 0;
    ofProject.set(projectId, place + 1);
    placed.push({ word, place });
  }
  placed.sort((a, b) => a.place - b.place);
  let room = maxReports;
  const fitting = placed.findIndex(({ word }, index) => {
    room -= word.reports.length;
    return index > 0 && room < 0;
  });
  return placed.slice(0, fitting === -1 ? undefined : fitting).map(({ word }) => word);
}

const batcher = new Batcher(maxWords, storeTogether, { choose: chooseFairly });

/** Stores what a client says with whatever else arrives meanwhile. Resolves after the commit. */
async function tell(word: Word): Promise<Stored> {
  const result = await batcher.add(word);
  return result();
}

/** Records that a client runs. @returns the time by the database's clock @throws CLIENT_TOKEN_INVALID */
export async function recordHeartbeat(client: EnrolledClient): Promise<Date> {
  return (await tell({ client, beat: true, reports: [] })).now;
}

/**
 * Stores reports of a client. Those whose sequence is known change nothing.
 * @throws CLIENT_TOKEN_INVALID, QUOTA_EXCEEDED
 */
export async function storeReports(
  client: EnrolledClient,
  reports: readonly NewReport[],
): Promise<{ accepted: number; lastSequence: number }> {
  const { granted, usedBefore, freeInMs, accepted, lastSequence } = await tell({ client, beat: false, reports });
  if (granted === reports.length) return { accepted, lastSequence: Number(lastSequence) };
  const { limit } = rateTerms('antiCheatReports', rateSlots);
  const wait = reports.length > limit ? null : Math.max(1, Math.ceil(Number(freeInMs) / 1000));
  throw rateExceeded('antiCheatReports', client.id, { used: usedBefore ?? 0, wait });
}

/** Clients whose old reports are deleted by one statement, reports that it deletes at most, and the time for one call. */
const deletedClients = 100;
const deletedReports = 10_000;
const deletionMs = 5_000;
/** Reports that no session reads and one call deletes at most. */
const unreadReports = 20_000;

/**
 * Deletes reports that are older than their lifetime, client by client: their index finds the old ones without passing over
 * what was deleted before. A call ends after some seconds.
 * @param after the client after which to continue; '' from the start
 * @returns how many, and where to continue; null when nothing is left
 */
export async function deleteOldReports(
  after: string,
  before: Date = new Date(Date.now() - reportLifetime),
): Promise<{ deleted: number; next: string | null }> {
  const until = performance.now() + deletionMs;
  let deleted = 0;
  let from = after;
  while (performance.now() < until) {
    const clients = await db.antiCheatClient.findMany({
      where: { id: { gt: from } },
      orderBy: { id: 'asc' },
      take: deletedClients,
      select: { id: true },
    });
    const last = clients.at(-1);
    if (!last) return { deleted, next: null };
    const count = await db.$executeRaw`
      DELETE FROM "anti_cheat_report" r USING (
        SELECT o.* FROM unnest(${clients.map(({ id }) => id)}::text[]) c ("id") CROSS JOIN LATERAL (
          SELECT "clientId", "sequence" FROM "anti_cheat_report"
          WHERE "clientId" = c."id" AND "receivedAt" < ${before} ORDER BY "receivedAt" LIMIT ${deletedReports}) o
        LIMIT ${deletedReports}) old
      WHERE r."clientId" = old."clientId" AND r."sequence" = old."sequence"`;
    deleted += count;
    // A full batch: these clients may have more.
    if (count < deletedReports) from = last.id;
  }
  return { deleted, next: from };
}

/**
 * Deletes what clients sent in the last half hour, older than five minutes, while they were in no session: nothing will ever
 * read it, and anyone can enroll a client and fill the disk with it. Further ones are left to the next call.
 * @returns how many
 */
export function deleteUnreadReports(): Promise<number> {
  return db.$executeRaw`
    DELETE FROM "anti_cheat_report" WHERE ("clientId", "sequence") IN (
      SELECT r."clientId", r."sequence" FROM "anti_cheat_client" c
      JOIN "anti_cheat_report" r ON r."clientId" = c."id"
        AND r."receivedAt" BETWEEN now() - interval '30 minutes' AND now() - interval '5 minutes'
      WHERE c."lastHeardAt" > now() - interval '30 minutes' AND NOT EXISTS (
        SELECT FROM "anti_cheat_session_client" s JOIN "anti_cheat_session" a ON a."id" = s."sessionId"
        WHERE s."clientId" = c."id" AND (a."endedAt" IS NULL OR a."endedAt" > now() - interval '30 minutes'))
      LIMIT ${unreadReports})`;
}
