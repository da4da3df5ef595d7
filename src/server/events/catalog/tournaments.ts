import { z } from 'zod';
import { aboutTournament, define, sample, timestamp } from './definition';

const tournament = z.object({
  tournamentId: z.string(),
  slug: z.string(),
  name: z.string(),
  status: z.enum(['DRAFT', 'PUBLISHED', 'IN_PROGRESS', 'COMPLETED', 'CANCELLED']),
  game: z.string().describe('Slug of the discipline.'),
  format: z.enum(['single_elimination', 'double_elimination', 'round_robin', 'swiss', 'groups_to_knockout']),
  startDate: timestamp,
  maxParticipants: z.number().int(),
  currentParticipants: z.number().int(),
});

const registration = z.object({
  tournamentId: z.string(),
  slug: z.string(),
  name: z.string(),
  maxParticipants: z.number().int(),
  currentParticipants: z.number().int(),
  opensAt: timestamp.nullable().describe('Null: open from publication.'),
  closesAt: timestamp.nullable().describe('Null: until the start.'),
});

const cup = {
  tournamentId: sample.tournamentId,
  slug: 'winter-cup',
  name: 'Winter Cup',
  game: 'cs2',
  format: 'single_elimination',
  startDate: sample.at,
  maxParticipants: 32,
} as const;

const registrationExample = {
  tournamentId: sample.tournamentId,
  slug: 'winter-cup',
  name: 'Winter Cup',
  maxParticipants: 32,
  currentParticipants: 0,
  opensAt: '2026-11-14T12:00:00.000Z',
  closesAt: '2026-11-21T17:00:00.000Z',
} as const;

const common = { version: 1, aggregateType: 'tournament', filters: aboutTournament } as const;

export const tournamentEvents = {
  'tournament.created': define({
    ...common,
    description: 'A tournament was created, as a draft.',
    payload: tournament,
    example: { ...cup, status: 'DRAFT', currentParticipants: 0 },
  }),
  'tournament.published': define({
    ...common,
    description: 'A draft became visible and can be entered.',
    payload: tournament,
    example: { ...cup, status: 'PUBLISHED', currentParticipants: 0 },
  }),
  'tournament.updated': define({
    ...common,
    description: 'Settings of a tournament changed; `changes` names the fields.',
    payload: tournament.extend({ changes: z.array(z.string()) }),
    example: { ...cup, status: 'PUBLISHED', currentParticipants: 12, changes: ['maxParticipants', 'startDate'] },
  }),
  'tournament.started': define({
    ...common,
    description: 'The tournament started: its bracket is drawn and entrants are playing.',
    payload: tournament,
    example: { ...cup, status: 'IN_PROGRESS', currentParticipants: 32 },
  }),
  'tournament.completed': define({
    ...common,
    description: 'The last match was decided and the tournament is over.',
    payload: tournament,
    example: { ...cup, status: 'COMPLETED', currentParticipants: 32 },
  }),
  'tournament.cancelled': define({
    ...common,
    description: 'The organizer called the tournament off.',
    payload: tournament,
    example: { ...cup, status: 'CANCELLED', currentParticipants: 9 },
  }),
  'registration.opened': define({
    ...common,
    description: 'Registration opened, by schedule or by hand.',
    payload: registration,
    example: registrationExample,
  }),
  'registration.closed': define({
    ...common,
    description: 'Registration closed, by schedule or by hand.',
    payload: registration,
    example: { ...registrationExample, currentParticipants: 28 },
  }),
  'registration.full': define({
    ...common,
    description: 'The participant cap was reached. Sent again when a slot was freed and taken.',
    payload: registration,
    example: { ...registrationExample, currentParticipants: 32 },
  }),
};
