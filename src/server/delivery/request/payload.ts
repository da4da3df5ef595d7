import { type EventType, eventCatalog } from '@/server/events/catalog/catalog';

export type DeliveryEvent = {
  id: string;
  type: string;
  version: number;
  aggregateType: string;
  aggregateId: string;
  payload: unknown;
  metadata: unknown;
  occurredAt: Date;
};

export type DeliveryEnvelope = {
  attemptId: string;
  subscriptionId: string;
  /** From 1. */
  attempt: number;
  event: DeliveryEvent;
};

/** The body of a delivery, without its signature. */
export function deliveryPayload({ attemptId, subscriptionId, attempt, event }: DeliveryEnvelope) {
  return {
    id: attemptId,
    event: { id: event.id, type: event.type, timestamp: event.occurredAt.toISOString(), version: event.version },
    data: {
      aggregateId: event.aggregateId,
      aggregateType: event.aggregateType,
      payload: event.payload,
      metadata: event.metadata,
    },
    webhook: { subscriptionId, attempt, isRetry: attempt > 1 },
  };
}

type SentPayload = ReturnType<typeof deliveryPayload> & { signature?: string };

/** The body of an earlier attempt with the id and number of this one; everything else stays the same, byte for byte. */
export function retryPayload(previousBody: string, { attemptId, attempt }: { attemptId: string; attempt: number }) {
  const { signature: _, ...payload } = JSON.parse(previousBody) as SentPayload;
  return { ...payload, id: attemptId, webhook: { ...payload.webhook, attempt, isRetry: attempt > 1 } };
}

/** A complete delivery of an event type, for the documentation. */
export function exampleDelivery(type: EventType) {
  const { version, aggregateType, example } = eventCatalog[type];
  const idField = `${aggregateType.split('_').at(-1)}Id`;
  const delivery = deliveryPayload({
    attemptId: 'wha_01k9xa0b7s1f8h0j2k3m4n5p6q',
    subscriptionId: 'whs_01k9x9a6r0e7g9h1j2m3n4p5q6',
    attempt: 1,
    event: {
      id: 'evt_01k9xb1c8t2g9j1k3m4n5p6q7r',
      type,
      version,
      aggregateType,
      aggregateId: String(new Map<string, unknown>(Object.entries(example)).get(idField)),
      payload: example,
      metadata: { actor: { type: 'user', id: 'usr_01k9x1k3b7q4s6t8v9w0x1y2z3' }, requestId: null },
      occurredAt: new Date('2026-11-21T18:00:00.000Z'),
    },
  });
  return { ...delivery, signature: '5f1d3c0a8e7b6a594837261504f3e2d1c0b9a8978675645342312f1e0d0c0b0a' };
}
