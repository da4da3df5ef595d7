import { z } from 'zod';
import { define, sample, timestamp } from './definition';

const broadcast = z.object({
  broadcastId: z.string(),
  tournamentId: z.string(),
  matchId: z.string().nullable().describe('null: the broadcast covers the whole tournament.'),
  title: z.string(),
  url: z.string(),
  language: z.string(),
  startedAt: timestamp,
});

const example = {
  broadcastId: 'brd_01k9x7y4p8c5e7f9g0j1k2m3n4',
  tournamentId: sample.tournamentId,
  matchId: sample.matchId,
  title: 'Winter Cup, quarter-finals',
  url: 'https://video.example/winter-cup',
  language: 'en',
  startedAt: sample.at,
};

const common = { version: 1, aggregateType: 'broadcast', audience: 'project', planned: true } as const;

export const broadcastEvents = {
  'broadcast.started': define({
    ...common,
    title: 'Broadcast started',
    description: 'A broadcast went live.',
    payload: broadcast,
    example,
  }),
  'broadcast.ended': define({
    ...common,
    title: 'Broadcast ended',
    description: 'A broadcast went off air.',
    payload: broadcast.extend({ endedAt: timestamp }),
    example: { ...example, endedAt: '2026-11-21T21:30:00.000Z' },
  }),
};
