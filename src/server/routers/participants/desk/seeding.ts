import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { byRegistration, drawOrder, mergeOrder, orderFaults } from '@/domain/participants/seeding';
import { holdsSlot } from '@/domain/participants/statuses';
import { inWords } from '@/domain/tournaments/rules';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { record } from '@/server/events/emit';
import { expectedVersion } from '@/server/if-match';
import { writeSeeds } from '@/server/routers/participants/data-seeds';
import { lockTournament, settingsSelect } from '@/server/routers/tournaments/data';
import { updatedEvent } from '@/server/routers/tournaments/data-events';
import { tournamentProcedure } from '@/server/routers/tournaments/gate';
import { router } from '@/server/trpc';

const seedingInput = z
  .object({
    tournamentId: z.string().describe('Id or slug.'),
    order: z
      .array(z.string().max(60))
      .max(10_000)
      .optional()
      .describe('Every participant with a slot, once, the top seed first.'),
    allowChanges: z
      .boolean()
      .default(false)
      .describe(
        'With `order`: participants who got a slot since come last, and those who lost theirs are left out. Without it, such an order is refused.',
      ),
    method: z
      .enum(['random', 'rating', 'registration'])
      .optional()
      .describe('Instead of `order`: a random draw, by rating, or by time of registration.'),
    randomSeed: z
      .string()
      .regex(/^[\x21-\x7e]{1,64}$/, { error: 'must be 1 to 64 printable characters without spaces' })
      .optional()
      .describe('With `random`: repeats an earlier draw. A new one is created when left out.'),
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
    .describe(
      'Proves the draw: participants are ordered by the SHA-256 of `randomSeed:participantId`. Null when nothing was drawn.',
    ),
  version: z.number().int().describe("The tournament's, for `If-Match`."),
});

/** The participants with a slot, in the order of registration. The tournament must be locked. */
async function findSeedable(tx: Tx, tournamentId: string) {
  const rows = await tx.participant.findMany({
    where: { tournamentId, registrationStatus: 'approved' },
    select: { id: true, seed: true, registeredAt: true, registrationStatus: true, status: true },
  });
  return rows.filter(holdsSlot).sort(byRegistration);
}

/** @throws VALIDATION_FAILED unless the order has every participant exactly once */
function requirePermutation(order: string[], participantIds: string[]): void {
  const { twice, unknown, missing } = orderFaults(order, participantIds);
  const issues = [
    ...twice.map(({ id, at }) => ({ path: `order.${at}`, message: `${id} is listed twice.` })),
    ...unknown.map(({ id, at }) => ({ path: `order.${at}`, message: `${id} has no slot in this tournament.` })),
    ...missing.map((id) => ({ path: 'order', message: `${id} has a slot and is missing.` })),
  ];
  if (issues.length === 0) return;
  const message = 'The order must list every participant with a slot exactly once. Reload the participants.';
  throw refuse('VALIDATION_FAILED', { message, issues: issues.slice(0, 100) });
}

/** @throws VALIDATION_FAILED, RATING_NOT_AVAILABLE */
function chooseOrder(
  { order, allowChanges, method, randomSeed: given }: z.infer<typeof seedingInput>,
  participantIds: string[],
): { order: string[]; randomSeed: string | null } {
  // Who registers and cancels again and again must not keep others from seeding.
  if (order && allowChanges) return { order: mergeOrder([...new Set(order)], participantIds).order, randomSeed: null };
  if (order) {
    requirePermutation(order, participantIds);
    return { order, randomSeed: null };
  }
  if (method === 'rating') throw refuse('RATING_NOT_AVAILABLE');
  if (method === 'registration') return { order: participantIds, randomSeed: null };
  const randomSeed = given ?? randomBytes(16).toString('hex');
  return { order: drawOrder(participantIds, randomSeed), randomSeed };
}

const save = tournamentProcedure('participants:write')
  .meta({
    openapi: {
      method: 'PUT',
      path: '/tournaments/{tournamentId}/seeding',
      tags: ['Participants'],
      summary: 'Seed the participants',
      description:
        'Before the start, with a complete order or a method. Participants who get a slot later have no seed and come after those with one; the seed of a participant who leaves is not given to anyone else. A request that changes nothing emits no event and keeps the version.',
    },
    errors: ['INVALID_STATE', 'RATING_NOT_AVAILABLE', 'VERSION_MISMATCH'],
    wholeDraw: true,
  })
  .input(seedingInput)
  .output(seeding)
  .mutation(async ({ ctx, input }) => {
    const { projectId } = ctx.scope;
    return ctx.db.$transaction(async (tx) => {
      const { row } = await lockTournament(tx, ctx.tournamentId, { ...settingsSelect, randomSeed: true });
      const expected = expectedVersion(ctx.ifMatch, input.version);
      if (expected !== undefined && expected !== row.version) throw refuse('VERSION_MISMATCH');
      if (row.status !== 'PUBLISHED' && row.status !== 'DRAFT') {
        const message = `Participants are seeded before the start; the tournament is ${inWords(row.status)}.`;
        throw refuse('INVALID_STATE', { message });
      }
      const participants = await findSeedable(tx, row.id);
      const ids = participants.map(({ id }) => id);
      const { order, randomSeed } = chooseOrder(input, ids);
      const seeds = order.map((participantId, index) => ({ participantId, seed: index + 1 }));
      const before = new Map(participants.map(({ id, seed }) => [id, seed]));
      const same =
        row.randomSeed === randomSeed && seeds.every(({ participantId, seed }) => before.get(participantId) === seed);
      if (same) return { tournamentId: row.id, seeds, randomSeed, version: row.version };

      await writeSeeds(tx, row.id, order);
      const changed = await tx.tournament.update({
        where: { id: row.id },
        data: { randomSeed, drawSeed: null, version: { increment: 1 } },
        select: settingsSelect,
      });
      await record(tx, ctx.by, [updatedEvent(changed, ['seeding'])], {
        projectId,
        action: 'tournament.seed',
        targetType: 'tournament',
        targetId: row.id,
        details: { method: input.method ?? 'order', randomSeed, participants: order.length },
      });
      return { tournamentId: row.id, seeds, randomSeed, version: changed.version };
    });
  });

export const seedingRouter = router({ save });
