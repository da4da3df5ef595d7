import 'server-only';

import type { ApiDocument, JsonSchema } from '@/domain/api-reference/api-document';
import { reasons } from '@/server/errors';
import {
  eventCatalog,
  eventGroups,
  eventTypes,
  filtersOf,
  groupOf,
  groupTitles,
  isPlanned,
  payloadSchema,
} from '@/server/events/catalog/catalog';
import { antiCheatGuide } from '@/server/http/openapi/anti-cheat';
import { openApiDocument } from '@/server/http/openapi/document';
import { receiving } from '@/server/http/openapi/text';

/** The OpenAPI document, for pages that show it. */
export function apiReference(): ApiDocument {
  return openApiDocument();
}

/** Every error code, ordered by status; one with two statuses is there twice. */
export function reasonTable(): { code: string; status: number; message: string }[] {
  return Object.entries(reasons)
    .flatMap(([code, { status, message, ...rest }]) =>
      [status, 'rateStatus' in rest ? rest.rateStatus : status]
        .filter((one, index, all) => all.indexOf(one) === index)
        .map((one) => ({ code, status: one, message })),
    )
    .sort((a, b) => a.status - b.status);
}

export type EventRow = {
  type: string;
  title: string;
  description: string;
  /** Not emitted yet. */
  planned: boolean;
  version: number;
  aggregateType: string;
  filters: string[];
  payload: JsonSchema;
  example: unknown;
};

/** Every event that a webhook can receive, by group in the order of the catalog. */
export function eventTable(): { group: string; title: string; events: EventRow[] }[] {
  return eventGroups.map((group) => ({
    group,
    title: groupTitles[group],
    events: eventTypes
      .filter((type) => groupOf(type) === group)
      .map((type) => {
        const { title, description, version, aggregateType, example } = eventCatalog[type];
        const payload = payloadSchema(type) as JsonSchema;
        const [planned, filters] = [isPlanned(type), filtersOf(type)];
        return { type, title, description, planned, version, aggregateType, filters, payload, example };
      }),
  }));
}

/** The body of a delivery, around the payload of a type. */
export function deliverySchema(): JsonSchema {
  return openApiDocument().components.schemas?.WebhookDelivery as JsonSchema;
}

/** How to receive webhooks, in Markdown, and a complete delivery as an example. */
export function receivingGuide(): { text: string; example: unknown } {
  const { post } = openApiDocument().webhooks['participant.registered'] ?? {};
  return { text: receiving, example: post?.requestBody?.content['application/json']?.example };
}

/** What to read before the endpoints of a section, in Markdown; null where they need none. */
export function sectionGuide(section: string): string | null {
  return section === 'Anti-cheat' ? antiCheatGuide : null;
}
