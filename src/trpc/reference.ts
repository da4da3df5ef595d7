import 'server-only';

import type { ApiDocument, JsonSchema } from '@/domain/api-reference/api-document';
import { reasons } from '@/server/errors';
import { eventCatalogue, eventGroups, eventTypes, payloadSchema } from '@/server/events/catalog';
import { openApiDocument } from '@/server/http/openapi';
import { receiving } from '@/server/http/openapi-text';

/** The API's document, for pages that show it. */
export function apiReference(): ApiDocument {
  return openApiDocument();
}

/** Every reason a request can be refused with, by status. */
export function reasonTable(): { code: string; status: number; message: string }[] {
  return Object.entries(reasons)
    .map(([code, reason]) => ({ code, ...reason }))
    .sort((a, b) => a.status - b.status);
}

export type EventRow = {
  type: string;
  description: string;
  version: number;
  aggregateType: string;
  filters: string[];
  payload: JsonSchema;
  example: unknown;
};

/** Every event that a webhook can be subscribed to, by group in the catalogue's order. */
export function eventTable(): { group: string; events: EventRow[] }[] {
  return eventGroups.map((group) => ({
    group,
    events: eventTypes
      .filter((type) => type.startsWith(`${group}.`))
      .map((type) => {
        const { description, version, aggregateType, filters, example } = eventCatalogue[type];
        const payload = payloadSchema(type) as JsonSchema;
        return { type, description, version, aggregateType, filters: [...filters], payload, example };
      }),
  }));
}

/** The body that a receiver is sent, around the payload of a type. */
export function deliverySchema(): JsonSchema {
  return openApiDocument().components.schemas?.WebhookDelivery as JsonSchema;
}

/** What a receiver of webhooks must know, in Markdown, and a whole delivery as it arrives. */
export function receivingGuide(): { text: string; example: unknown } {
  const { post } = openApiDocument().webhooks['participant.registered'] ?? {};
  return { text: receiving, example: post?.requestBody?.content['application/json']?.example };
}
