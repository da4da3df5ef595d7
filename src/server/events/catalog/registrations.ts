import { z } from 'zod';
import { define, sample, timestamp } from './definition';

const registration = z.object({
  tournamentId: z.string(),
  slug: z.string(),
  name: z.string(),
  maxParticipants: z.number().int(),
  currentParticipants: z.number().int(),
  opensAt: timestamp.nullable().describe('null: open from publication.'),
  closesAt: timestamp.nullable().describe('null: open until the start.'),
});

const example = {
  tournamentId: sample.tournamentId,
  slug: 'winter-cup',
  name: 'Winter Cup',
  maxParticipants: 32,
  currentParticipants: 0,
  opensAt: '2026-11-14T12:00:00.000Z',
  closesAt: '2026-11-21T17:00:00.000Z',
} as const;

const common = { version: 1, aggregateType: 'tournament', audience: 'project', payload: registration } as const;

/** The registration window of a tournament. What happens to one registration is an event of its participant. */
export const registrationEvents = {
  'registration.opened': define({
    ...common,
    title: 'Registration opened',
    description: 'Registration opened, on schedule or by an organizer.',
    example,
  }),
  'registration.closed': define({
    ...common,
    title: 'Registration closed',
    description: 'Registration closed, on schedule or by an organizer.',
    example: { ...example, currentParticipants: 28 },
  }),
  'registration.full': define({
    ...common,
    title: 'Tournament full',
    description: 'The maximum number of participants was reached. Sent again when a slot was freed and taken.',
    example: { ...example, currentParticipants: 32 },
  }),
};
