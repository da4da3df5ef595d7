import type { Departure } from '@/domain/brackets/types';
import { newId } from '@/domain/ids';
import { Prisma } from '@/generated/prisma/client';
import type { MatchMessageKind } from '@/generated/prisma/enums';
import { rowsOf, type Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import type { Origin } from '@/server/events/emit';
import { playsFor } from '@/server/routers/participants/data-own';
import { acceptPlace } from '@/server/routers/participants/roster/data-acceptance';
import type { MatchRow } from './data-bracket';

/** A result as a thread keeps it: by the participants, because a correction may change who is in which slot. */
export type LineResult = {
  decidedBy: MatchRow['decidedBy'];
  /** In slot order. */
  participantIds: (string | null)[];
  games: { scores: [number, number] | null; winnerId: string | null }[];
  winnerId: string | null;
  /** Games won, in slot order: an imported result may have no games to count. Absent in reports, and in older lines. */
  score?: [number, number] | null;
  /** Absent in reports, and in lines written before these times were kept. */
  startedAt?: string | null;
  completedAt?: string | null;
};

/** A result that a correction deleted; `givesWay`: it comes back only where its match has no other by now. */
export type KeptLine = LineResult & { givesWay?: boolean };

/**
 * What a correction changed beyond the results that the threads of their matches keep: decisions of matches that it deleted, or that
 * follow from a departure, and all departures and who entered the playoffs as they were, where they changed.
 */
export type Kept = {
  lost: { number: number; previousResult: KeptLine }[];
  departures?: readonly Departure[];
  entries?: readonly number[];
};

/** What the lines of a thread say beyond their text. */
export type LineDetails = {
  result?: LineResult;
  previousResult?: LineResult;
  scheduledAt?: string;
  previousScheduledAt?: string | null;
  /** Id of the line of the correction that deleted the result. */
  because?: string;
  /** Id of the line of the correction that this one took back. */
  undoes?: string;
};

export type NewLine = {
  matchId: string;
  /** The side that the author plays on; none: staff, or nobody. */
  participantId?: string | null;
  kind: MatchMessageKind;
  text?: string;
  details?: LineDetails;
  kept?: Kept;
  mediaFileIds?: readonly string[];
};

type GivenResult = Pick<MatchRow, 'games' | 'winnerId'> &
  Partial<Pick<MatchRow, 'decidedBy' | 'slotA' | 'slotB' | 'startedAt' | 'completedAt'>>;

function scoreOf({ slotA, slotB }: GivenResult): LineResult['score'] {
  if (!slotA || !slotB) return undefined;
  return slotA.score === null || slotB.score === null ? null : [slotA.score, slotB.score];
}

/** A result of a match, reported or decided, with the ids of its participants in place of slots. */
export function lineResult(row: Pick<MatchRow, 'participantAId' | 'participantBId'>, given: GivenResult): LineResult {
  const { games, winnerId, decidedBy = 'result', startedAt, completedAt } = given;
  const participantIds = [row.participantAId, row.participantBId];
  const byParticipant = games.map(({ scores, winner }) => ({
    scores: scores && ([scores[0], scores[1]] as [number, number]),
    winnerId: winner === null ? null : (participantIds[winner] ?? null),
  }));
  return { decidedBy, participantIds, games: byParticipant, winnerId, score: scoreOf(given), startedAt, completedAt };
}

/**
 * Adds lines to the threads of matches, in one statement; their author is the actor of the change. Each keeps who plays in
 * its match now: a correction may put others there, who are not to read it. A player may have been substituted while their
 * change waited: what they write for a side, they still have to play for. Who acts for a registration of their own accepts it;
 * a comment may as well say that they never registered.
 * @returns their ids, in order
 * @throws NOT_IN_MATCH
 */
export async function addLines(tx: Tx, by: Origin, ...lines: NewLine[]): Promise<string[]> {
  const { actor } = by;
  const authorId = actor.type === 'user' ? actor.id : null;
  const rows = lines.map(({ text = '', details = {}, mediaFileIds = [], ...line }) => {
    return { ...line, id: newId('mms'), authorId, text, details, mediaFileIds };
  });
  if (rows.length > 0) {
    const written = await rowsOf<{ accepts: string | null }>(
      tx,
      Prisma.sql`
      INSERT INTO "match_message" AS w ("id", "matchId", "authorId", "participantId", "kind", "text", "details", "kept",
        "mediaFileIds", "participantIds", "createdAt")
      SELECT l."id", l."matchId", l."authorId", l."participantId", l."kind", l."text", l."details", l."kept", l."mediaFileIds",
        array_remove(ARRAY[m."participantAId", m."participantBId"], NULL), clock_timestamp()
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS l("id" text, "matchId" text, "authorId" text,
        "participantId" text, "kind" "match_message_kind", "text" text, "details" jsonb, "kept" jsonb, "mediaFileIds" text[])
      JOIN "match" m ON m."id" = l."matchId"
      WHERE l."authorId" IS NULL OR l."participantId" IS NULL
        OR EXISTS (SELECT FROM "participant" p WHERE p."id" = l."participantId" AND ${playsFor(Prisma.sql`l."authorId"`)})
      RETURNING (SELECT p."id" FROM "participant" p WHERE w."kind" <> 'comment' AND p."id" = w."participantId"
        AND p."userId" = w."authorId" AND p."acceptedAt" IS NULL) AS accepts`,
    );
    if (written.length < rows.length) throw refuse('NOT_IN_MATCH');
    for (const { accepts: participantId } of written) {
      if (participantId && authorId) await acceptPlace(tx, by, { participantId, userId: authorId });
    }
  }
  return rows.map(({ id }) => id);
}
