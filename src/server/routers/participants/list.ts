import type { z } from 'zod';
import { can } from '@/domain/projects/permissions';
import type { Answers } from '@/domain/questions/answers';
import { Prisma } from '@/generated/prisma/client';
import { type Context, readerOf } from '@/server/context';
import { anyOf, db, rowsOf, type Tx } from '@/server/db';
import { boundPage, ordinaryItem, pageArgs, toPage } from '@/server/paging';
import { report } from '@/server/report';
import { findVisible, isConfirmed } from '@/server/routers/tournaments/data';
import { publicQuestions } from '@/server/routers/tournaments/questions/data';
import { readQuestions } from '@/server/routers/tournaments/questions/data-kept';
import { publicProcedure } from '@/server/trpc';
import { largePage, readLargePage } from '@/server/worker/paced-reads';
import { factsOf, isNamed, readTournamentContext, withRosters } from './data';
import { isOf, managedSelect, publicAnswersOf, toManaged } from './data-views';
import { waitlistPositions } from './data-waitlist';
import { type ListedParticipant, listParticipantsInput, listParticipantsOutput } from './schema';

const orders: Record<'seed' | 'name' | 'registeredAt', Prisma.Sql> = {
  seed: Prisma.sql`p."seed" NULLS LAST, p."waitlistOrder" NULLS FIRST, p."registeredAt", p."id"`,
  name: Prisma.sql`p."name", p."id"`,
  registeredAt: Prisma.sql`p."registeredAt", p."id"`,
};

/** `players` is how many are on the rosters of the page. */
type Page = { ids: string[]; total: number; players: number };

const noParticipants: Page = { ids: [], total: 0, players: 0 };

/** The ids of one page of a tournament's participants, and how many there are on all pages. */
async function findPage(
  ctx: Pick<Context, 'ip' | 'user'>,
  conditions: Prisma.Sql[],
  input: Pick<z.output<typeof listParticipantsInput>, 'search' | 'sort' | 'page' | 'limit'>,
): Promise<Page> {
  const { skip, take } = pageArgs(input);
  const where = Prisma.join(conditions, ' AND ');
  const selectFrom = (participants: Prisma.Sql) => Prisma.sql`
    SELECT page."ids", (SELECT count(*)::int FROM ${participants}) AS "total", (
      SELECT coalesce(sum(r."players"), 0)::int FROM unnest(page."ids") AS p("id"), LATERAL (
        SELECT count(*) AS "players" FROM "roster_member" m WHERE m."participantId" = p."id"
      ) r
    ) AS "players" FROM (
      SELECT ARRAY(SELECT p."id" FROM ${participants} ORDER BY ${orders[input.sort]} LIMIT ${take} OFFSET ${skip}) AS "ids"
    ) page`;
  if (!input.search) {
    const [page] = await rowsOf<Page>(db, selectFrom(Prisma.sql`"participant" p WHERE ${where}`));
    return page ?? noParticipants;
  }
  // Compares the names of thousands of rosters, once.
  const [page] = await report<Page>(
    await readerOf(ctx),
    Prisma.sql`
      WITH "found" AS MATERIALIZED (
        SELECT p."id", p."name", p."seed", p."waitlistOrder", p."registeredAt" FROM "participant" p
        WHERE ${where} AND ${isNamed(input.search)}
      )
      ${selectFrom(Prisma.sql`"found" p`)}`,
  );
  return page ?? noParticipants;
}

/** The bytes of the longest answers of participants, as JSON; null where none are long. */
async function longestAnswers(conditions: Prisma.Sql[]): Promise<number | null> {
  // The expression of the index participant_large.
  const bytes = Prisma.sql`octet_length(p."customFields"::text)`;
  const [row] = await rowsOf<{ bytes: number | null }>(
    db,
    Prisma.sql`SELECT max(${bytes}) AS "bytes" FROM "participant" p
      WHERE ${Prisma.join(conditions, ' AND ')} AND ${bytes} > ${Prisma.raw(String(ordinaryItem.bytes))}`,
  );
  return row?.bytes ?? null;
}

/** Rows in the order of their ids. */
function inOrder<Row extends { id: string }>(ids: string[], rows: Row[]): Row[] {
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

type PublicRow = ListedParticipant & { customFields: Answers; customFieldsVersion: number };

/**
 * Participants as everyone may see them, in the order of their ids, and their answers: `toPublic` in SQL. Accounts whose address
 * is not confirmed could be anybody, so they write nothing that everybody reads, and who has taken one over has not written what is there
 * until they accept it. PostgreSQL writes the rosters, because to make
 * objects of a thousand players takes the process longer than everything else of a page.
 */
async function readPublic(tx: Tx, ids: string[], { withAnswers }: { withAnswers: boolean }): Promise<PublicRow[]> {
  const rows = await rowsOf<PublicRow>(
    tx,
    Prisma.sql`
      SELECT p."id", p."tournamentId", p."userId", p."type"::text, p."name", p."seed", p."status"::text,
        p."registrationStatus"::text, p."teamId",
        CASE WHEN ${withAnswers} AND ${isConfirmed(Prisma.sql`p."userId"`)} AND (p."acceptedAt" IS NOT NULL OR NOT EXISTS (
          SELECT FROM "user" t WHERE t."id" = p."userId" AND t."takenOverAt" IS NOT NULL
        )) THEN p."customFields" ELSE '{}' END AS "customFields",
        p."customFieldsVersion", r."roster"
      FROM "participant" p, LATERAL (
        SELECT coalesce(json_agg(json_build_object('userId', m."userId", 'name', coalesce(u."name", m."name", ''), 'role', m."role")
          ORDER BY m."role", m."createdAt", m."id"), '[]') AS "roster"
        FROM "roster_member" m LEFT JOIN "user" u ON u."id" = m."userId" WHERE m."participantId" = p."id"
      ) r
      WHERE p."id" = ${anyOf(ids)}`,
  );
  return inOrder(ids, rows);
}

export const list = publicProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/tournaments/{tournamentId}/participants',
      tags: ['Participants'],
      summary: 'List the participants',
      description:
        'Approved participants, by seed, then by registration. With a bearer token, `canManage` and `isMe` are added; people who manage the tournament also see the other states, answers and contact.',
    },
    errors: ['NOT_FOUND'],
  })
  .input(listParticipantsInput)
  .output(listParticipantsOutput)
  .query(async ({ ctx, input }) => {
    const user = await ctx.user();
    const { id: tournamentId, role } = await findVisible(input.tournamentId, user);
    const canManage = can(role, 'participants:read');
    const { registrationStatus, status } = input;
    // Everyone else sees approved participants only, so asking for other states finds none.
    if (!canManage && registrationStatus && !registrationStatus.includes('approved')) {
      return { ...toPage([], 0, input), ...(user ? { canManage } : {}) };
    }
    const conditions = [Prisma.sql`p."tournamentId" = ${tournamentId}`];
    if (!canManage) conditions.push(Prisma.sql`p."registrationStatus" = 'approved'`);
    else if (registrationStatus) {
      conditions.push(Prisma.sql`p."registrationStatus" = ANY(${registrationStatus}::"registration_status"[])`);
    }
    if (status) conditions.push(Prisma.sql`p."status" = ANY(${status}::"participant_status"[])`);
    // Selects ids first, so that skipped rows are not read in full.
    const [bytes, tournament] = await Promise.all([longestAnswers(conditions), readTournamentContext(tournamentId)]);
    const definitions = await readQuestions(tournament);
    const isPublic = definitions.some(({ visibility }) => visibility === 'public');
    const withAnswers = canManage || isPublic;
    // Managers get public answers twice.
    const page = boundPage(input, { bytes: (bytes ?? 0) * (Number(canManage) + Number(isPublic)) });
    const { ids, total, players } = await findPage(ctx, conditions, page);
    const shownOf = (rows: { customFieldsVersion: number }[]) =>
      publicQuestions(
        ctx.db,
        { ...tournament, definitions },
        rows.map(({ customFieldsVersion }) => customFieldsVersion),
      );
    const [owner = '', ...caller] = await readerOf(ctx);
    const turn = { owner, caller, signal: ctx.signal };
    const read = <Row>(rows: () => Promise<Row[]>) => (players < largePage ? rows() : readLargePage(turn, rows));
    if (!user || !canManage) {
      const rows = await read(() => readPublic(ctx.db, ids, { withAnswers }));
      const shown = await shownOf(rows);
      const items = rows.map((row) => {
        const { customFields, customFieldsVersion, ...shownToAll } = row;
        return {
          ...shownToAll,
          ...publicAnswersOf({ customFields, customFieldsVersion }, shown),
          ...(user ? { canManage, isMe: isOf(row, user.id) } : {}),
        };
      });
      return { ...toPage(items, total, page), ...(user ? { canManage } : {}) };
    }
    const select = { ...managedSelect, roster: false } as const;
    const found = await read(async () =>
      withRosters(ctx.db, await ctx.db.participant.findMany({ where: { id: { in: ids } }, select })),
    );
    const rows = inOrder(ids, found);
    const shown = await shownOf(rows);
    const positions = await waitlistPositions(ctx.db, rows);
    const viewer = { userId: user.id, role, facts: factsOf(tournament, new Date()) };
    const items = rows.map((row) => ({
      ...toManaged(row, { ...viewer, place: positions.get(row.id) ?? null }),
      ...publicAnswersOf(row, shown),
    }));
    return { ...toPage(items, total, page), canManage };
  });
