import type { z } from 'zod';
import { tournamentStatus } from '@/domain/tournaments/settings';
import { Prisma } from '@/generated/prisma/client';
import { readerOf } from '@/server/context';
import { db, rowsOf } from '@/server/db';
import { BoundedCache } from '@/server/limits/bounded-cache';
import { pageArgs, toPage, totalOf } from '@/server/paging';
import { type Asker, report } from '@/server/report';
import { projectProcedure } from '@/server/routers/projects/gate';
import { singleFlight } from '@/server/single-flight';
import { publicProcedure } from '@/server/trpc';
import { publiclyListed, summarySelect, toSummary } from './data';
import {
  listTournamentsInput,
  listTournamentsOutput,
  projectTournamentsInput,
  projectTournamentsOutput,
  sitemapTournaments,
  type TournamentSummary,
  type tournamentPhase,
} from './schema';

type Phase = z.infer<typeof tournamentPhase>;
type CommonFilter = { search?: string; game?: string; format?: string; status?: string };
type PublicFilter = CommonFilter & { kind: 'public'; phase?: Phase; project?: string; from?: string; to?: string };
type TournamentFilter = PublicFilter | (CommonFilter & { kind: 'project'; projectId: string });

const phases: Record<Phase, Prisma.Sql> = {
  current: Prisma.sql`t."status" IN ('PUBLISHED', 'IN_PROGRESS')`,
  open: Prisma.sql`t."status" = 'PUBLISHED' AND GREATEST(t."registrationOpensAt", t."publishedAt") <= now()
    AND now() < LEAST(t."registrationClosesAt", t."startDate")
    AND (t."currentParticipants" < t."maxParticipants" OR t."waitlistEnabled")`,
  upcoming: Prisma.sql`t."status" = 'PUBLISHED'`,
  check_in: Prisma.sql`t."status" = 'PUBLISHED' AND t."checkInOpensAt" <= now()
    AND now() < LEAST(t."checkInClosesAt", t."startDate")`,
  live: Prisma.sql`t."status" = 'IN_PROGRESS'`,
  past: Prisma.sql`t."status" IN ('COMPLETED', 'CANCELLED')`,
};

/** A full-text query for words that begin with those of the text, each once; null when it has none. */
function searchQuery(text: string | undefined): string | null {
  const words = text?.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu);
  return words ? [...new Set(words)].map((word) => `${word}:*`).join(' & ') : null;
}

function conditions(filter: TournamentFilter): Prisma.Sql {
  const parts: Prisma.Sql[] = [];
  if (filter.kind === 'project') parts.push(Prisma.sql`t."projectId" = ${filter.projectId}`);
  else {
    parts.push(publiclyListed);
    if (filter.phase) parts.push(phases[filter.phase]);
    if (filter.from) parts.push(Prisma.sql`t."startDate" >= ${new Date(filter.from)}`);
    if (filter.to) parts.push(Prisma.sql`t."startDate" < ${new Date(filter.to)}`);
    if (filter.project) {
      parts.push(
        Prisma.sql`t."projectId" = (SELECT p."id" FROM "project" p WHERE p."id" = ${filter.project} OR p."slug" = ${filter.project} LIMIT 1)`,
      );
    }
  }
  if (filter.game) parts.push(Prisma.sql`t."gameId" = ${filter.game}`);
  if (filter.format) parts.push(Prisma.sql`t."format" = ${filter.format}::"tournament_format"`);
  if (filter.status) parts.push(Prisma.sql`t."status" = ${filter.status}::"tournament_status"`);
  return Prisma.join(parts, ' AND ');
}

/**
 * The table to select from. A search runs first, on its own index: PostgreSQL misjudges how many names match, and would
 * otherwise compare every name in the order of the start.
 */
function fromClause(query: string | null): Prisma.Sql {
  if (!query) return Prisma.sql`"tournament" t`;
  // The expression of the index tournament_name_search.
  return Prisma.sql`(SELECT * FROM "tournament" found
    WHERE to_tsvector('simple', translate(found."name", '-./:@_', '      ')) @@ to_tsquery('simple', ${query}) OFFSET 0) t`;
}

/** The total from which it is shared, and how long it is kept then, in ms. */
export const sharedFrom = 2_000;
const sharedForMs = 10_000;

/** Whose turn it is when something is counted for everybody. */
const everybody = 'public totals';
/** The totals of long lists, which take long to count. Each belongs to whoever asked for it first. */
const sharedTotals = new BoundedCache<() => Promise<number>>(1_000);

/**
 * How many tournaments a public list has. Where there are very many, they are counted once in ten seconds, for all who ask: every
 * visitor's first page says how many there are, and whoever publishes thousands would slow down all of these pages.
 */
async function publicTotal(asker: Asker, filter: PublicFilter, count: (asker: Asker) => Promise<number>) {
  const { phase, game, format, status } = filter;
  const list = JSON.stringify([phase, game, format, status]);
  const countAs = async (by: Asker) => {
    const total = await count(by);
    if (total < sharedFrom) sharedTotals.delete(list);
    else if (!sharedTotals.get(list)) {
      const read = singleFlight(() => countAs([everybody, list]), sharedForMs);
      sharedTotals.put(list, { owner: asker[0] ?? '', size: 1, value: read });
    }
    return total;
  };
  return sharedTotals.get(list)?.() ?? countAs(asker);
}

/** Whether everybody asks for a list: it has neither a range nor a project, of which there are any number. */
const isShared = (filter: TournamentFilter): filter is PublicFilter =>
  filter.kind === 'public' && !(filter.project || filter.from || filter.to);

/**
 * One page of tournaments by start, and the total number. Where all names have a word, a search for it reads all of them, and so does
 * a late page.
 */
async function listTournaments(
  asker: Asker,
  filter: TournamentFilter,
  page: { sort: 'startDate' | '-startDate'; skip: number; take: number },
): Promise<{ items: TournamentSummary[]; total: number }> {
  const query = searchQuery(filter.search);
  const from = fromClause(query);
  const where = conditions(filter);
  const direction = page.sort === 'startDate' ? Prisma.sql`ASC` : Prisma.sql`DESC`;
  // A search reads all that match, however few are wanted, so it counts them as well.
  const counted = query ? Prisma.sql`, count(*) OVER ()::int AS total` : Prisma.empty;
  const ids = await report<{ id: string; total?: number }>(
    asker,
    Prisma.sql`
      SELECT t."id" ${counted} FROM ${from} WHERE ${where}
      ORDER BY t."startDate" ${direction}, t."id" ${direction} LIMIT ${page.take} OFFSET ${page.skip}`,
  );
  const count = async (by: Asker) => {
    const [row] = await report<{ total: number }>(
      by,
      Prisma.sql`SELECT count(*)::int AS total FROM ${from} WHERE ${where}`,
    );
    return row?.total ?? 0;
  };
  const total =
    ids[0]?.total ??
    (await totalOf(page, ids.length, () =>
      !query && isShared(filter) ? publicTotal(asker, filter, count) : count(asker),
    ));
  const rows = await db.tournament.findMany({
    where: { id: { in: ids.map(({ id }) => id) } },
    select: summarySelect,
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  const now = new Date();
  const items = ids.flatMap(({ id }) => {
    const row = byId.get(id);
    return row ? [toSummary(row, now)] : [];
  });
  return { items, total };
}

/** Tournaments in the sitemap, and how long they are kept, in ms. */
const maxInSitemap = 1_000;
const keptMs = 60_000;

/** The public tournaments with the latest start dates. Anybody may ask for all of them, so they are read once a minute. */
const latestTournaments = singleFlight(async () => {
  const rows = await rowsOf<{ slug: string; updatedAt: Date }>(
    db,
    Prisma.sql`
      SELECT t."slug", t."updatedAt" FROM "tournament" t WHERE ${publiclyListed}
      ORDER BY t."startDate" DESC, t."id" DESC LIMIT ${maxInSitemap}`,
  );
  return rows.map(({ slug, updatedAt }) => ({ slug, updatedAt: updatedAt.toISOString() }));
}, keptMs);

export const sitemap = publicProcedure.output(sitemapTournaments).query(() => latestTournaments());

export const list = publicProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/tournaments',
      tags: ['Tournaments'],
      summary: 'List public tournaments',
      description:
        'Published, public tournaments of all projects. Unlisted tournaments are only available by link. Where there are very many, and without `search`, `project`, `from` and `to`, `total` can be ten seconds old.',
    },
  })
  .input(listTournamentsInput)
  .output(listTournamentsOutput)
  .query(async ({ ctx, input }) => {
    const sort = input.sort ?? (input.phase === 'past' ? '-startDate' : 'startDate');
    const asker = await readerOf(ctx);
    const { items, total } = await listTournaments(asker, { kind: 'public', ...input }, { sort, ...pageArgs(input) });
    return toPage(items, total, input);
  });

/** The list on the dashboard: tournaments in any status, including drafts. */
export const forProject = projectProcedure('tournaments:read')
  .input(projectTournamentsInput)
  .output(projectTournamentsOutput)
  .query(async ({ ctx, input }) => {
    const { projectId } = ctx.scope;
    const asker = await readerOf(ctx);
    const [{ items, total }, groups] = await Promise.all([
      listTournaments(
        asker,
        { ...input, kind: 'project', projectId },
        { sort: input.sort ?? '-startDate', ...pageArgs(input) },
      ),
      ctx.db.tournament.groupBy({ by: ['status'], where: { projectId }, _count: true }),
    ]);
    const counts = { DRAFT: 0, PUBLISHED: 0, IN_PROGRESS: 0, COMPLETED: 0, CANCELLED: 0 };
    for (const group of groups) counts[tournamentStatus.parse(group.status)] = group._count;
    return { ...toPage(items, total, input), counts };
  });
