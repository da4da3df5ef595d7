import { Prisma } from '@/generated/prisma/client';
import type { MatchMessageGetPayload } from '@/generated/prisma/models';
import { db, type Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { requireTaken, takeWindows } from '@/server/limits/take-quota';
import { boundPage, type PageInput, pageArgs, toPage, totalOf } from '@/server/paging';
import type { StoredReport } from '@/server/routers/matches/data-bracket';
import type { LineDetails } from '@/server/routers/matches/data-lines';
import { claimUploads, confirmImages } from '@/server/storage/media';
import type { MessageOutput } from './schema';

const columns = {
  id: true,
  matchId: true,
  authorId: true,
  participantId: true,
  kind: true,
  text: true,
  details: true,
  mediaFileIds: true,
  createdAt: true,
} as const;
type Row = MatchMessageGetPayload<{ select: typeof columns }>;

async function toMessages(tx: Tx, rows: readonly Row[]): Promise<MessageOutput[]> {
  const ids = [...new Set(rows.flatMap(({ authorId }) => authorId ?? []))];
  const users = await tx.user.findMany({ where: { id: { in: ids } }, select: { id: true, name: true } });
  const names = new Map(users.map(({ id, name }) => [id, name]));
  return rows.map(({ authorId, participantId, details, createdAt, ...row }) => {
    const { result, previousResult, scheduledAt, previousScheduledAt } = details as LineDetails;
    return {
      ...row,
      author: authorId === null ? null : { userId: authorId, name: names.get(authorId) ?? '', participantId },
      result: result ?? null,
      previousResult: previousResult ?? null,
      scheduledAt: scheduledAt ?? null,
      previousScheduledAt: previousScheduledAt ?? null,
      createdAt: createdAt.toISOString(),
    };
  });
}

/** The names of the participants that lines are about; a correction may have taken them out of the match. */
async function namesIn(tx: Tx, lines: readonly MessageOutput[]): Promise<Record<string, string>> {
  const ids = lines.flatMap(({ author, result, previousResult }) => [
    author?.participantId,
    ...(result?.participantIds ?? []),
    ...(previousResult?.participantIds ?? []),
  ]);
  const known = [...new Set(ids.flatMap((id) => id ?? []))];
  const rows = await tx.participant.findMany({ where: { id: { in: known } }, select: { id: true, name: true } });
  return Object.fromEntries(rows.map(({ id, name }) => [id, name]));
}

/** Whose thread an account reads: as staff, or as a player for the participants `mine`. */
export type Reader = { matchId: string; userId: string; isStaff: boolean; mine: readonly string[] };

/**
 * When somebody last claimed a participant of `mine`, in whose place somebody else may have been before; null for who was on the roster
 * already, or had left that place themselves.
 */
async function claimedAt(tx: Tx, { userId, mine }: Reader): Promise<Date | null> {
  const [row] = await tx.$queryRaw<{ at: Date | null }[]>`
    SELECT max(c."acceptedAt") AS at FROM "claim_link" c JOIN "participant" p ON p."id" = c."participantId"
    WHERE c."participantId" = ANY(${mine}) AND p."formerUserId" IS DISTINCT FROM ${userId}
      AND (c."acceptedById" = ${userId} OR NOT EXISTS (
        SELECT FROM "roster_member" r
        WHERE r."participantId" = p."id" AND r."userId" = ${userId} AND r."createdAt" < c."acceptedAt"))`;
  return row?.at ?? null;
}

/**
 * The newest lines of a match, of which a reader sees those that they may. Nothing reads further back, so that no thread, however long,
 * takes more time than so many lines.
 */
const maxLines = 5_000;
const newestFirst = [{ createdAt: 'desc' }, { id: 'desc' }] satisfies Prisma.MatchMessageOrderByWithRelationInput[];

/** The newest lines of a match: in nearly every one, all. */
async function newestOf(tx: Tx, matchId: string): Promise<Prisma.MatchMessageWhereInput> {
  const tooOld = await tx.matchMessage.findFirst({
    where: { matchId },
    orderBy: newestFirst,
    skip: maxLines,
    select: { createdAt: true },
  });
  return { matchId, ...(tooOld ? { createdAt: { gt: tooOld.createdAt } } : {}) };
}

/**
 * The lines of a match that an account may read. A correction may put other players into a match, and what was written while
 * those before played in it is not meant for them; what was written before anybody was replaced is. Nor is what was written
 * before somebody claimed a guest meant for them, or for who joined its team since: a player who has left may have written to staff.
 */
async function readableBy(tx: Tx, reader: Reader): Promise<Prisma.MatchMessageWhereInput> {
  const { matchId, isStaff, mine } = reader;
  if (isStaff) return newestOf(tx, matchId);
  const select = { participantAId: true, participantBId: true };
  const [newest, { participantAId, participantBId }, since] = await Promise.all([
    newestOf(tx, matchId),
    tx.match.findUniqueOrThrow({ where: { id: matchId }, select }),
    claimedAt(tx, reader),
  ]);
  const stillIn = [participantAId, participantBId].flatMap((id) =>
    id === null ? [] : { participantIds: { equals: [id] } },
  );
  return {
    AND: [newest, since ? { createdAt: { gte: since } } : {}],
    OR: [{ participantIds: { hasSome: [...mine] } }, { participantIds: { isEmpty: true } }, ...stillIn],
  };
}

/** Whether a line that somebody may read shows a screenshot. */
export async function showsScreenshot(tx: Tx, reader: Reader, mediaFileId: string): Promise<boolean> {
  const where = { ...(await readableBy(tx, reader)), mediaFileIds: { has: mediaFileId } };
  return (await tx.matchMessage.findFirst({ where, select: { id: true } })) !== null;
}

/** Games that a line lists, as the index that finds the most of a match has it. */
const gamesSql = Prisma.raw(
  `(coalesce(jsonb_array_length("details" -> 'result' -> 'games'), 0)
    + coalesce(jsonb_array_length("details" -> 'previousResult' -> 'games'), 0))`,
);

/** The most games that a line of a match's thread lists, readable or not. */
async function mostGames(tx: Tx, matchId: string): Promise<number | null> {
  const [row] = await tx.$queryRaw<{ games: number | null }[]>`
    SELECT max(${gamesSql}) AS games FROM "match_message" WHERE "matchId" = ${matchId}`;
  return row?.games ?? null;
}

/** One page of a match's thread, the newest line first, with the names of the participants in it. */
export async function listThread(tx: Tx, reader: Reader, input: PageInput) {
  const [where, games] = await Promise.all([readableBy(tx, reader), mostGames(tx, reader.matchId)]);
  const page = boundPage(input, { parts: games });
  const args = pageArgs(page);
  const rows = await tx.matchMessage.findMany({ where, orderBy: newestFirst, select: columns, ...args });
  const total = await totalOf(args, rows.length, () =>
    // With an order and a limit, so that PostgreSQL reads the newest by their index, however many it expects.
    tx.matchMessage.count({ where, orderBy: newestFirst, take: maxLines }),
  );
  const items = await toMessages(tx, rows);
  return { ...toPage(items, total, page), names: await namesIn(tx, items) };
}

/** A line that was just written. */
export async function readMessage(tx: Tx, id: string): Promise<MessageOutput> {
  const row = await tx.matchMessage.findUniqueOrThrow({ where: { id }, select: columns });
  const [written] = await toMessages(tx, [row]);
  if (!written) throw new Error(`no message ${id}`);
  return written;
}

/**
 * Whether the caller may write: staff always; players while the match is open and disputed, or staff have written.
 */
export async function canWrite(tx: Tx, matchId: string, isStaff: boolean): Promise<boolean> {
  if (isStaff) return true;
  // In an order, so that PostgreSQL reads the lines of the match by their index, however many other matches have.
  const [row] = await tx.$queryRaw<{ open: boolean }[]>`
    SELECT m."status" = 'disputed' OR (m."status" NOT IN ('completed', 'forfeited') AND (
      SELECT true FROM "match_message" l WHERE l."matchId" = m."id" AND l."kind" IN ('dispute', 'comment')
      ORDER BY l."createdAt" DESC, l."id" DESC LIMIT 1) IS NOT NULL) AS open
    FROM "match" m WHERE m."id" = ${matchId}`;
  return row?.open ?? false;
}

/** Whether the caller may send screenshots: who may write, and a player who can dispute what the other side reported. */
export async function canSendScreenshots(tx: Tx, { matchId, isStaff, mine }: Reader): Promise<boolean> {
  if (await canWrite(tx, matchId, isStaff)) return true;
  const match = await tx.match.findUniqueOrThrow({ where: { id: matchId }, select: { status: true, report: true } });
  const report = match.report as StoredReport | null;
  return match.status === 'in_progress' && report !== null && !mine.includes(report.by);
}

type Screenshots = {
  ids: readonly string[];
  projectId: string;
  tournamentId: string;
  matchId: string;
  userId: string;
  isStaff: boolean;
};

const ownUploads = ({ projectId, matchId, userId }: Screenshots) => {
  return { kind: 'match_screenshot', projectId, subjectId: matchId, createdById: userId } as const;
};

/**
 * Checks in the store that screenshots have arrived, before the transaction that claims them.
 * @throws VALIDATION_FAILED for one that the user did not make for this match, INVALID_STATE for one that is not there or cannot be shown
 */
export async function confirmScreenshots(given: Screenshots): Promise<void> {
  if (given.ids.length === 0) return;
  const where = { ...ownUploads(given), id: { in: [...given.ids] } };
  const found = new Set((await db.mediaFile.findMany({ where, select: { id: true } })).map(({ id }) => id));
  const unknown = given.ids.flatMap((id, at) =>
    found.has(id) ? [] : [{ path: `mediaFileIds.${at}`, message: 'is not an upload that you made for this match' }],
  );
  if (unknown.length > 0) throw refuse('VALIDATION_FAILED', { issues: unknown });
  await confirmImages(given.ids);
}

/**
 * What screenshots take from a project's day, and how much of it. Anybody may play in open cups: so players of one tournament
 * have a fifth of it, one player has a fiftieth, and all together leave the last fifth to staff.
 */
function sharesOf({ projectId, tournamentId, userId, isStaff }: Screenshots, kib: number): Map<string, number> {
  if (isStaff) return new Map([[projectId, kib]]);
  return new Map([
    [projectId, kib],
    [`${projectId} players`, Math.ceil((kib * 5) / 4)],
    [tournamentId, kib * 5],
    [`${projectId} ${userId}`, kib * 50],
  ]);
}

/**
 * Claims confirmed screenshots for a message, and counts them only now: what nobody sends is deleted, and takes nothing from others.
 * @throws INVALID_STATE when one was used already or has expired, QUOTA_EXCEEDED
 */
export async function claimScreenshots(tx: Tx, given: Screenshots): Promise<void> {
  const { ids } = given;
  if (ids.length === 0) return;
  const where = { ...ownUploads(given), id: { in: [...ids] } };
  const files = await tx.mediaFile.findMany({ where, select: { sizeBytes: true } });
  const kib = files.reduce((sum, { sizeBytes }) => sum + Math.ceil(sizeBytes / 1024), 0);
  const wanted = sharesOf(given, kib);
  const taken = await takeWindows(tx, 'screenshotKib', wanted);
  for (const [subject, count] of wanted) requireTaken({ name: 'screenshotKib', subject, count }, taken.get(subject));
  await claimUploads(tx, ids, ownUploads(given));
}
