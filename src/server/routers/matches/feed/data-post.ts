import { newId } from '@/domain/ids';
import type { Tx } from '@/server/db';
import { type Issue, refuse } from '@/server/errors';
import { notifyPages } from '@/server/events/emit';
import { limitOf } from '@/server/limits/quotas';
import { rateExceeded } from '@/server/limits/take-quota';
import { countFeed } from '@/server/routers/matches/stats/data-feed';
import { type FeedRow, feedColumns, toFeedEvent } from './data-list';
import type { FeedEvent, NewFeedEvent } from './schema';

type LockedMatch = {
  id: string;
  tournamentId: string;
  lastSequence: number;
  projectId: string;
  gameId: string;
  participantAId: string | null;
  participantBId: string | null;
};

/** The players of a match: `participantId` of each, and which participants are a single player. */
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
    WHERE c."participantId" IN (${match.participantAId}, ${match.participantBId})`;
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

/**
 * Appends events to the feed of a match, all or none, and counts them in the statistics; the same number of statements
 * for any number of events. The match's row is locked, so sequences have no gaps. An event with a known `clientId` changes
 * nothing.
 * @param single whether the only event came without a list, for the paths of issues
 * @returns the stored events in the order given, and how many are new
 * @throws NOT_FOUND, MATCH_NOT_READY, VALIDATION_FAILED, QUOTA_EXCEEDED
 */
export async function appendEvents(
  tx: Tx,
  matchId: string,
  events: readonly NewFeedEvent[],
  { single }: { single: boolean },
): Promise<{ items: FeedEvent[]; created: number }> {
  const match = await lockMatch(tx, matchId);
  const clientIds = events.flatMap(({ clientId }) => clientId ?? []);
  const known = await tx.$queryRaw<(FeedRow & { clientId: string })[]>`
    SELECT ${feedColumns}, "clientId" FROM "match_event"
    WHERE "matchId" = ${match.id} AND "clientId" = ANY(${clientIds})`;
  const players = await readPlayers(tx, match);
  const stored = new Map(known.map((row) => [row.clientId, toFeedEvent(row)]));
  const now = new Date().toISOString();
  const issues: Issue[] = [];
  const items: FeedEvent[] = [];
  const added: (FeedEvent & { clientId: string | null })[] = [];
  for (const [at, event] of events.entries()) {
    const clientId = event.clientId ?? null;
    const earlier = clientId === null ? undefined : stored.get(clientId);
    if (earlier) {
      items.push(earlier);
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
    items.push(item);
    added.push({ ...item, clientId });
    if (clientId !== null) stored.set(clientId, item);
  }
  if (issues.length > 0) throw refuse('VALIDATION_FAILED', { issues });
  if (added.length === 0) return { items, created: 0 };
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
  return { items, created: added.length };
}
