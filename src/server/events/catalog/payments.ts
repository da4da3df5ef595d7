import { z } from 'zod';
import { define, money, sample, timestamp } from './definition';

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

const payer = { tournamentId: sample.tournamentId, participantId: sample.participantId, userId: sample.userId };
const payoutExample = {
  payoutId: 'pyo_01k9x7x3n7b4d6e8f9h0j1k2m3',
  ...payer,
  prize: { amount: 50_000, currency: 'EUR' },
  placement: 1,
};

const ofPayout = { version: 1, aggregateType: 'payout', audience: 'project', planned: true } as const;

/** Entry fees and prize money. */
export const paymentEvents = {
  'payment.received': define({
    version: 1,
    aggregateType: 'payment',
    audience: 'project',
    planned: true,
    title: 'Payment received',
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
    title: 'Payout processed',
    description: 'Prize money was sent.',
    payload: payout.extend({ processedAt: timestamp }),
    example: { ...payoutExample, processedAt: sample.at },
  }),
  'payout.failed': define({
    ...ofPayout,
    title: 'Payout failed',
    description: 'Prize money could not be sent.',
    payload: payout.extend({ failedAt: timestamp, reason: z.string() }),
    example: { ...payoutExample, failedAt: sample.at, reason: 'The account does not accept this currency' },
  }),
};
