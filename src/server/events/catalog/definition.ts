import { z } from 'zod';

/** The filters of a subscription. */
export type EventFilter = 'aggregateType' | 'tournamentId' | 'userId' | 'conditions';

/**
 * Which subscriptions an event can go to:
 * - `project`: those of the event's project.
 * - `user`: the same, and for an event without a project those of every project that the user belongs to or has
 *   registered in, and those created by an instance admin.
 * - `subscription`: only the one that the event is about, whatever it subscribes to.
 */
export type EventAudience = 'project' | 'user' | 'subscription';

/** One type of event. `example` is a payload as a subscriber finds it in `data.payload`. */
export type EventDefinition<Payload extends z.ZodObject = z.ZodObject> = {
  /** What people choose it by; the name of what happened. */
  title: string;
  description: string;
  /** Raised when the payload changes in a way that an old reader would misread. */
  version: number;
  aggregateType: string;
  audience: EventAudience;
  /** No operation emits it yet. Subscribers see that, and `emit` does not accept it. */
  planned?: true;
  payload: Payload;
  example: z.input<Payload>;
};

/** Ties an example to its schema; everything else keeps its literal type. */
export function define<Payload extends z.ZodObject, const Rest extends Omit<EventDefinition, 'payload' | 'example'>>(
  definition: Rest & { payload: Payload; example: z.input<Payload> },
) {
  return definition;
}

/** ISO 8601, UTC, milliseconds. */
export const timestamp = z.iso.datetime();

/** Amount in the currency's minor unit (cents). */
export const money = z.object({ amount: z.number().int(), currency: z.string().length(3) });

/** Ids and times that all examples share, so that together they make sense. */
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
