import { z } from 'zod';
import { antiCheatEvents } from '@/server/events/catalog/anticheat';
import { broadcastEvents } from '@/server/events/catalog/broadcasts';
import { circuitEvents } from '@/server/events/catalog/circuits';
import type { EventAudience, EventDefinition, EventFilter } from '@/server/events/catalog/definition';
import { matchEvents } from '@/server/events/catalog/matches';
import { participantEvents } from '@/server/events/catalog/participants';
import { paymentEvents } from '@/server/events/catalog/payments';
import { registrationEvents } from '@/server/events/catalog/registrations';
import { tournamentEvents } from '@/server/events/catalog/tournaments';
import { userEvents } from '@/server/events/catalog/users';
import { webhookEvents } from '@/server/events/catalog/webhooks';

/** Every type of domain event, in the order in which it is documented. */
export const eventCatalog = {
  ...tournamentEvents,
  ...registrationEvents,
  ...participantEvents,
  ...matchEvents,
  ...circuitEvents,
  ...paymentEvents,
  ...broadcastEvents,
  ...userEvents,
  ...antiCheatEvents,
  ...webhookEvents,
} as const satisfies Record<string, EventDefinition>;

type Catalog = typeof eventCatalog;

export type EventType = keyof Catalog;

/** The payload of a type, as `emit` takes it. */
export type EventPayload<Type extends EventType> = z.input<Catalog[Type]['payload']>;

/** The types that an operation emits; the others are planned. */
export type AvailableEventType = {
  [Type in EventType]: Catalog[Type] extends { planned: true } ? never : Type;
}[EventType];

/** The project of an event: only types with an audience beyond one project may have none. */
export type EventProjectId<Type extends EventType> = Catalog[Type]['audience'] extends 'user' ? string | null : string;

/** The part before the first dot, as in `tournament.*`. */
export type EventGroup<Type extends string = EventType> = Type extends `${infer Group}.${string}` ? Group : never;

/** What each group is called where people choose events. A new group does not compile without a title. */
export const groupTitles: Record<EventGroup, string> = {
  tournament: 'Tournaments',
  registration: 'Registration windows',
  participant: 'Participants',
  match: 'Matches',
  circuit: 'Circuits and seasons',
  payment: 'Payments',
  payout: 'Payouts',
  broadcast: 'Broadcasts',
  user: 'Users',
  anticheat: 'Anti-cheat',
  webhook: 'Webhooks',
};

export const eventTypes = Object.keys(eventCatalog) as EventType[];

export function groupOf(type: EventType): EventGroup {
  return type.slice(0, type.indexOf('.')) as EventGroup;
}

/** Groups in the order of the catalog. */
export const eventGroups: EventGroup[] = [...new Set(eventTypes.map(groupOf))];

export function isEventType(value: string): value is EventType {
  return Object.hasOwn(eventCatalog, value);
}

/** Whether no operation emits the type yet. */
export function isPlanned(type: EventType): boolean {
  return 'planned' in eventCatalog[type];
}

/** The types with an audience. */
export function typesFor(audience: EventAudience): EventType[] {
  return eventTypes.filter((type) => eventCatalog[type].audience === audience);
}

/** The filters of a subscription that can tell events of this type apart: it depends on what the payload has. */
export function filtersOf(type: EventType): EventFilter[] {
  const { audience, payload } = eventCatalog[type];
  if (audience === 'subscription') return [];
  const byId = (['tournamentId', 'userId'] as const).filter((id) => Object.hasOwn(payload.shape, id));
  return ['aggregateType', ...byId, 'conditions'];
}

/** JSON Schema of a type's `data.payload`, without the bounds of safe integers and the patterns behind formats. */
export function payloadSchema(type: EventType): Record<string, unknown> {
  const { $schema: _schema, ...schema } = z.toJSONSchema(eventCatalog[type].payload, {
    io: 'output',
    override: ({ jsonSchema }) => {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    },
  });
  return schema;
}
