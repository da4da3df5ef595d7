import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { byRegistration, drawOrder, orderFaults } from '@/domain/participants/seeding';
import { holdsSlot } from '@/domain/participants/statuses';
import { inWords } from '@/domain/tournaments/rules';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { audit, emit } from '@/server/events/emit';
import { expectedVersion } from '@/server/if-match';

import { writeSeeds } from '@/server/routers/participants/data-seeds';
import { detailSelect, lockTournament, updatedEvent } from '@/server/routers/tournaments/data';
import { tournamentProcedure } from '@/server/routers/tournaments/gate';
import { router } from '@/server/trpc';

const seedingInput = z
  .object({
    tournamentId: z.string().describe('Id or slug.'),
    order: z
      .array(z.string().max(60))
      .max(10_000)
      .optional()
      .describe('Every entrant who holds a slot, once, the top seed first.'),
    method: z
      .enum(['random', 'rating', 'registration'])
      .optional()
      .describe('In place of `order`: a draw, by rating, or who registered first.'),
    randomSeed: z
      .string()
      .regex(/^[\x21-\x7e]{1,64}$/, { error: 'must be 1 to 64 printable characters without spaces' })
      .optional()
      .describe('With `random`, to have a draw again; one is made up otherwise.'),
    version: z.number().int().optional().describe("Refused with 412 unless the tournament's; as `If-Match`."),
  })
  .refine(({ order, method }) => (order === undefined) !== (method === undefined), {
    error: 'Send either an order or a method.',
    path: ['order'],
  });

const seeding = z.object({
  tournamentId: z.string(),
  seeds: z.array(z.object({ participantId: z.string(), seed: z.number().int() })).describe('The top seed first.'),
  randomSeed: z
    .string()
    .nullable()
    .describe('What the draw was made of: seeds go by the SHA-256 of `randomSeed:participantId`. Null: no draw.'),
  version: z.number().int().describe("The tournament's, for `If-Match`."),
});

/** Who holds a slot, in the order of registration. The caller holds the tournament's lock. */
async function seedable(tx: Tx, tournamentId: string) {
  const rows = await tx.participant.findMany({
    where: { tournamentId, registrationStatus: 'approved' },
    select: { id: true, seed: true, registeredAt: true, registrationStatus: true, status: true },
  });
  return rows.filter(holdsSlot).sort(byRegistration);
}

function requirePermutation(order: string[], entrants: string[]): void {
  const { twice, unknown, missing } = orderFaults(order, entrants);
  const issues = [
    ...twice.map(({ id, at }) => ({ path: `order.${at}`, message: `${id} is named twice.` })),
    ...unknown.map(({ id, at }) => ({ path: `order.${at}`, message: `${id} holds no slot in this tournament.` })),
    ...missing.map((id) => ({ path: 'order', message: `${id} holds a slot and is missing.` })),
  ];
  if (issues.length === 0) return;
  const message = 'The order must name every entrant who holds a slot exactly once. Read the entrants again.';
  throw refuse('VALIDATION_FAILED', { message, issues: issues.slice(0, 100) });
}

type Plan = { order: string[]; randomSeed: string | null };

function plan({ order, method, randomSeed: given }: z.infer<typeof seedingInput>, entrants: string[]): Plan {
  if (order) {
    requirePermutation(order, entrants);
    return { order, randomSeed: null };
  }
  if (method === 'rating') throw refuse('RATING_NOT_AVAILABLE');
  if (method === 'registration') return { order: entrants, randomSeed: null };
  const randomSeed = given ?? randomBytes(16).toString('hex');
  return { order: drawOrder(entrants, randomSeed), randomSeed };
}

const save = tournamentProcedure('participants:write')
  .meta({
    openapi: {
      method: 'PUT',
      path: '/tournaments/{tournamentId}/seeding',
      tags: ['Participants'],
      summary: 'Seed the entrants',
      description:
        'Before the start, by a whole order or by a method. Who gets a slot later has no seed and comes after those who have one; who leaves takes their seed along. What changes nothing is neither announced nor raises the version.',
    },
    errors: ['INVALID_STATE', 'RATING_NOT_AVAILABLE', 'VERSION_MISMATCH'],
  })
  .input(seedingInput)
  .output(seeding)
  .mutation(async ({ ctx, input }) => {
    const { projectId } = ctx.scope;
    return ctx.db.$transaction(async (tx) => {
      const { row } = await lockTournament(tx, ctx.tournamentId, { ...detailSelect, randomSeed: true });
      const expected = expectedVersion(ctx.ifMatch, input.version);
      if (expected !== undefined && expected !== row.version) throw refuse('VERSION_MISMATCH');
      if (row.status !== 'PUBLISHED' && row.status !== 'DRAFT') {
        const message = `Entrants are seeded before the start; the tournament is ${inWords(row.status)}.`;
        throw refuse('INVALID_STATE', { message });
      }
      const entrants = await seedable(tx, row.id);
      const ids = entrants.map(({ id }) => id);
      const { order, randomSeed } = plan(input, ids);
      const seeds = order.map((participantId, index) => ({ participantId, seed: index + 1 }));
      const before = new Map(entrants.map(({ id, seed }) => [id, seed]));
      const same =
        row.randomSeed === randomSeed && seeds.every(({ participantId, seed }) => before.get(participantId) === seed);
      if (same) return { tournamentId: row.id, seeds, randomSeed, version: row.version };

      await writeSeeds(tx, row.id, order);
      const changed = await tx.tournament.update({
        where: { id: row.id },
        data: { randomSeed, drawSeed: null, version: { increment: 1 } },
        select: detailSelect,
      });
      await emit(tx, ctx.by, updatedEvent(changed, ['seeding']));
      await audit(tx, ctx.by, {
        projectId,
        action: 'tournament.seed',
        targetType: 'tournament',
        targetId: row.id,
        details: { method: input.method ?? 'order', randomSeed, entrants: order.length },
      });
      return { tournamentId: row.id, seeds, randomSeed, version: changed.version };
    });
  });

export const seedingRouter = router({ save });
