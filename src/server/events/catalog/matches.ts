import { z } from 'zod';
import { define, sample, timestamp } from './definition';

const slot = z.object({
  participantId: z.string().nullable().describe('null while an earlier match is undecided.'),
  seed: z.number().int().nullable(),
  score: z.number().int().nullable(),
  result: z.enum(['win', 'loss', 'draw', 'forfeit', 'bye']).nullable(),
});

const match = z.object({
  tournamentId: z.string(),
  matchId: z.string(),
  stage: z.string(),
  round: z.number().int(),
  number: z.number().int(),
  bracket: z.enum(['winners', 'losers', 'final', 'group']),
  status: z.enum(['pending', 'ready', 'scheduled', 'in_progress', 'disputed', 'completed', 'forfeited']),
  bestOf: z.number().int(),
  slots: z.array(slot),
  scheduledAt: timestamp.nullable(),
  winnerId: z.string().nullable(),
});

const open = (id: string, seed: number) => ({ participantId: id, seed, score: null, result: null });

const ready = {
  tournamentId: sample.tournamentId,
  matchId: sample.matchId,
  stage: 'playoffs',
  round: 1,
  number: 4,
  bracket: 'winners',
  status: 'ready',
  bestOf: 3,
  slots: [open(sample.participantId, 7), open(sample.opponentId, 10)],
  scheduledAt: sample.at,
  winnerId: null,
} satisfies z.input<typeof match>;

const decided = {
  ...ready,
  status: 'completed',
  slots: [
    { participantId: sample.participantId, seed: 7, score: 2, result: 'win' },
    { participantId: sample.opponentId, seed: 10, score: 1, result: 'loss' },
  ],
  winnerId: sample.participantId,
} satisfies z.input<typeof match>;

const common = { version: 1, aggregateType: 'match', audience: 'project' } as const;

export const matchEvents = {
  'match.created': define({
    ...common,
    title: 'Match created',
    description: 'A match was created.',
    payload: match,
    example: ready,
  }),
  'match.started': define({
    ...common,
    title: 'Match started',
    description: 'Staff started a match, or a player reported its result.',
    payload: match,
    example: { ...ready, status: 'in_progress' },
  }),
  'match.completed': define({
    ...common,
    title: 'Match completed',
    description: 'A result was confirmed.',
    payload: match,
    example: decided,
  }),
  'match.disputed': define({
    ...common,
    title: 'Result disputed',
    description: 'The opponents disagree about the result, and a moderator has to decide.',
    payload: match.extend({ reason: z.string().nullable() }),
    example: { ...ready, status: 'disputed', reason: 'Wrong map was played' },
  }),
  'match.rescheduled': define({
    ...common,
    title: 'Match rescheduled',
    description: 'A match was moved to another time.',
    payload: match.extend({ previousScheduledAt: timestamp.nullable() }),
    example: { ...ready, status: 'scheduled', previousScheduledAt: '2026-11-21T17:00:00.000Z' },
  }),
  'match.forfeited': define({
    ...common,
    title: 'Match forfeited',
    description: 'A match was decided without being played.',
    payload: match.extend({
      forfeitedBy: z.array(z.string()).describe('One participant, or both.'),
      reason: z.string().nullable(),
    }),
    example: {
      ...decided,
      status: 'forfeited',
      slots: [
        { participantId: sample.participantId, seed: 7, score: null, result: 'win' },
        { participantId: sample.opponentId, seed: 10, score: null, result: 'forfeit' },
      ],
      forfeitedBy: [sample.opponentId],
      reason: 'Did not appear',
    },
  }),
  'match.result_corrected': define({
    ...common,
    title: 'Result corrected',
    description:
      'A confirmed result was changed, or a match is open again because somebody who had forfeited it was reinstated, or is not in it after a new seeding or a decided tie. `affectedMatchIds` lists the matches that changed with it. A match that was deleted with it has no winner, and the status `pending`.',
    payload: match.extend({ previousWinnerId: z.string().nullable(), affectedMatchIds: z.array(z.string()) }),
    example: { ...decided, previousWinnerId: sample.opponentId, affectedMatchIds: ['mat_01k9x4w2m6a3c5d7e8g9h0j1k2'] },
  }),
};
