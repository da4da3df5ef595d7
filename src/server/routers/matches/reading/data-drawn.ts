import { keep } from '@/server/compiled';
import { pool } from '@/server/db';
import { BoundedCache } from '@/server/limits/bounded-cache';
import type { Play } from '@/server/routers/matches/data-bracket';
import { sizeOfMatch } from '@/server/routers/matches/data-size';
import { toBracket, toStandings } from '@/server/routers/matches/data-views';
import {
  type BracketOutput,
  bracket as bracketSchema,
  type StandingsOutput,
  standings as standingsSchema,
} from '@/server/routers/matches/schema';
import { tournamentKey } from '@/server/routers/tournaments/data';
import { type FoundPlay, findPlayOf } from './data-play';

/** What everyone reads of a draw, made when it is first asked for. */
export type Drawn = { bracket: () => BracketOutput; standings: () => StandingsOutput };

type Found = Pick<FoundPlay, 'tournamentId' | 'projectId' | 'status' | 'visibility' | 'publishedAt' | 'role'>;
export type FoundDrawn = Found & {
  /** Null before the start. */
  drawn: Drawn | null;
};

/** The size from which making the answer again takes longer than asking whether anything has changed. */
const largeFrom = 65;
/** The size of all draws that are kept: four of the largest, about 150 MB with their JSON. */
const maxKept = 24_576;

/** How large a draw is: by its matches, or by who plays, since few matches can be ranked for many. */
function sizeOf({ rows, names }: Play): number {
  let size = 0;
  for (const { games, report, counterReport } of rows.values()) {
    size += sizeOfMatch(games.length + (report?.games.length ?? 0) + (counterReport?.games.length ?? 0));
  }
  return Math.max(size, Object.keys(names).length);
}

type Made = {
  fingerprint: string;
  /** Null when the draw was gone when it was read. */
  drawn: Promise<Drawn | null>;
};

/** Large draws by the id of their tournament; null: read once, and not kept yet. */
const kept = new BoundedCache<Made | null>(maxKept);

/** Ids of tournaments with large draws, by the id or slug that they were asked for with. */
const ids = new Map<string, string>();
const maxIds = 10_000;

/**
 * Every version of a row has the id of the transaction that wrote it, so no change of a draw leaves its fingerprint as
 * it is.
 */
const rowsOf = (table: string) => `(SELECT count(*) || '.' || coalesce(sum(x.xmin::text::bigint), 0)
  FROM "${table}" x WHERE x."tournamentId" = t."id")`;

/** What decides whether a caller may see a draw, and its fingerprint, by one statement. */
async function findFingerprint(idOrSlug: string, userId: string | null, projectId: string | null) {
  const column = 'id' in tournamentKey(idOrSlug) ? 'id' : 'slug';
  const { rows } = await pool.query<Found & { fingerprint: string | null }>({
    name: `fingerprint_by_tournament_${column}`,
    text: `SELECT t."id" AS "tournamentId", t."projectId", t."status", t."visibility", t."publishedAt",
        (SELECT r."role" FROM "member" r WHERE r."projectId" = t."projectId" AND r."userId" = $2) AS role,
        (SELECT concat_ws(' ', b."version", b.xmin, ${['stage', 'match', 'station', 'participant'].map(rowsOf).join(', ')})
          FROM "bracket" b WHERE b."tournamentId" = t."id") AS fingerprint
      FROM "tournament" t
      WHERE t."${column}" = $1 AND ($3::text IS NULL OR t."projectId" = $3)`,
    values: [idOrSlug, userId, projectId],
  });
  return rows[0] ?? null;
}

/** What is made of a draw. What was kept for many answers is checked and written as JSON once. */
function toDrawn(read: Play, isKept: boolean): Drawn {
  let play: Play | null = read;
  let bracket: BracketOutput | undefined;
  let standings: StandingsOutput | undefined;
  const make = <Output>(from: (play: Play) => Output): Output => {
    if (!play) throw new Error('everything was made of this draw');
    return from(play);
  };
  // The rows take as much memory as what is made of them.
  const release = () => {
    if (bracket && standings) play = null;
  };
  return {
    bracket() {
      bracket ??= make((rows) => (isKept ? keep(bracketSchema, toBracket(rows)) : toBracket(rows)));
      release();
      return bracket;
    },
    standings() {
      standings ??= make((rows) => (isKept ? keep(standingsSchema, toStandings(rows)) : toStandings(rows)));
      release();
      return standings;
    },
  };
}

/** The draw of a fingerprint, made by the first who asks for it; everybody else waits for that. */
function make({ tournamentId, projectId }: Found, fingerprint: string): Promise<Drawn | null> {
  const before = kept.get(tournamentId);
  if (before?.fingerprint === fingerprint) return before.drawn;
  // Read after the fingerprint, so that what is kept is never older than its fingerprint says; by id, since a slug may
  // change hands.
  const drawn = findPlayOf(tournamentId, null).then((found) => {
    const play = found?.play;
    const size = play ? sizeOf(play) : 0;
    if (!play || size < largeFrom) {
      kept.delete(tournamentId);
      return play ? toDrawn(play, false) : null;
    }
    kept.put(tournamentId, { owner: projectId, size, value: made });
    return toDrawn(play, true);
  });
  const made = { fingerprint, drawn };
  kept.put(tournamentId, { owner: projectId, size: 0, value: made });
  drawn.catch(() => kept.delete(tournamentId));
  return drawn;
}

/** First reads that have not begun yet: what one request asks for several times is read and made once. */
const coming = new Map<string, Promise<FoundDrawn | null>>();

function readFirst(...asked: Parameters<typeof findPlayOf>): Promise<FoundDrawn | null> {
  const text = JSON.stringify(asked);
  const begin = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    coming.delete(text);
    return readNow(...asked);
  };
  const read = coming.get(text) ?? begin();
  coming.set(text, read);
  return read;
}

async function readNow(...asked: Parameters<typeof findPlayOf>): Promise<FoundDrawn | null> {
  const found = await findPlayOf(...asked);
  if (!found) return null;
  const { play, slug: _slug, ...facts } = found;
  const isLarge = play !== null && sizeOf(play) >= largeFrom;
  if (isLarge) {
    if (ids.size >= maxIds) ids.clear();
    ids.set(asked[0], facts.tournamentId);
    if (kept.get(facts.tournamentId) === undefined) {
      kept.put(facts.tournamentId, { owner: facts.projectId, size: 0, value: null });
    }
  }
  return { ...facts, drawn: play && toDrawn(play, isLarge) };
}

/**
 * The draw of a tournament as everyone reads it. A large one is made once, and again when anything in it has changed: views
 * of it would hold up everybody else's requests. The caller of this function decides who may see it.
 * @param userId whose role in the project is asked for
 * @param projectId reads nothing of other projects
 * @returns null when there is no such tournament
 */
export async function findDrawn(
  idOrSlug: string,
  userId: string | null,
  projectId: string | null = null,
): Promise<FoundDrawn | null> {
  const id = ids.get(idOrSlug);
  if (id !== undefined && kept.get(id) !== undefined) {
    const now = await findFingerprint(idOrSlug, userId, projectId);
    if (!now) return null;
    const { fingerprint, ...found } = now;
    return { ...found, drawn: fingerprint === null ? null : await make(found, fingerprint) };
  }
  return readFirst(idOrSlug, userId, projectId);
}
