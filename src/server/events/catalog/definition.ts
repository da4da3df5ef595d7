import { z } from 'zod';

/** Which of a subscription's filters can tell events of this type apart. */
export type EventFilter = 'aggregateType' | 'tournamentId' | 'userId' | 'conditions';

/** One line of the catalogue. `example` is a payload as a receiver finds it in `data.payload`. */
export type EventDefinition<Payload extends z.ZodType = z.ZodType> = {
  description: string;
  /** Raised when the payload changes in a way that an old reader would misread. */
  version: number;
  aggregateType: string;
  filters: readonly EventFilter[];
  payload: Payload;
  example: z.input<Payload>;
};

/** Ties an example to its schema; the aggregate's name stays a literal. */
export function define<Payload extends z.ZodType, const Aggregate extends string>(
  definition: EventDefinition<Payload> & { aggregateType: Aggregate },
) {
  return definition;
}

/** ISO 8601, UTC, milliseconds. */
export const timestamp = z.iso.datetime();

/** Amount in the currency's minor unit (cents). */
export const money = z.object({ amount: z.number().int(), currency: z.string().length(3) });

export const aboutTournament = ['aggregateType', 'tournamentId', 'conditions'] as const;
export const aboutEntrant = ['aggregateType', 'tournamentId', 'userId', 'conditions'] as const;
export const aboutUser = ['aggregateType', 'userId', 'conditions'] as const;
export const aboutOther = ['aggregateType', 'conditions'] as const;

/** Ids and times that every example shares, so that the examples tell one story. */
export const sample = {
  tournamentId: 'trn_01k9x2m4c8r5t7v9w0y1z2a3b4',
  participantId: 'prt_01k9x3n5d9s6v8w0x1z2a3b4c5',
  opponentId: 'prt_01k9x3p6e0t7w9x1y2a3b4c5d6',
  userId: 'usr_01k9x1k3b7q4s6t8v9w0x1y2z3',
  substituteId: 'usr_01k9x1q7f1v8x0y2z3b4c5d6e7',
  matchId: 'mat_01k9x4r8g2w9y1z3a4c5d6e7f8',
  circuitId: 'crc_01k9x5s9h3x0z2a4b5d6e7f8g9',
  seasonId: 'sea_01k9x5t0j4y1a3b5c6e7f8g9h0',
  sessionId: 'acs_01k9x6v1k5z2b4c6d7f8g9h0j1',
  at: '2026-11-21T18:00:00.000Z',
} as const;
