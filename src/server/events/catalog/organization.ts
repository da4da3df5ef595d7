import { z } from 'zod';
import { aboutEntrant, aboutOther, aboutTournament, define, money, sample, timestamp } from './definition';

const circuit = z.object({ circuitId: z.string(), name: z.string(), game: z.string().nullable() });
const season = circuit.extend({
  seasonId: z.string(),
  seasonName: z.string(),
  startsAt: timestamp.nullable(),
  endsAt: timestamp.nullable(),
});

const payment = z.object({
  paymentId: z.string(),
  tournamentId: z.string(),
  participantId: z.string(),
  userId: z.string(),
  price: money,
  receivedAt: timestamp,
});

const payout = z.object({
  payoutId: z.string(),
  tournamentId: z.string(),
  participantId: z.string(),
  userId: z.string(),
  prize: money,
  placement: z.number().int().nullable(),
});

const broadcast = z.object({
  broadcastId: z.string(),
  tournamentId: z.string(),
  matchId: z.string().nullable().describe('Null: the whole tournament is shown.'),
  title: z.string(),
  url: z.string(),
  language: z.string(),
  startedAt: timestamp,
});

const circuitExample = { circuitId: sample.circuitId, name: 'Northern League', game: 'cs2' };
const seasonExample = {
  ...circuitExample,
  seasonId: sample.seasonId,
  seasonName: 'Season 4',
  startsAt: '2026-11-01T00:00:00.000Z',
  endsAt: '2027-02-28T00:00:00.000Z',
};
const payer = { tournamentId: sample.tournamentId, participantId: sample.participantId, userId: sample.userId };
const payoutExample = {
  payoutId: 'pyo_01k9x7x3n7b4d6e8f9h0j1k2m3',
  ...payer,
  prize: { amount: 50_000, currency: 'EUR' },
  placement: 1,
};
const broadcastExample = {
  broadcastId: 'brd_01k9x7y4p8c5e7f9g0j1k2m3n4',
  tournamentId: sample.tournamentId,
  matchId: sample.matchId,
  title: 'Winter Cup, quarter-finals',
  url: 'https://video.example/winter-cup',
  language: 'en',
  startedAt: sample.at,
};

const ofCircuit = { version: 1, aggregateType: 'circuit', filters: aboutOther } as const;
const ofSeason = { version: 1, aggregateType: 'season', filters: aboutOther } as const;
const ofPayout = { version: 1, aggregateType: 'payout', filters: aboutEntrant } as const;
const ofBroadcast = { version: 1, aggregateType: 'broadcast', filters: aboutTournament } as const;

/** What an organizer runs around tournaments: circuits, money, broadcasts. */
export const organizationEvents = {
  'circuit.created': define({
    ...ofCircuit,
    description: 'A circuit was created.',
    payload: circuit,
    example: circuitExample,
  }),
  'circuit.season.started': define({
    ...ofSeason,
    description: 'A season of a circuit started.',
    payload: season,
    example: seasonExample,
  }),
  'circuit.season.completed': define({
    ...ofSeason,
    description: 'A season of a circuit ended and its standings are final.',
    payload: season,
    example: seasonExample,
  }),
  'payment.received': define({
    version: 1,
    aggregateType: 'payment',
    filters: aboutEntrant,
    description: 'An entry fee was paid.',
    payload: payment,
    example: {
      paymentId: 'pay_01k9x7w2m6a3c5d7e8g9h0j1k2',
      ...payer,
      price: { amount: 1_000, currency: 'EUR' },
      receivedAt: sample.at,
    },
  }),
  'payout.processed': define({
    ...ofPayout,
    description: 'Prize money was sent.',
    payload: payout.extend({ processedAt: timestamp }),
    example: { ...payoutExample, processedAt: sample.at },
  }),
  'payout.failed': define({
    ...ofPayout,
    description: 'Prize money could not be sent.',
    payload: payout.extend({ failedAt: timestamp, reason: z.string() }),
    example: { ...payoutExample, failedAt: sample.at, reason: 'The account does not accept this currency' },
  }),
  'broadcast.started': define({
    ...ofBroadcast,
    description: 'A broadcast went live.',
    payload: broadcast,
    example: broadcastExample,
  }),
  'broadcast.ended': define({
    ...ofBroadcast,
    description: 'A broadcast went off air.',
    payload: broadcast.extend({ endedAt: timestamp }),
    example: { ...broadcastExample, endedAt: '2026-11-21T21:30:00.000Z' },
  }),
};
