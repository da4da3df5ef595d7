import { type Clock, knownAhead, learnClock, unknownClock } from '@/domain/anticheat/clock';
import type { Report } from '@/domain/anticheat/reports';
import { findCheating, type RuleSetting, windowMs } from '@/domain/anticheat/rules';
import { newId } from '@/domain/ids';
import { env } from '@/env';
import { Prisma } from '@/generated/prisma/client';
import type { AntiCheatGame } from '@/generated/prisma/enums';
import { db, type Tx } from '@/server/db';
import { emit, type NewEvent, systemActor } from '@/server/events/emit';
import { runningSince } from '@/server/jobs/running-since';
import { letOthersIn } from '@/server/limits/thread-meter';
import { logger } from '@/server/logger';
import { playsFor } from '@/server/routers/participants/data-own';
import { storableBeginning } from '@/server/storable-text';
import { isBeforeTakeover } from './data-detections';
import { judgedDataSql } from './data-judged';
import { roomForVerdicts } from './verdicts/data';

/** A window ends this long before it is closed, so that reports on the way still count. */
const graceMs = 5_000;
/** Windows evaluated in one transaction, after a time without evaluation. */
const maxWindows = 15;

type Session = { id: string; projectId: string; matchId: string; game: AntiCheatGame; evaluatedUntil: Date };
type Client = {
  clientId: string;
  userId: string;
  lastHeardAt: Date | null;
  firstReportAt: Date | null;
  clockAheadMs: bigint | null;
  /**
   * Whether the integrator named the player, or the player has agreed to play the match. A takeover of the account ended the
   * client, and nobody can start it again.
   */
  isExpected: boolean;
  /** When it was last heard before the silence that was raised last. */
  raisedSilenceFrom: Date | null;
};
/** Times in milliseconds. */
type StoredReport = [sequence: number, at: number, receivedAt: number, kind: Report['kind'], data: Report['data']];

/** Clients whose reports are read and judged at a time: while rules run, nothing else does in this process. */
const clientsAtATime = 5;
/** Detections stored at a time: building and sending those of a large session at once would hold up the process. */
const detectionsAtATime = 50;
/** Milliseconds after which a round begins no further session, and one session no further window. */
export const roundMs = 5_000;
/** Milliseconds past its budget after which a session's window is closed without the clients that are left. */
const overtimeMs = 3_000;

/** How a project uses the rules, by rule; those that it has not changed are left out. */
export async function readSettings(tx: Tx, projectId: string): Promise<Map<string, RuleSetting>> {
  const rows = await tx.antiCheatRuleSetting.findMany({
    where: { projectId },
    select: { ruleId: true, enabled: true, thresholds: true },
  });
  return new Map(
    rows.map(({ ruleId, enabled, thresholds }) => [
      ruleId,
      { enabled, thresholds: thresholds as Record<string, number> },
    ]),
  );
}

function readClients(tx: Tx, sessionId: string): Promise<Client[]> {
  return tx.$queryRaw<Client[]>`
    SELECT s."clientId", c."userId", c."lastHeardAt", s."firstReportAt", s."clockAheadMs", s."raisedSilenceFrom",
      NOT ${isBeforeTakeover(Prisma.sql`a."startedAt"`)} AND (NOT a."ofRoster" OR EXISTS (
        SELECT FROM "match" m JOIN "participant" p ON p."id" IN (m."participantAId", m."participantBId")
        WHERE m."id" = a."matchId" AND (${playsFor(Prisma.sql`c."userId"`)}))) AS "isExpected"
    FROM "anti_cheat_session_client" s JOIN "anti_cheat_client" c ON c."id" = s."clientId"
    JOIN "anti_cheat_session" a ON a."id" = s."sessionId" JOIN "user" player ON player."id" = c."userId"
    WHERE s."sessionId" = ${sessionId}`;
}

/**
 * Clients in the order in which they are judged in a window: those that sent least first, so that whoever sends much hides at most
 * others that do.
 */
async function quietFirst(tx: Tx, clients: Client[], from: Date, until: Date): Promise<Client[]> {
  // These are judged in any case.
  if (clients.length <= clientsAtATime) return clients;
  const rows = await tx.$queryRaw<{ clientId: string; bytes: number }[]>`
    SELECT r."clientId", sum(octet_length(r."data"::text))::int AS "bytes" FROM "anti_cheat_report" r
    WHERE r."clientId" = ANY(${clients.map(({ clientId }) => clientId)})
      AND r."receivedAt" >= ${from} AND r."receivedAt" < ${until}
    GROUP BY r."clientId"`;
  const bytes = new Map(rows.map((row) => [row.clientId, row.bytes]));
  const sent = ({ clientId }: Client) => bytes.get(clientId) ?? 0;
  return clients.toSorted((a, b) => sent(a) - sent(b) || (a.clientId < b.clientId ? -1 : 1));
}

/**
 * What clients sent in a window, by client and in the order of their sequence, as JSON. One row for each client: reading
 * thousands of rows would cost more than judging them. A text, which is parsed when it is the client's turn: parsing those of
 * all, which can be megabytes, would hold up the process.
 */
async function readReports(
  tx: Tx,
  clientIds: readonly string[],
  from: Date,
  until: Date,
): Promise<Map<string, string>> {
  const rows = await tx.$queryRaw<{ clientId: string; reports: string }[]>`
    SELECT r."clientId", json_agg(json_build_array(r."sequence", (extract(epoch FROM r."at") * 1000)::bigint,
      (extract(epoch FROM r."receivedAt") * 1000)::bigint, r."kind", ${judgedDataSql}) ORDER BY r."sequence")::text AS "reports"
    FROM "anti_cheat_report" r
    WHERE r."clientId" = ANY(${clientIds}) AND r."receivedAt" >= ${from} AND r."receivedAt" < ${until}
    GROUP BY r."clientId"`;
  return new Map(rows.map(({ clientId, reports }) => [clientId, reports]));
}

function parseReports(json: string | undefined): Report[] {
  if (json === undefined) return [];
  return (JSON.parse(json) as StoredReport[]).map(toReport);
}

function toReport([sequence, at, receivedAt, kind, data]: StoredReport): Report {
  return { sequence, at, receivedAt, kind, data } as Report;
}

function clockOf({ firstReportAt, clockAheadMs }: Client): Clock {
  return {
    firstReportAt: firstReportAt?.getTime() ?? null,
    aheadMs: clockAheadMs === null ? null : Number(clockAheadMs),
  };
}

type Raised = Omit<ReturnType<typeof findCheating>[number], 'key'> & {
  userId: string;
  clientId: string;
  windowStart: Date;
};
type Stored = Pick<Raised, 'ruleId' | 'clientId'>;

/** Stores detections that are new, each with its event, a few at a time. @returns those that are new */
async function raise(tx: Tx, session: Session, found: readonly Raised[]): Promise<Stored[]> {
  const stored: Stored[] = [];
  for (let at = 0; at < found.length; at += detectionsAtATime) {
    stored.push(...(await raiseSome(tx, session, found.slice(at, at + detectionsAtATime))));
    await letOthersIn();
  }
  return stored;
}

async function raiseSome(tx: Tx, session: Session, found: readonly Raised[]): Promise<Stored[]> {
  const isAsked = env.ANTI_CHEAT_VERDICT_URL !== undefined;
  const room = isAsked ? await roomForVerdicts(tx, session.projectId) : 0;
  const rows = found.map(({ name, explanation, ...rest }, index) => ({
    ...rest,
    id: newId('det'),
    projectId: session.projectId,
    sessionId: session.id,
    matchId: session.matchId,
    rule: name,
    explanation: storableBeginning(explanation, 2_000),
    aiVerdictDueAt: index < room ? new Date() : null,
    aiVerdictFailure: isAsked && index >= room ? ('too_many' as const) : null,
  }));
  const created = await tx.detection.createManyAndReturn({ data: rows, skipDuplicates: true });
  const events = created.map(
    (row): NewEvent => ({
      projectId: session.projectId,
      type: 'anticheat.detection_raised',
      aggregateId: row.id,
      payload: {
        detectionId: row.id,
        sessionId: row.sessionId,
        matchId: row.matchId,
        userId: row.userId,
        ruleId: row.ruleId,
        rule: row.rule,
        severity: row.severity,
        raisedAt: row.raisedAt.toISOString(),
      },
    }),
  );
  await emit(tx, { actor: systemActor, requestId: null }, ...events);
  return created;
}

/** Remembers which silences of clients are raised, by when each was last heard, so that later windows do not raise them again. */
async function rememberSilences(tx: Tx, sessionId: string, silences: ReadonlyMap<string, Date>): Promise<void> {
  if (silences.size === 0) return;
  const from = [...silences.values()].map((heardAt) => heardAt.toISOString());
  await tx.$executeRaw`
    UPDATE "anti_cheat_session_client" s SET "raisedSilenceFrom" = r."from"
    FROM unnest(${[...silences.keys()]}::text[], ${from}::timestamptz[]) AS r("clientId", "from")
    WHERE s."sessionId" = ${sessionId} AND s."clientId" = r."clientId"`;
}

/**
 * Remembers, once windows are closed, what later ones need to know of each client's clock.
 * @param end of the last, or of the session
 */
async function closeWindows(
  tx: Tx,
  sessionId: string,
  { from, until, end }: { from: Date; until: Date; end: Date },
): Promise<void> {
  await tx.$executeRaw`
    UPDATE "anti_cheat_session_client" s SET
      "firstReportAt" = coalesce(s."firstReportAt", r."first"),
      "clockAheadMs" = greatest(s."clockAheadMs", r."ahead")
    FROM (
      SELECT r."clientId", min(r."receivedAt") AS "first",
        max(extract(epoch FROM r."at" - r."receivedAt") * 1000)::bigint AS "ahead"
      FROM "anti_cheat_report" r JOIN "anti_cheat_session_client" c ON c."clientId" = r."clientId"
      WHERE c."sessionId" = ${sessionId} AND r."receivedAt" >= ${from} AND r."receivedAt" < ${end}
      GROUP BY r."clientId"
    ) r WHERE s."sessionId" = ${sessionId} AND s."clientId" = r."clientId"`;
  await tx.antiCheatSession.update({
    where: { id: sessionId },
    data: { evaluatedUntil: until },
    select: { id: true },
  });
}

/**
 * Evaluates the windows of a locked session up to `until`, the open one as far as it goes; it is evaluated again until it
 * is closed. A rule raises at most one detection for a player in a window, and silence one of each client until it is heard again.
 * @param isFinal the session ends at `until`: then no window is open
 * @param budgetMs after which no further window is begun; one is always evaluated
 * @returns how many detections are new
 */
export async function evaluateSession(
  tx: Tx,
  sessionId: string,
  { until, isFinal, budgetMs }: { until: Date; isFinal: boolean; budgetMs: number },
): Promise<number> {
  const deadline = performance.now() + budgetMs;
  const session = await tx.antiCheatSession.findUniqueOrThrow({
    where: { id: sessionId },
    select: { id: true, projectId: true, matchId: true, game: true, evaluatedUntil: true, startedAt: true },
  });
  // Times are stored in milliseconds: what was received in this one counts.
  const now = until.getTime() + 1;
  const from = session.evaluatedUntil.getTime();
  const last = Math.min(now, from + maxWindows * windowMs);
  const [clients, settings] = await Promise.all([readClients(tx, sessionId), readSettings(tx, session.projectId)]);
  const clocks = new Map(clients.map((client) => [client.clientId, clockOf(client)]));
  const lastHeard = new Map(clients.map(({ clientId, lastHeardAt }) => [clientId, lastHeardAt]));
  const silences = new Map<string, Date>();
  let raised = 0;
  let closed = from;
  for (let start = from; start < last; start += windowMs) {
    if (start > from && performance.now() >= deadline) break;
    const end = Math.min(start + windowMs, last);
    const found: Raised[] = [];
    const isOpen = !isFinal && (end < start + windowMs || end + graceMs > now);
    const inOrder = await quietFirst(tx, clients, new Date(start), new Date(end));
    for (let at = 0; at < inOrder.length; at += clientsAtATime) {
      if (performance.now() >= deadline + overtimeMs) {
        logger.warn(
          { sessionId, clients: inOrder.length - at },
          'clients of an anti-cheat session sent too much in a minute',
        );
        break;
      }
      const some = inOrder.slice(at, at + clientsAtATime);
      const reports = await readReports(
        tx,
        some.map(({ clientId }) => clientId),
        new Date(start),
        new Date(end),
      );
      for (const client of some) {
        const heardAt = client.lastHeardAt?.getTime() ?? 0;
        const isHeard = heardAt >= session.startedAt.getTime();
        const { userId, clientId, isExpected } = client;
        const raisedFrom = silences.get(clientId) ?? client.raisedSilenceFrom;
        const isRaised = raisedFrom?.getTime() === heardAt;
        const clock = clocks.get(clientId) ?? unknownClock;
        const window = {
          start,
          end,
          reports: parseReports(reports.get(clientId)),
          // Anybody can be named: who never agreed to play owes nobody a running client.
          lastHeardAt: isHeard && isExpected && !isRaised ? Math.max(heardAt, runningSince) : null,
          clockAhead: knownAhead(clock, start),
        };
        clocks.set(clientId, learnClock(clock, window.reports));
        for (const { key: _key, ...finding } of findCheating(session.game, window, settings, { isOpen })) {
          found.push({ ...finding, userId, clientId, windowStart: new Date(start) });
        }
        // Others' requests come between two clients.
        await letOthersIn();
      }
    }
    const stored = await raise(tx, session, found);
    raised += stored.length;
    // One that a window has no place for, since it has one of the player already, is left to the next.
    for (const { ruleId, clientId } of stored) {
      const heardAt = lastHeard.get(clientId);
      if (ruleId === `${session.game}.client_silence` && heardAt) silences.set(clientId, heardAt);
    }
    if (!isOpen) closed = start + windowMs;
  }
  await rememberSilences(tx, sessionId, silences);
  if (closed > from) {
    const end = new Date(Math.min(closed, now));
    await closeWindows(tx, sessionId, { from: new Date(from), until: new Date(closed), end });
  }
  return raised;
}

/**
 * Evaluates a session that runs, or one that ended with something left to evaluate, unless another process is doing so.
 * @param budgetMs after which the rest is left to the next call
 * @returns how many detections are new
 */
export function evaluateOpen(sessionId: string, budgetMs: number = roundMs): Promise<number> {
  return db.$transaction(async (tx) => {
    const [locked] = await tx.$queryRaw<{ endedAt: Date | null; now: Date }[]>`
      SELECT "endedAt", clock_timestamp() AS "now" FROM "anti_cheat_session"
      WHERE "id" = ${sessionId} AND ("endedAt" IS NULL OR "evaluatedUntil" < "endedAt") FOR UPDATE SKIP LOCKED`;
    if (!locked) return 0;
    const { endedAt, now } = locked;
    return evaluateSession(tx, sessionId, { until: endedAt ?? now, isFinal: endedAt !== null, budgetMs });
  });
}
