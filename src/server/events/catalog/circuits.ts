import { z } from 'zod';
import { define, sample, timestamp } from './definition';

const circuit = z.object({ circuitId: z.string(), name: z.string(), game: z.string().nullable() });
const season = circuit.extend({
  seasonId: z.string(),
  seasonName: z.string(),
  startsAt: timestamp.nullable(),
  endsAt: timestamp.nullable(),
});

const circuitExample = { circuitId: sample.circuitId, name: 'Northern League', game: 'cs2' };
const seasonExample = {
  ...circuitExample,
  seasonId: sample.seasonId,
  seasonName: 'Season 4',
  startsAt: '2026-11-01T00:00:00.000Z',
  endsAt: '2027-02-28T00:00:00.000Z',
};

const ofSeason = { version: 1, aggregateType: 'season', audience: 'project', planned: true } as const;

export const circuitEvents = {
  'circuit.created': define({
    version: 1,
    aggregateType: 'circuit',
    audience: 'project',
    planned: true,
    title: 'Circuit created',
    description: 'A circuit was created.',
    payload: circuit,
    example: circuitExample,
  }),
  'circuit.season.started': define({
    ...ofSeason,
    title: 'Season started',
    description: 'A season of a circuit started.',
    payload: season,
    example: seasonExample,
  }),
  'circuit.season.completed': define({
    ...ofSeason,
    title: 'Season completed',
    description: 'A season of a circuit ended and its standings are final.',
    payload: season,
    example: seasonExample,
  }),
};
