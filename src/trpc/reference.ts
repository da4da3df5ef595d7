import 'server-only';

import type { ApiDocument, JsonSchema } from '@/lib/api-document';
import { reasons } from '@/server/errors';
import { eventCatalogue, eventTypes } from '@/server/event-catalogue';
import { openApiDocument } from '@/server/http/openapi';

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

export type EventRow = { type: string; description: string; version: number; filters: string[]; example: unknown };

/** Every event that a webhook can be subscribed to. */
export function eventTable(): EventRow[] {
  return eventTypes.map((type) => {
    const { description, version, filters, example } = eventCatalogue[type];
    return { type, description, version, filters: [...filters], example };
  });
}

/** The body that a receiver is sent, around the payload of a type. */
export function deliverySchema(): JsonSchema {
  return openApiDocument().components.schemas?.WebhookDelivery as JsonSchema;
}
