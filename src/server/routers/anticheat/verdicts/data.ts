import type { ReportKind } from '@/domain/anticheat/reports';
import { type RuleKey, rules, windowMs } from '@/domain/anticheat/rules';
import { env } from '@/env';
import { Prisma } from '@/generated/prisma/client';
import type { AiVerdictFailure } from '@/generated/prisma/enums';
import { db, type Tx } from '@/server/db';
import { verdictAgent } from '@/server/delivery/outbound/policy';
import { post } from '@/server/delivery/outbound/post';
import { userAgent } from '@/server/delivery/request/request';
import { signPayload } from '@/server/delivery/request/signature';
import { projectTurnSql, turnsOfRowsSql } from '@/server/events/project-turn';
import { logger } from '@/server/logger';
import { countVerdictRequest } from '@/server/metrics';
import { maxPauseMs, readResult, type VerdictResult } from './rules';
import { maxReportsBytes, namedFields, type VerdictAnswer, type VerdictRequest } from './schema';

/** How long a detection is left to its run, before that counts as lost. */
const leaseMs = 2 * maxPauseMs;

type DueVerdict = { detectionId: string; projectId: string; turn: string };

/**
 * Takes due detections. Of each project where some wait, at most as many are read as are taken. They are looked up by their ids, without a join: where PostgreSQL does not
 * know yet that very many are due, it would compare each of them with each that is taken.
 */
export const takeDueStatement = (limit: number) => Prisma.sql`
  ${Prisma.raw(turnsOfRowsSql('"detection" r WHERE r."aiVerdictDueAt" IS NOT NULL'))}
  UPDATE "detection" SET
    "aiVerdictDueAt" = now() + greatest(now() - "raisedAt", ${leaseMs} * interval '1 millisecond')
  WHERE ("aiVerdictDueAt" <= now()) IS TRUE AND "id" = ANY (ARRAY(
    SELECT "id" FROM (
      SELECT d."id", d."aiVerdictDueAt", row_number() OVER (
        PARTITION BY w."turn" ORDER BY d."place", d."aiVerdictDueAt") AS "placeInTurn"
      FROM "turns" w CROSS JOIN LATERAL (
        SELECT "id", "aiVerdictDueAt", row_number() OVER (ORDER BY "aiVerdictDueAt") AS "place" FROM (
          SELECT "id", "aiVerdictDueAt" FROM "detection"
          WHERE "projectId" = w."projectId" AND "aiVerdictDueAt" <= now() ORDER BY "aiVerdictDueAt" LIMIT ${limit}) oldest) d) fair
    ORDER BY "placeInTurn", "aiVerdictDueAt" LIMIT ${limit}))
  RETURNING "id" AS "detectionId", "projectId", ${Prisma.raw(projectTurnSql('"detection"."projectId"'))} AS "turn"`;

/**
 * Takes detections whose verdict is to be asked for, in turns of who created the projects, and of each project its oldest first. What is taken and never asked for,
 * because its event was lost, is due again later and later.
 */
export function takeDueVerdicts(limit: number): Promise<DueVerdict[]> {
  return db.$queryRaw<DueVerdict[]>(takeDueStatement(limit));
}

/** Detections of a project that wait for their verdict at most: about those raised meanwhile the provider is not asked. */
export const maxWaiting = 2_000;

/** How many more detections of a project may wait for their verdict. */
export async function roomForVerdicts(tx: Tx, projectId: string): Promise<number> {
  const [row] = await tx.$queryRaw<{ waiting: number }[]>`
    SELECT count(*)::int AS "waiting" FROM (
      SELECT FROM "detection" WHERE "projectId" = ${projectId} AND "aiVerdictDueAt" IS NOT NULL LIMIT ${maxWaiting}) w`;
  return maxWaiting - (row?.waiting ?? 0);
}

/** A detection that still needs its verdict; for the next minutes no other run takes it. */
async function claim(detectionId: string) {
  const [detection] = await db.detection.updateManyAndReturn({
    where: { id: detectionId, aiVerdictDueAt: { not: null } },
    data: { aiVerdictDueAt: new Date(Date.now() + leaseMs) },
    select: {
      id: true,
      sessionId: true,
      matchId: true,
      userId: true,
      clientId: true,
      ruleId: true,
      rule: true,
      severity: true,
      windowStart: true,
      explanation: true,
      figures: true,
      raisedAt: true,
    },
  });
  return detection;
}

type StoredReport = {
  sequence: bigint;
  at: Date;
  receivedAt: Date;
  kind: ReportKind;
  data: Record<string, unknown>;
  count: number;
};

/** The reports of a client in a window, those from its start that fit. */
function readReports(clientId: string, start: Date, end: Date): Promise<StoredReport[]> {
  return db.$queryRaw<StoredReport[]>`
    SELECT "sequence", "at", "receivedAt", "kind", "data", "count" FROM (
      SELECT r.*, count(*) OVER ()::int AS "count",
        sum(octet_length(r."data"::text) + 150) OVER (ORDER BY r."sequence") AS "bytes"
      FROM "anti_cheat_report" r
      WHERE r."clientId" = ${clientId} AND r."receivedAt" >= ${start} AND r."receivedAt" < ${end}) r
    WHERE "bytes" <= ${maxReportsBytes} ORDER BY "sequence"`;
}

async function composeRequest(detection: NonNullable<Awaited<ReturnType<typeof claim>>>): Promise<VerdictRequest> {
  const { clientId, windowStart, raisedAt, ...rest } = detection;
  const end = new Date(windowStart.getTime() + windowMs);
  const rows = await readReports(clientId, windowStart, end);
  const [game = '', key = ''] = rest.ruleId.split('.');
  return {
    type: 'anticheat.verdict_requested',
    detection: {
      ...rest,
      game,
      ruleDescription: key in rules ? rules[key as RuleKey].description : null,
      raisedAt: raisedAt.toISOString(),
    },
    window: { start: windowStart.toISOString(), end: end.toISOString() },
    reports: rows.map(({ sequence, at, receivedAt, kind, data }) => ({
      sequence: Number(sequence),
      at: at.toISOString(),
      receivedAt: receivedAt.toISOString(),
      kind,
      data: namedFields({ kind, data }),
    })),
    reportsOmitted: (rows[0]?.count ?? 0) - rows.length,
  };
}

async function send(id: string, request: VerdictRequest): Promise<VerdictResult> {
  const { ANTI_CHEAT_VERDICT_URL: url, ANTI_CHEAT_VERDICT_SECRET: secret } = env;
  if (url === undefined || secret === undefined) {
    return { state: 'failed', failure: 'turned_off', reason: 'ANTI_CHEAT_VERDICT_URL is not set.' };
  }
  const { body, headers } = signPayload(request, { id, secrets: [secret], sentAt: new Date() });
  const result = await post(verdictAgent(), {
    url,
    headers: {
      'user-agent': userAgent,
      accept: 'application/json',
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      ...headers,
    },
    body: Buffer.from(body),
    timeoutMs: env.ANTI_CHEAT_VERDICT_TIMEOUT_MS,
  });
  return readResult(result);
}

/** Records what the provider said, unless something is recorded already. */
async function record(id: string, outcome: VerdictAnswer | AiVerdictFailure): Promise<void> {
  const data =
    typeof outcome === 'string'
      ? { aiVerdictFailure: outcome }
      : {
          aiVerdict: outcome.verdict,
          aiConfidence: outcome.confidence,
          aiModel: outcome.model,
          aiVerdictAt: new Date(),
        };
  await db.detection.updateMany({
    where: { id, aiVerdictDueAt: { not: null } },
    data: { ...data, aiVerdictDueAt: null },
  });
}

/**
 * Asks the verdict provider about a detection and records what it says, or that it gives no verdict. A detection that needs
 * none any more is left alone.
 * @returns what became of it; only after `unreachable` is it to be asked again
 */
export async function askForVerdict(detectionId: string): Promise<{ state: 'not_due' } | VerdictResult> {
  const detection = await claim(detectionId);
  if (!detection) return { state: 'not_due' };
  const result = await send(detectionId, await composeRequest(detection));
  countVerdictRequest(result.state === 'failed' ? result.failure : result.state);
  if (result.state === 'answered') await record(detectionId, result.answer);
  else logger.warn({ detectionId, ...result }, 'the verdict provider gave no verdict');
  if (result.state === 'failed') await record(detectionId, result.failure);
  return result;
}

/** Records that the provider could not be reached, after the last attempt. */
export function giveUpVerdict(detectionId: string): Promise<void> {
  return record(detectionId, 'unreachable');
}
