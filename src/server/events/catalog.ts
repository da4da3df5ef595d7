import { z } from 'zod';
import type { EventDefinition } from '@/server/events/catalog/definition';
import { matchEvents } from '@/server/events/catalog/matches';
import { organizationEvents } from '@/server/events/catalog/organization';
import { participantEvents } from '@/server/events/catalog/participants';
import { peopleEvents } from '@/server/events/catalog/people';
import { tournamentEvents } from '@/server/events/catalog/tournaments';

/** Every type of domain event: what it means, what it carries, what it is about. The one table. */
export const eventCatalogue = {
  ...tournamentEvents,
  ...participantEvents,
  ...matchEvents,
  ...organizationEvents,
  ...peopleEvents,
} as const satisfies Record<string, EventDefinition>;

export type EventType = keyof typeof eventCatalogue;

/** The payload of a type, as `emit` takes it. */
export type EventPayload<Type extends EventType> = z.input<(typeof eventCatalogue)[Type]['payload']>;

export const eventTypes = Object.keys(eventCatalogue) as EventType[];

/** The part before the first dot, as in `tournament.*`. */
export type EventGroup<Type extends string = EventType> = Type extends `${infer Group}.${string}` ? Group : never;

/** Groups in the catalogue's order. */
export const eventGroups = [...new Set(eventTypes.map((type) => type.slice(0, type.indexOf('.'))))] as EventGroup[];

export function isEventType(value: string): value is EventType {
  return Object.hasOwn(eventCatalogue, value);
}

/** JSON Schema of a type's `data.payload`, less the bounds that every safe integer has and the patterns behind formats. */
export function payloadSchema(type: EventType): Record<string, unknown> {
  const { $schema: _schema, ...schema } = z.toJSONSchema(eventCatalogue[type].payload, {
    io: 'output',
    override: ({ jsonSchema }) => {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    },
  });
  return schema;
}
