import { pool } from '@/server/db';
import type { Play } from '@/server/routers/matches/data-bracket';
import { toBracket, toStandings } from '@/server/routers/matches/data-views';
import type { BracketOutput, StandingsOutput } from '@/server/routers/matches/schema';
import { tournamentKey } from '@/server/routers/tournaments/data';
import { type FoundPlay, findPlayOf } from './data-play';

/** What everyone reads of a draw, made when it is first asked for. */
export type Drawn = { bracket: () => BracketOutput; standings: () => StandingsOutput };

type Found = Pick<FoundPlay, 'tournamentId' | 'visibility' | 'publishedAt' | 'role'>;
export type FoundDrawn = Found & {
  /** Null before the start. */
  drawn: Drawn | null;
};

/** Matches from which making the answer again takes longer than asking whether anything has changed. */
const largeFrom = 65;
/** Matches of all draws that are kept. */
const maxKept = 20_000;

type Kept = { size: number; made: { fingerprint: string; drawn: Drawn } | null };

/** Large draws by the id or slug that they were asked for with, the one that was read longest ago first. */
const kept = new Map<string, Kept>();

function keep(key: string, entry: Kept): void {
  kept.delete(key);
  kept.set(key, entry);
  let total = [...kept.values()].reduce((sum, { size }) => sum + size, 0);
  for (const [oldest, { size }] of kept) {
    if (total <= maxKept || oldest === key) return;
    kept.delete(oldest);
    total -= size;
  }
}

/** Every version of a row has the id of the transaction that wrote it, so no change of a draw leaves its fingerprint as it is. */
const rowsOf = (table: string) => `(SELECT count(*) || '.' || coalesce(sum(x.xmin::text::bigint), 0)
  FROM "${table}" x WHERE x."tournamentId" = t."id")`;

/** What decides whether a caller may see a draw, and its fingerprint, by one statement. */
async function findFingerprint(idOrSlug: string, userId: string | null) {
  const column = 'id' in tournamentKey(idOrSlug) ? 'id' : 'slug';
  const { rows } = await pool.query<Found & { fingerprint: string | null }>({
    name: `fingerprint_by_tournament_${column}`,
    text: `SELECT t."id" AS "tournamentId", t."visibility", t."publishedAt",
        (SELECT r."role" FROM "member" r WHERE r."projectId" = t."projectId" AND r."userId" = $2) AS role,
        (SELECT concat_ws(' ', b."version", b.xmin, ${['stage', 'match', 'station', 'participant'].map(rowsOf).join(', ')})
          FROM "bracket" b WHERE b."tournamentId" = t."id") AS fingerprint
      FROM "tournament" t WHERE t."${column}" = $1`,
    values: [idOrSlug, userId],
  });
  return rows[0] ?? null;
}

function toDrawn(play: Play): Drawn {
  let bracket: BracketOutput | undefined;
  let standings: StandingsOutput | undefined;
  return {
    bracket() {
      bracket ??= toBracket(play);
      return bracket;
    },
    standings() {
      standings ??= toStandings(play);
      return standings;
    },
  };
}

/**
 * The draw of a tournament as everyone reads it. A large one is made once, and again when anything in it has changed: views
 * of it would hold up everybody else's requests. The caller of this function decides who may see it.
 * @param userId whose role in the project is asked for
 * @returns null when there is no such tournament
 */
export async function findDrawn(idOrSlug: string, userId: string | null): Promise<FoundDrawn | null> {
  const before = kept.get(idOrSlug);
  // Asked before the draw is read, so that what is kept is never older than its fingerprint says.
  const now = before ? await findFingerprint(idOrSlug, userId) : null;
  if (before?.made && now && now.fingerprint === before.made.fingerprint) {
    keep(idOrSlug, before);
    const { tournamentId, visibility, publishedAt, role } = now;
    return { tournamentId, visibility, publishedAt, role, drawn: before.made.drawn };
  }
  const found = await findPlayOf(idOrSlug, userId);
  if (!found) return null;
  const { tournamentId, visibility, publishedAt, role, play } = found;
  const drawn = play && toDrawn(play);
  if (drawn && play.rows.size >= largeFrom) {
    const fingerprint = now?.fingerprint ?? null;
    keep(idOrSlug, { size: play.rows.size, made: fingerprint === null ? null : { fingerprint, drawn } });
  } else kept.delete(idOrSlug);
  return { tournamentId, visibility, publishedAt, role, drawn };
}
