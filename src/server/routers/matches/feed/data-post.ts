import { newId } from '@/domain/ids';
import type { Tx } from '@/server/db';
import { type Issue, refuse } from '@/server/errors';
import { notifyPages } from '@/server/events/emit';
import { limitOf } from '@/server/limits/quotas';
import { rateExceeded, takeQuota } from '@/server/limits/take-quota';
import { largestPage } from '@/server/paging';
import { countFeed } from '@/server/routers/matches/stats/data-feed';
import { type FeedRow, feedColumns, toFeedEvent } from './data-list';
import { type FeedEvent, type NewFeedEvent, payloadBytes } from './schema';

type LockedMatch = {
  id: string;
  tournamentId: string;
  lastSequence: number;
  projectId: string;
  gameId: string;
  participantAId: string | null;
  participantBId: string | null;
};

/**
 * The players of a match: `participantId` of each, and which participants are a single player. Who was substituted without having
 * accepted has played nothing, and is none of them.
 */
type Players = { of: Map<string, string>; alone: Map<string, string> };

async function lockMatch(tx: Tx, matchId: string): Promise<LockedMatch> {
  const [match] = await tx.$queryRaw<LockedMatch[]>`
    SELECT m."id", m."tournamentId", m."lastSequence", m."participantAId", m."participantBId", t."projectId", t."gameId"
    FROM "match" m JOIN "tournament" t ON t."id" = m."tournamentId"
    WHERE m."id" = ${matchId} FOR NO KEY UPDATE OF m`;
  if (!match) throw refuse('NOT_FOUND', { message: 'There is no such match.' });
  if (match.participantAId === null || match.participantBId === null) throw refuse('MATCH_NOT_READY');
  return match;
}

async function readPlayers(tx: Tx, match: LockedMatch): Promise<Players> {
  const rows = await tx.$queryRaw<{ participantId: string; userId: string; isAlone: boolean }[]>`
    SELECT p."id" AS "participantId", p."userId", p."type" = 'individual' AS "isAlone" FROM "participant" p
    WHERE p."id" IN (${match.participantAId}, ${match.participantBId}) AND p."userId" IS NOT NULL
    UNION SELECT r."participantId", r."userId", false FROM "roster_member" r
    WHERE r."participantId" IN (${match.participantAId}, ${match.participantBId}) AND r."userId" IS NOT NULL
    UNION SELECT c."participantId", c."outUserId", false FROM "roster_change" c
    WHERE c."participantId" IN (${match.participantAId}, ${match.participantBId}) AND c."outAccepted"`;
  return {
    of: new Map(rows.map(({ userId, participantId }) => [userId, participantId])),
    alone: new Map(rows.flatMap(({ isAlone, userId, participantId }) => (isAlone ? [[participantId, userId]] : []))),
  };
}

/** Fills in the participant of a player, and the player of a participant who plays alone. */
function resolve(event: NewFeedEvent, match: LockedMatch, players: Players) {
  const participantId = event.participantId ?? (event.userId && players.of.get(event.userId)) ?? null;
  const userId = event.userId ?? (participantId && players.alone.get(participantId)) ?? null;
  const isInMatch = participantId === match.participantAId || participantId === match.participantBId;
  const wrong: (Omit<Issue, 'path'> & { field: string }) | null =
    event.participantId && !isInMatch
      ? { field: 'participantId', message: 'does not play in this match' }
      : event.userId && players.of.get(event.userId) !== participantId
        ? { field: 'userId', message: 'is not a player of this participant' }
        : null;
  return { participantId, userId, wrong };
}

/** The bytes of the payload of each event of a match that has one of these keys. */
async function readSizes(tx: Tx, matchId: string, clientIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await tx.$queryRaw<{ clientId: string; bytes: number }[]>`
    SELECT "clientId", octet_length("payload"::text) AS bytes FROM "match_event"
    WHERE "matchId" = ${matchId} AND "clientId" = ANY(${[...clientIds]})`;
  return new Map(rows.map(({ clientId, bytes }) => [clientId, bytes]));
}

async function readKnown(tx: Tx, matchId: string, clientIds: readonly string[]): Promise<Map<string, FeedEvent>> {
  if (clientIds.length === 0) return new Map();
  const rows = await tx.$queryRaw<(FeedRow & { clientId: string })[]>`
    SELECT ${feedColumns}, "clientId" FROM "match_event" e
    WHERE "matchId" = ${matchId} AND "clientId" = ANY(${[...clientIds]})`;
  return new Map(rows.map((row) => [row.clientId, toFeedEvent(row)]));
}

/**
 * Counts known events in KiB as posted ones, because reading and returning them costs as much. What was posted once can
 * be posted again: only a few bytes that would return many are refused.
 * @throws VALIDATION_FAILED, QUOTA_EXCEEDED
 */
async function takeKnown(tx: Tx, { projectId }: LockedMatch, known: number, posted: number): Promise<void> {
  // The database writes JSON with spaces and numbers in full, up to twice as long.
  if (known > Math.max(largestPage.bytes, 2 * posted)) {
    const kib = largestPage.bytes / 1024;
    const message = `The payloads of events that are known already have more than ${kib} KiB together. Post fewer at once.`;
    throw refuse('VALIDATION_FAILED', { message, issues: [{ path: 'events', message }] });
  }
  if (known > 0) await takeQuota(tx, 'matchEventKib', projectId, Math.ceil(known / 1024));
}

/** @throws QUOTA_EXCEEDED when `count` more events would be too many within a minute */
async function requireRate(tx: Tx, { id, lastSequence }: LockedMatch, count: number): Promise<void> {
  const limit = limitOf('matchEvents');
  if (count > limit) throw rateExceeded('matchEvents', id, { used: limit, wait: null });
  // Sequences have no gaps, so one row says whether the last `limit` events, these included, are within a minute.
  const [oldest] = await tx.$queryRaw<{ wait: number }[]>`
    SELECT ceil(60 - extract(epoch FROM clock_timestamp() - "createdAt"))::int AS wait FROM "match_event"
    WHERE "matchId" = ${id} AND "sequence" = ${lastSequence + count - limit}`;
  if (oldest && oldest.wait > 0) throw rateExceeded('matchEvents', id, { used: limit, wait: oldest.wait });
}

/** Writes new events of a locked match and counts them. @throws QUOTA_EXCEEDED */
async function insertEvents(
  tx: Tx,
  match: LockedMatch,
  added: readonly (FeedEvent & { clientId: string | null })[],
): Promise<void> {
  await requireRate(tx, match, added.length);
  await tx.$executeRaw`
    INSERT INTO "match_event" ("id", "matchId", "sequence", "type", "timestamp", "game", "participantId", "userId",
      "clientId", "payload", "createdAt")
    SELECT e."id", e."matchId", e."sequence", e."type", e."timestamp", e."game", e."participantId", e."userId",
      e."clientId", e."payload", clock_timestamp()
    FROM jsonb_to_recordset(${JSON.stringify(added)}::jsonb) AS e("id" text, "matchId" text, "sequence" int, "type" text,
      "timestamp" timestamptz, "game" int, "participantId" text, "userId" text, "clientId" text, "payload" jsonb)`;
  await tx.$executeRaw`
    UPDATE "match" SET "lastSequence" = "lastSequence" + ${added.length} WHERE "id" = ${match.id}`;
  await countFeed(tx, match, added);
  const { projectId, tournamentId } = match;
  notifyPages(tx, { type: 'feed.changed', projectId, tournamentId, matchId: match.id });
}

/**
 * Appends events to the feed of a match, all or none, and counts them in the statistics; the same number of statements
 * for any number of events. The match's row is locked, so sequences have no gaps. An event with a known `clientId` changes
 * nothing.
 * @param post.single whether the only event came without a list, for the paths of issues
 * @param post.bytes what the events take, as the quota counts them
 * @returns the stored events in the order given, and how many are new
 * @throws NOT_FOUND, MATCH_NOT_READY, VALIDATION_FAILED, QUOTA_EXCEEDED
 */
export async function appendEvents(
  tx: Tx,
  matchId: string,
  events: readonly NewFeedEvent[],
  { single, bytes }: { single: boolean; bytes: number },
): Promise<{ items: FeedEvent[]; created: number }> {
  const match = await lockMatch(tx, matchId);
  const clientIds = events.flatMap(({ clientId }) => clientId ?? []);
  const sizes = await readSizes(tx, match.id, clientIds);
  const known = [...sizes.keys()];
  const players = await readPlayers(tx, match);
  const now = new Date().toISOString();
  const issues: Issue[] = [];
  const added: (FeedEvent & { clientId: string | null })[] = [];
  /** New events, and instead of those that are known or earlier in the list their `clientId`. */
  const order: (FeedEvent | string)[] = [];
  let repeatedBytes = 0;
  for (const [at, event] of events.entries()) {
    const clientId = event.clientId ?? null;
    const size = clientId === null ? undefined : sizes.get(clientId);
    if (clientId !== null && size !== undefined) {
      repeatedBytes += size;
      order.push(clientId);
      continue;
    }
    const { participantId, userId, wrong } = resolve(event, match, players);
    if (wrong) issues.push({ path: `${single ? '' : `events.${at}.`}${wrong.field}`, message: wrong.message });
    const item: FeedEvent = {
      id: newId('mev'),
      matchId: match.id,
      sequence: match.lastSequence + added.length + 1,
      type: event.type,
      timestamp: event.timestamp ? new Date(event.timestamp).toISOString() : now,
      game: event.game ?? null,
      participantId,
      userId,
      payload: event.payload ?? {},
    };
    order.push(item);
    added.push({ ...item, clientId });
    if (clientId !== null) sizes.set(clientId, payloadBytes(event));
  }
  if (issues.length > 0) throw refuse('VALIDATION_FAILED', { issues });
  await takeKnown(tx, match, repeatedBytes, bytes);
  if (added.length > 0) await insertEvents(tx, match, added);
  const stored = await readKnown(tx, match.id, known);
  for (const { clientId, ...item } of added) if (clientId !== null) stored.set(clientId, item);
  const items = order.flatMap((item) => (typeof item === 'string' ? (stored.get(item) ?? []) : item));
  return { items, created: added.length };
}
