import { z } from 'zod';
import { fieldsLeft, isObject } from '@/domain/json/fields';
import { moment } from '@/domain/tournaments/settings';
import { pageInput, pageOf } from '@/server/paging';
import { matchIdInput } from '@/server/routers/matches/schema';

/** Types of feed events, the same for every game. */
export const feedEventType = z.enum([
  'match_started',
  'map_banned',
  'map_picked',
  'game_started',
  'round_started',
  'round_ended',
  'kill',
  'death',
  'assist',
  'objective',
  'score_updated',
  'paused',
  'resumed',
  'player_connected',
  'player_disconnected',
  'game_ended',
  'match_ended',
]);
export type FeedEventType = z.infer<typeof feedEventType>;

export const maxBatchSize = 500;
const maxPayloadBytes = 4096;
/** Each takes up to 3 microseconds to read, and a page has a hundred payloads. */
const maxPayloadFields = 100;

const maxNameLength = 100;

/** The bytes of checked payloads as JSON, which is written once to know them. */
const measured = new WeakMap<object, number>();

function measure(value: object): number {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  measured.set(value, bytes);
  return bytes;
}

/** The bytes of an event's payload as JSON, also when it has none and an empty one is stored. */
export function payloadBytes({ payload = {} }: NewFeedEvent): number {
  return measured.get(payload) ?? measure(payload);
}

/** Not a record, of which zod checks and copies each field: what has too many is refused before anything else looks at them. */
const payload = z
  .custom<Record<string, unknown>>(isObject, { error: 'must be an object', abort: true })
  .meta({
    type: 'object',
    propertyNames: { type: 'string', maxLength: maxNameLength },
    additionalProperties: {},
    description: `Details of the game's own, at most ${maxPayloadBytes} bytes as JSON and ${maxPayloadFields} fields, those of objects in it included.`,
  })
  .refine((value) => fieldsLeft(value, maxPayloadFields) >= 0, {
    error: `must have at most ${maxPayloadFields} fields, those of objects in it included`,
    abort: true,
  })
  .refine((value) => Object.keys(value).every(({ length }) => length <= maxNameLength), {
    error: `must have names of at most ${maxNameLength} characters`,
    abort: true,
  })
  .refine((value) => measure(value) <= maxPayloadBytes, { error: `must be at most ${maxPayloadBytes} bytes as JSON` });

const timestamp = moment.describe('When it happened in the game.');
const game = z.number().int().min(1).max(99).describe('Which game of the match, from 1.');
const participantId = z.string().max(60).describe('A participant of the match.');
const userId = z
  .string()
  .max(60)
  .describe("A player of one of the match's participants. `kill`, `death` and `assist` count in their statistics.");
const clientId = z
  .string()
  .min(1)
  .max(100)
  .describe('A key of your own, unique in the match: an event whose key is known already changes nothing.');

const newEvent = z.object({
  type: feedEventType,
  participantId: participantId.optional(),
  userId: userId.optional(),
  timestamp: timestamp.optional().describe('When it happened; now by default.'),
  game: game.optional(),
  clientId: clientId.optional(),
  payload: payload.optional(),
});
export type NewFeedEvent = z.output<typeof newEvent>;

export const postEventsInput = matchIdInput
  .extend({
    ...newEvent.partial().shape,
    events: z
      .array(newEvent)
      .min(1)
      .max(maxBatchSize)
      .optional()
      .describe('Several events at once, in order; all are stored or none.'),
  })
  .refine(({ type, events }) => (type === undefined) !== (events === undefined), {
    path: ['type'],
    error: 'Send either one event with its `type`, or a list in `events`.',
  });

/** As it is in the database: it was checked when it was posted, and is not checked field by field for each reader. */
const storedPayload = z
  .custom<Record<string, unknown>>()
  .meta({ type: 'object', propertyNames: { type: 'string' }, additionalProperties: {} });

export const feedEvent = z.object({
  id: z.string().meta({ example: 'mev_01k9x4r8g2w9y1z3a4c5d6e7f8' }),
  matchId: z.string(),
  sequence: z.number().int().describe('From 1, without gaps in its match.'),
  type: feedEventType,
  timestamp,
  game: game.nullable().describe('Which game of the match, from 1; null: the match as a whole.'),
  participantId: participantId.nullable(),
  userId: userId.nullable(),
  payload: storedPayload,
});
export type FeedEvent = z.infer<typeof feedEvent>;

export const postEventsOutput = z.object({
  items: z.array(feedEvent).describe('In the order sent; an event that was known already as it is stored.'),
  created: z.number().int().describe('How many of them are new.'),
});

/** What a page of a feed may be narrowed by. */
export const feedFilter = {
  ...pageInput.shape,
  type: feedEventType.optional(),
  from: moment.optional().describe('Only events that happened at this time or later.'),
  to: moment.optional().describe('Only events that happened at this time or earlier.'),
};
type Range = { from?: string; to?: string };
export const isRange = ({ from, to }: Range) => !from || !to || Date.parse(from) <= Date.parse(to);
export const rangeError = { path: ['to'], error: 'must not be before `from`' };

export const listEventsInput = matchIdInput.extend(feedFilter).refine(isRange, rangeError);
export type FeedFilter = Omit<z.output<typeof listEventsInput>, 'matchId'>;
export const listEventsOutput = pageOf(feedEvent);
