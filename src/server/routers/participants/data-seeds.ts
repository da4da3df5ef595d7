import type { Tx } from '@/server/db';

/** Gives each participant in `order` their place as seed, and takes the seed of whoever is not in it. */
export async function writeSeeds(tx: Tx, tournamentId: string, order: readonly string[]): Promise<void> {
  // Whose seed changes first gives it up: the unique index is tried row by row, and two may swap.
  await tx.$executeRaw`
    UPDATE "participant" p SET "seed" = NULL, "updatedAt" = clock_timestamp()
    FROM "participant" q LEFT JOIN unnest(${order}::text[]) WITH ORDINALITY AS o(id, place) ON o.id = q."id"
    WHERE q."tournamentId" = ${tournamentId} AND p."id" = q."id" AND p."seed" <> coalesce(o.place, 0)`;
  await tx.$executeRaw`
    UPDATE "participant" p SET "seed" = o.place, "updatedAt" = clock_timestamp()
    FROM unnest(${order}::text[]) WITH ORDINALITY AS o(id, place)
    WHERE p."id" = o.id AND p."tournamentId" = ${tournamentId} AND p."seed" IS NULL`;
}
