import { Prisma } from '@/generated/prisma/client';
import { pageArgs } from '@/server/paging';
import { type Asker, report } from '@/server/report';
import { playedNothing } from '@/server/routers/matches/stats/data-feed';
import type { FeedEvent, FeedEventType, FeedFilter } from './schema';

export type FeedRow = {
  id: string;
  matchId: string;
  sequence: number;
  type: string;
  timestamp: Date;
  game: number | null;
  participantId: string | null;
  userId: string | null;
  payload: FeedEvent['payload'];
};

/** An event as everyone may see it, without the API key that posted it. */
export function toFeedEvent({ timestamp, type, ...row }: FeedRow): FeedEvent {
  const { id, matchId, sequence, game, participantId, userId, payload } = row;
  const happened = timestamp.toISOString();
  return {
    id,
    matchId,
    sequence,
    type: type as FeedEventType,
    timestamp: happened,
    game,
    participantId,
    userId,
    payload,
  };
}

/** Columns of the events `e`, which do not name a player who never agreed and has left. */
export const feedColumns = Prisma.sql`e."id", e."matchId", e."sequence", e."type", e."timestamp", e."game", e."participantId",
  CASE WHEN ${playedNothing} THEN NULL ELSE e."userId" END AS "userId", e."payload"`;

function matching(matchId: string, { type, from, to }: FeedFilter): Prisma.Sql {
  const parts = [Prisma.sql`"matchId" = ${matchId}`];
  if (type) parts.push(Prisma.sql`"type" = ${type}`);
  if (from) parts.push(Prisma.sql`"timestamp" >= ${new Date(from)}`);
  if (to) parts.push(Prisma.sql`"timestamp" <= ${new Date(to)}`);
  return Prisma.join(parts, ' AND ');
}

/** One page of a match's feed, in the order of the sequence. */
export async function listFeed(asker: Asker, matchId: string, filter: FeedFilter): Promise<FeedEvent[]> {
  const { skip, take } = pageArgs(filter);
  const rows = await report<FeedRow>(
    asker,
    Prisma.sql`
      SELECT ${feedColumns} FROM "match_event" e WHERE ${matching(matchId, filter)}
      ORDER BY "sequence" LIMIT ${take} OFFSET ${skip}`,
  );
  return rows.map(toFeedEvent);
}

/** How many events of a match's feed the filter admits. */
export async function countFeedEvents(asker: Asker, matchId: string, filter: FeedFilter): Promise<number> {
  const [row] = await report<{ total: number }>(
    asker,
    Prisma.sql`SELECT count(*)::int AS total FROM "match_event" WHERE ${matching(matchId, filter)}`,
  );
  return row?.total ?? 0;
}
