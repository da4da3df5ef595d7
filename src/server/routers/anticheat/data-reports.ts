import { reportLifetime } from '@/domain/anticheat/lifetimes';
import { isObject } from '@/domain/json/fields';
import { type EnrolledClient, forgetClient } from '@/server/auth/anti-cheat-clients';
import { db, pool } from '@/server/db';
import { type Refusal, refuse } from '@/server/errors';
import { Batcher } from '@/server/jobs/embedded/batcher';
import { limitOf, quotas, type RateName } from '@/server/limits/quotas';
import { rateExceeded, reportExceeded, windowKey } from '@/server/limits/take-quota';
import { logger } from '@/server/logger';
import type { NewReport } from './schema';

/** What one request of a client says: that it runs, or what it saw, also as the objects of a JSON array. */
type Word = { client: EnrolledClient; beat: boolean; reports: readonly NewReport[]; text: string };

type Stored = {
  clientId: string;
  now: Date;
  lastSequence: string;
  /** The rate that is used up; null: the reports fit. */
  usedUp: (typeof rates)[number] | null;
  usedBefore: number | null;
  freeInMs: string | null;
  accepted: number;
};

/**
 * What limits reports, in the order in which a statement takes from it: two count by client and two by project, of
 * clients in a running session and outside of one. The last two have windows of the same length.
 */
const rates = [
  'antiCheatReports',
  'antiCheatKib',
  'antiCheatKibOfProject',
  'antiCheatKibOutside',
] as const satisfies RateName[];

/** Requests, and reports of them, that share a commit. */
const maxWords = 250;
const maxReports = 1_000;
const kibOf = (text: string) => Math.ceil(Buffer.byteLength(text) / 1024);

/** Slots that a rate is counted in: few, since each client's rows are written every second. */
const rateSlots = 12;

/** `rate_limit_take` on one of the rates. @param text of the subject and of how much is wanted, in SQL */
function takeFrom(name: (typeof rates)[number], subject: string, wanted: string): string {
  const first = 8 + 4 * rates.indexOf(name);
  const [prefix, limit, windowMs, slotMs] = [0, 1, 2, 3].map((offset) => `$${first + offset}`);
  return `rate_limit_take(${prefix}::text || ${subject}, ${wanted}, ${limit}::int, ${windowMs}::bigint, ${slotMs}::bigint)`;
}

/**
 * Stores what clients say, of each client once. Whether their tokens still work is asked here, where their rows are locked.
 * All reports of a request are stored, or none. A client that has no row in the result was refused or, with SKIP
 * LOCKED, in use. What a client in no running session sends is read by nobody: past its rate it is not stored, and not
 * refused either, or a stranger's clients could make those of players wait.
 */
const storeSql = (locking: '' | 'SKIP LOCKED') => `
  WITH asked AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::bool[], $4::int[], $5::int[], $6::bigint[])
      AS a ("clientId", "tokenHash", "beat", "count", "kib", "highest")
  ), admitted AS MATERIALIZED (
    SELECT a.*, c."projectId" FROM asked a
    JOIN "anti_cheat_client" c ON c."id" = a."clientId" JOIN "user" u ON u."id" = c."userId"
    WHERE c."tokenHash" = a."tokenHash" AND c."revokedAt" IS NULL AND u."suspendedAt" IS NULL
    ORDER BY c."id" FOR NO KEY UPDATE OF c ${locking}
  ), taken AS MATERIALIZED (
    SELECT a."clientId", a."projectId", a."count", a."kib", n.granted, n.used_before, n.free_in_ms,
      k.granted AS kib_granted, k.used_before AS kib_used_before, k.free_in_ms AS kib_free_in_ms
    FROM admitted a CROSS JOIN LATERAL ${takeFrom('antiCheatReports', 'a."clientId"', 'a."count"')} n
    CROSS JOIN LATERAL ${takeFrom('antiCheatKib', 'a."clientId"', 'a."kib"')} k
    WHERE a."count" > 0
  ), passed AS MATERIALIZED (
    SELECT *, sum("kib") OVER (PARTITION BY "projectId", "wired" ORDER BY "clientId") AS "upTo" FROM (
      SELECT t."clientId", t."projectId", t."kib", EXISTS (
        SELECT FROM "anti_cheat_session_client" s JOIN "anti_cheat_session" a ON a."id" = s."sessionId"
        WHERE s."clientId" = t."clientId" AND a."endedAt" IS NULL) AS "wired"
      FROM taken t WHERE t.granted = t."count" AND t.kib_granted = t."kib") p
  ), shares AS MATERIALIZED (
    SELECT w."projectId", w."wired", s.* FROM (
      SELECT "projectId", "wired", sum("kib")::int AS "kib" FROM passed GROUP BY 1, 2 ORDER BY 2, 1) w
    CROSS JOIN LATERAL rate_limit_take(CASE WHEN w."wired" THEN $16::text ELSE $20::text END || w."projectId", w."kib",
      CASE WHEN w."wired" THEN $17::int ELSE $21::int END, $18::bigint, $19::bigint) s
  ), decided AS MATERIALIZED (
    SELECT p.*, s.used_before, s.free_in_ms, p."upTo" <= s.granted AS "fits", p."upTo" <= s.granted OR NOT p."wired" AS "taken"
    FROM passed p JOIN shares s USING ("projectId", "wired")
  ), fitting AS MATERIALIZED (
    SELECT a.*, d."fits" FROM admitted a LEFT JOIN decided d USING ("clientId") WHERE a."count" = 0 OR d."taken"
  ), returned AS MATERIALIZED (
    SELECT rate_limit_return($8::text || "clientId", granted), rate_limit_return($12::text || "clientId", kib_granted)
    FROM taken WHERE "clientId" NOT IN (SELECT "clientId" FROM fitting)
    UNION ALL SELECT rate_limit_return(CASE WHEN "wired" THEN $16::text ELSE $20::text END || "projectId", over::int), 0
    FROM (
      SELECT "projectId", "wired", s.granted - coalesce(sum(d."kib") FILTER (WHERE d."fits"), 0) AS over
      FROM shares s JOIN decided d USING ("projectId", "wired") GROUP BY "projectId", "wired", s.granted) o
    WHERE over > 0
  ), updated AS (
    UPDATE "anti_cheat_client" c SET "lastHeardAt" = clock_timestamp(),
      "lastHeartbeatAt" = CASE WHEN f."beat" THEN clock_timestamp() ELSE c."lastHeartbeatAt" END,
      "lastSequence" = greatest(c."lastSequence", f."highest")
    FROM fitting f WHERE c."id" = f."clientId" RETURNING c."id", c."lastHeardAt", c."lastSequence"
  ), stored AS (
    INSERT INTO "anti_cheat_report" ("clientId", "sequence", "at", "receivedAt", "kind", "data")
    SELECT f."clientId", r."sequence", r."at", clock_timestamp(), r."kind", r."data"
    FROM jsonb_to_recordset($7::jsonb)
      AS r("clientId" text, "sequence" bigint, "at" timestamptz, "kind" text, "data" jsonb)
    JOIN fitting f USING ("clientId") WHERE f."fits"
    ON CONFLICT ("clientId", "sequence") DO NOTHING RETURNING "clientId"
  ), counted AS (
    SELECT "clientId", count(*)::int AS accepted FROM stored GROUP BY "clientId"
  )
  SELECT a."clientId", coalesce(u."lastHeardAt", clock_timestamp()) AS now, coalesce(u."lastSequence", 0) AS "lastSequence",
    r.*, coalesce(n.accepted, 0) AS accepted, (SELECT count(*) FROM returned)
  FROM admitted a LEFT JOIN counted n USING ("clientId") LEFT JOIN updated u ON u."id" = a."clientId"
    LEFT JOIN taken t USING ("clientId") LEFT JOIN decided d USING ("clientId")
    LEFT JOIN LATERAL (
      SELECT '${rates[0]}' AS "usedUp", t.used_before AS "usedBefore", t.free_in_ms AS "freeInMs" WHERE t.granted < t."count"
      UNION ALL SELECT '${rates[1]}', t.kib_used_before, t.kib_free_in_ms WHERE t.granted = t."count" AND t.kib_granted < t."kib"
      UNION ALL SELECT CASE WHEN d."wired" THEN '${rates[2]}' ELSE '${rates[3]}' END, d.used_before, d.free_in_ms
      WHERE NOT d."fits"
    ) r ON true`;

const statements = {
  together: { name: 'anti_cheat_store', text: storeSql('SKIP LOCKED') },
  alone: { name: 'anti_cheat_store_alone', text: storeSql('') },
};

async function store(kind: keyof typeof statements, words: readonly Word[]): Promise<Map<string, Stored>> {
  const { rows } = await pool.query<Stored>({
    ...statements[kind],
    values: [
      words.map(({ client }) => client.id),
      words.map(({ client }) => client.tokenHash),
      words.map(({ beat }) => beat),
      words.map(({ reports }) => reports.length),
      words.map(({ text }) => kibOf(text)),
      words.map(({ reports }) => Math.max(0, ...reports.map(({ sequence }) => sequence))),
      `[${words.flatMap(({ text }) => text || []).join(',')}]`,
      ...rates.flatMap((name) => {
        const windowMs = quotas[name].seconds * 1000;
        const window = name === 'antiCheatKibOutside' ? [] : [windowMs, Math.ceil(windowMs / rateSlots)];
        return [windowKey(name, ''), limitOf(name), ...window];
      }),
    ],
  });
  return new Map(rows.map((row) => [row.clientId, row]));
}

/** Stores one request by a statement of its own, and waits while another transaction uses the client's row. @throws CLIENT_TOKEN_INVALID */
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
  return (await tell({ client, beat: true, reports: [], text: '' })).now;
}

/** What a client's rate had used when a request was refused, and until when the database frees nothing of it. */
type UsedUp = { used: number; until: number };
const maxUsedUp = 20_000;
const usedUpRates = new Map<string, UsedUp>();
const clientRates = [rates[0], rates[1]] as const;

function refusalOf(name: RateName, subject: string, wanted: number, { used, until }: UsedUp): Refusal {
  const wait = wanted > limitOf(name) ? null : Math.max(1, Math.ceil((until - performance.now()) / 1000));
  return rateExceeded(name, subject, { used, wait });
}

/**
 * Refuses reports of which nothing has been checked yet, if the database would too, by what it said of the client's rates before:
 * to check and to send them takes as long for each that is refused.
 * @throws QUOTA_EXCEEDED
 */
export function requireReportsLeft({ id }: EnrolledClient, input: unknown): void {
  const reports: unknown = isObject(input) ? input.reports : null;
  if (!Array.isArray(reports)) return;
  // No more than is counted when they are stored, with what belongs to each.
  const atLeast = {
    antiCheatReports: () => reports.length,
    antiCheatKib: () => kibOf(JSON.stringify(reports.map((report) => report?.data))),
  };
  for (const name of clientRates) {
    const usedUp = usedUpRates.get(`${name} ${id}`);
    if (!usedUp || usedUp.until <= performance.now()) continue;
    const wanted = atLeast[name]();
    if (usedUp.used + wanted > limitOf(name)) throw refusalOf(name, id, wanted, usedUp);
  }
}

/**
 * Stores reports of a client. Those whose sequence is known change nothing.
 * @throws CLIENT_TOKEN_INVALID, QUOTA_EXCEEDED
 */
export async function storeReports(
  client: EnrolledClient,
  reports: readonly NewReport[],
): Promise<{ accepted: number; lastSequence: number }> {
  // PostgreSQL does not read every fraction of a second that ISO 8601 allows.
  const rows = reports.map(({ at, ...rest }) => ({ ...rest, at: new Date(at).toISOString(), clientId: client.id }));
  const text = JSON.stringify(rows).slice(1, -1);
  const askedAt = performance.now();
  const { usedUp, usedBefore, freeInMs, accepted, lastSequence } = await tell({ client, beat: false, reports, text });
  const result = { accepted, lastSequence: Number(lastSequence) };
  if (usedUp === null) return result;
  if (usedUp === 'antiCheatKibOutside') {
    reportExceeded(usedUp, client.projectId);
    return result;
  }
  const [subject, wanted] = {
    antiCheatReports: [client.id, reports.length] as const,
    antiCheatKib: [client.id, kibOf(text)] as const,
    antiCheatKibOfProject: [client.projectId, kibOf(text)] as const,
  }[usedUp];
  const state = { used: usedBefore ?? 0, until: askedAt + Number(freeInMs) };
  // What a project's clients use together may be given back before.
  if (usedUp !== 'antiCheatKibOfProject') {
    if (usedUpRates.size >= maxUsedUp) usedUpRates.clear();
    usedUpRates.set(`${usedUp} ${subject}`, state);
  }
  throw refusalOf(usedUp, subject, wanted, state);
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
