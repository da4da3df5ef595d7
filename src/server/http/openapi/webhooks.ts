import type { ApiDocument, JsonSchema } from '@/domain/api-reference/api-document';
import { exampleDelivery } from '@/server/delivery/request/payload';
import { eventCatalog, type eventTypes, payloadSchema } from '@/server/events/catalog/catalog';

const text = (value: string): JsonSchema => ({ type: 'string', description: value });
const integer = (value: string): JsonSchema => ({ type: 'integer', description: value });
const object = (properties: Record<string, JsonSchema>, absent: string[] = []): JsonSchema => ({
  type: 'object',
  required: Object.keys(properties).filter((name) => !absent.includes(name)),
  properties,
});

/** The body that a receiver gets; `data.payload` depends on the type. */
export const deliverySchema = object(
  {
    id: text('Identifies the delivery attempt, not the event.'),
    event: object({
      id: text('The event. Use it to recognize duplicates.'),
      type: text('One of the event types.'),
      timestamp: { type: 'string', format: 'date-time' },
      version: integer("Version of the payload's shape."),
    }),
    data: object({
      aggregateId: text('Id of what the event is about.'),
      aggregateType: text('What kind of thing that is, for example `tournament`.'),
      payload: { type: 'object' },
      metadata: { type: 'object' },
    }),
    webhook: object({
      subscriptionId: text('The subscription that this was sent for.'),
      attempt: integer('Counted from 1.'),
      isRetry: { type: 'boolean' },
    }),
    signature: text('Hex HMAC-SHA256 of this body without this member. Absent when payloads are not signed.'),
  },
  ['signature'],
);

/** An event as a webhook of the document. */
export function describeWebhook(type: (typeof eventTypes)[number]): ApiDocument['webhooks'][string] {
  const { description, version, aggregateType } = eventCatalog[type];
  const narrowed = {
    type: 'object',
    properties: {
      event: { type: 'object', properties: { type: { const: type }, version: { const: version } } },
      data: { type: 'object', properties: { aggregateType: { const: aggregateType }, payload: payloadSchema(type) } },
    },
  };
  const schema = { allOf: [{ $ref: '#/components/schemas/WebhookDelivery' }, narrowed] };
  return {
    post: {
      operationId: `event-${type}`,
      summary: type,
      description,
      tags: ['Events'],
      security: [],
      requestBody: { content: { 'application/json': { schema, example: exampleDelivery(type) } } },
      responses: { '2XX': { description: 'Any 2xx means received. Anything else is retried.' } },
    },
  };
}
