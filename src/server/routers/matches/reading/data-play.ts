import type { ProjectRole, TournamentStatus, TournamentVisibility } from '@/generated/prisma/enums';
import { pool } from '@/server/db';
import { type Play, type PlayRow, playColumns, toPlay } from '@/server/routers/matches/data-bracket';
import { tournamentKey } from '@/server/routers/tournaments/data';

type Row = Omit<PlayRow, 'version'> & {
  tournamentId: string;
  slug: string;
  projectId: string;
  status: TournamentStatus;
  visibility: TournamentVisibility;
  publishedAt: Date | null;
  role: ProjectRole | null;
  version: number | null;
};

/** What decides whether a caller may see a draw, and the draw; null before the start. */
export type FoundPlay = Pick<Row, 'slug' | 'projectId' | 'status' | 'visibility' | 'publishedAt' | 'role'> & {
  tournamentId: string;
  play: Play | null;
};

/**
 * Reads the draw of a tournament together with what decides who may see it, in one statement. The caller of this function
 * decides.
 * @param userId whose role in the project is asked for
 * @param projectId reads nothing of other projects
 * @returns null when there is no such tournament
 */
export async function findPlayOf(
  idOrSlug: string,
  userId: string | null,
  projectId: string | null = null,
): Promise<FoundPlay | null> {
  const column = 'id' in tournamentKey(idOrSlug) ? 'id' : 'slug';
  const { rows } = await pool.query<Row>({
    name: `play_by_tournament_${column}`,
    text: `SELECT t."id" AS "tournamentId", t."slug", t."projectId", t."status", t."visibility", t."publishedAt",
        (SELECT r."role" FROM "member" r WHERE r."projectId" = t."projectId" AND r."userId" = $2) AS role, ${playColumns}
      FROM "tournament" t LEFT JOIN "bracket" b ON b."tournamentId" = t."id"
      WHERE t."${column}" = $1 AND ($3::text IS NULL OR t."projectId" = $3)`,
    values: [idOrSlug, userId, projectId],
  });
  const [row] = rows;
  if (!row) return null;
  const { tournamentId, slug, status, visibility, publishedAt, role, version } = row;
  const play = version === null ? null : toPlay(tournamentId, { ...row, version });
  return { tournamentId, slug, projectId: row.projectId, status, visibility, publishedAt, role, play };
}
