import { can } from '@/domain/projects/permissions';
import type { Answers } from '@/domain/questions/answers';
import { Prisma } from '@/generated/prisma/client';
import { anyOf, rowsOf, type Tx } from '@/server/db';
import { pageArgs, toPage } from '@/server/paging';
import { findVisible } from '@/server/routers/tournaments/data';
import { publicQuestions } from '@/server/routers/tournaments/questions/data';
import { publicProcedure } from '@/server/trpc';
import { factsOf, questionsOf, readTournamentContext } from './data';
import { isOf, managedSelect, publicAnswersOf, toManaged } from './data-views';
import { waitlistPositions } from './data-waitlist';
import { type ListedParticipant, listParticipantsInput, listParticipantsOutput } from './schema';

/** Escapes `%` and `_`, which are plain letters in a search. */
const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&');

/** Matches the participant's name and the names of the players on its roster. */
function matchesName(search: string, tournamentId: string): Prisma.ParticipantWhereInput {
  const name = { contains: escapeLike(search), mode: 'insensitive' } as const;
  // Repeats the tournament for the roster, so that no other tournament's players are read.
  return { OR: [{ name }, { roster: { some: { tournamentId, OR: [{ user: { name } }, { name }] } } }] };
}

const orders: Record<'seed' | 'name' | 'registeredAt', Prisma.ParticipantOrderByWithRelationInput[]> = {
  seed: [
    { seed: { sort: 'asc', nulls: 'last' } },
    { waitlistOrder: { sort: 'asc', nulls: 'first' } },
    { registeredAt: 'asc' },
  ],
  name: [{ name: 'asc' }],
  registeredAt: [{ registeredAt: 'asc' }],
};

type PublicRow = ListedParticipant & { customFields: Answers; customFieldsVersion: number };

/**
 * Participants as everyone may see them, in the order of their ids, and their answers: `toPublic` in SQL. PostgreSQL writes
 * the rosters, because to make objects of a thousand players takes the process longer than everything else of a page.
 */
async function readPublic(tx: Tx, ids: string[]): Promise<PublicRow[]> {
  const rows = await rowsOf<PublicRow>(
    tx,
    Prisma.sql`
      SELECT p."id", p."tournamentId", p."userId", p."type"::text, p."name", p."seed", p."status"::text,
        p."registrationStatus"::text, p."teamId", p."customFields", p."customFieldsVersion", r."roster"
      FROM "participant" p, LATERAL (
        SELECT coalesce(json_agg(json_build_object('userId', m."userId", 'name', coalesce(u."name", m."name", ''), 'role', m."role")
          ORDER BY m."role", m."createdAt", m."id"), '[]') AS "roster"
        FROM "roster_member" m LEFT JOIN "user" u ON u."id" = m."userId" WHERE m."participantId" = p."id"
      ) r
      WHERE p."id" = ${anyOf(ids)}`,
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => found.get(id) ?? []);
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
    const { search, status } = input;
    const where: Prisma.ParticipantWhereInput = {
      tournamentId,
      registrationStatus: canManage ? input.registrationStatus && { in: input.registrationStatus } : 'approved',
      status: status && { in: status },
      ...(search ? matchesName(search, tournamentId) : {}),
    };
    // Everyone else sees approved participants only, so asking for other states finds none.
    if (!canManage && input.registrationStatus && !input.registrationStatus.includes('approved')) {
      return { ...toPage([], 0, input), ...(user ? { canManage } : {}) };
    }
    const orderBy = [...orders[input.sort], { id: 'asc' as const }];
    // Selects ids first, so that skipped rows are not read in full.
    const [page, total, tournament] = await Promise.all([
      ctx.db.participant.findMany({ where, select: { id: true }, orderBy, ...pageArgs(input) }),
      ctx.db.participant.count({ where }),
      readTournamentContext(tournamentId),
    ]);
    const ids = page.map(({ id }) => id);
    const definitions = questionsOf(tournament);
    const shownOf = (rows: { customFieldsVersion: number }[]) =>
      publicQuestions(
        ctx.db,
        { ...tournament, definitions },
        rows.map(({ customFieldsVersion }) => customFieldsVersion),
      );
    if (!user || !canManage) {
      const rows = await readPublic(ctx.db, ids);
      const shown = await shownOf(rows);
      const items = rows.map((row) => {
        const { customFields, customFieldsVersion, ...shownToAll } = row;
        return {
          ...shownToAll,
          ...publicAnswersOf({ customFields, customFieldsVersion }, shown),
          ...(user ? { canManage, isMe: isOf(row, user.id) } : {}),
        };
      });
      return { ...toPage(items, total, input), ...(user ? { canManage } : {}) };
    }
    const rows = await ctx.db.participant.findMany({ where: { id: { in: ids } }, select: managedSelect, orderBy });
    const shown = await shownOf(rows);
    const positions = await waitlistPositions(ctx.db, rows);
    const viewer = { userId: user.id, role, facts: factsOf(tournament, new Date()) };
    const items = rows.map((row) => ({
      ...toManaged(row, { ...viewer, place: positions.get(row.id) ?? null }),
      ...publicAnswersOf(row, shown),
    }));
    return { ...toPage(items, total, input), canManage };
  });
