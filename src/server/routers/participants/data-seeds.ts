import type { Tx } from '@/server/db';

/** Sets each seed to the place in `order`, and clears all others. */
export async function writeSeeds(tx: Tx, tournamentId: string, order: readonly string[]): Promise<void> {
  // Clears changed seeds first: the unique index is checked row by row, and two participants may swap seeds.
  await tx.$executeRaw`
    UPDATE "participant" p SET "seed" = NULL, "updatedAt" = clock_timestamp()
    FROM "participant" q LEFT JOIN unnest(${order}::text[]) WITH ORDINALITY AS o(id, place) ON o.id = q."id"
    WHERE q."tournamentId" = ${tournamentId} AND p."id" = q."id" AND p."seed" <> coalesce(o.place, 0)`;
  await tx.$executeRaw`
    UPDATE "participant" p SET "seed" = o.place, "updatedAt" = clock_timestamp()
    FROM unnest(${order}::text[]) WITH ORDINALITY AS o(id, place)
    WHERE p."id" = o.id AND p."tournamentId" = ${tournamentId} AND p."seed" IS NULL`;
}
