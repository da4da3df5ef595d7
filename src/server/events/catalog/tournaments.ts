import { z } from 'zod';
import { tournamentFormat, tournamentStatus } from '@/domain/tournaments/settings';
import { define, sample, timestamp } from './definition';

const tournament = z.object({
  tournamentId: z.string(),
  slug: z.string(),
  name: z.string(),
  status: tournamentStatus,
  game: z.string().describe('Id of the game.'),
  format: tournamentFormat,
  startDate: timestamp,
  maxParticipants: z.number().int(),
  currentParticipants: z.number().int(),
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

const common = { version: 1, aggregateType: 'tournament', audience: 'project' } as const;

export const tournamentEvents = {
  'tournament.created': define({
    ...common,
    title: 'Tournament created',
    description: 'A tournament was created as a draft.',
    payload: tournament,
    example: { ...cup, status: 'DRAFT', currentParticipants: 0 },
  }),
  'tournament.published': define({
    ...common,
    title: 'Tournament published',
    description: 'A draft was published, so that players can see it and register.',
    payload: tournament,
    example: { ...cup, status: 'PUBLISHED', currentParticipants: 0 },
  }),
  'tournament.updated': define({
    ...common,
    title: 'Tournament updated',
    description: 'Settings of a tournament changed. `changes` lists the fields.',
    payload: tournament.extend({ changes: z.array(z.string()) }),
    example: { ...cup, status: 'PUBLISHED', currentParticipants: 12, changes: ['maxParticipants', 'startDate'] },
  }),
  'tournament.started': define({
    ...common,
    title: 'Tournament started',
    description: 'The tournament started: the bracket is drawn and participants are playing.',
    payload: tournament,
    example: { ...cup, status: 'IN_PROGRESS', currentParticipants: 32 },
  }),
  'tournament.completed': define({
    ...common,
    title: 'Tournament completed',
    description: 'The last match was decided and the tournament is over.',
    payload: tournament,
    example: { ...cup, status: 'COMPLETED', currentParticipants: 32 },
  }),
  'tournament.cancelled': define({
    ...common,
    title: 'Tournament cancelled',
    description: 'The organizer cancelled the tournament.',
    payload: tournament,
    example: { ...cup, status: 'CANCELLED', currentParticipants: 9 },
  }),
};
