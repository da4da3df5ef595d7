import { exampleDelivery } from '@/server/delivery/request/payload';
import {
  type EventType,
  eventCatalog,
  filtersOf,
  groupOf,
  groupTitles,
  isPlanned,
  payloadSchema,
  eventTypes as types,
} from '@/server/events/catalog/catalog';
import { toPage } from '@/server/paging';
import { administeredProjects } from '@/server/routers/webhooks/data';
import { eventTypePage, eventTypesInput } from '@/server/routers/webhooks/schema';
import { userProcedure } from '@/server/trpc';

/** An event type as the API returns it. */
function present(type: EventType) {
  const { title, description, version, aggregateType, audience } = eventCatalog[type];
  return {
    type,
    title,
    group: groupOf(type),
    groupTitle: groupTitles[groupOf(type)],
    description,
    planned: isPlanned(type),
    version,
    aggregateType,
    audience,
    filters: filtersOf(type),
    payloadSchema: payloadSchema(type),
    example: exampleDelivery(type),
  };
}

const presented = types.map(present);

export const eventTypes = userProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/webhooks/event-types',
      tags: ['Webhooks'],
      summary: 'List event types',
      description:
        'Every event type, with the schema of its payload and an example. Planned types can be subscribed to, but are not sent yet.',
    },
    errors: ['FORBIDDEN'],
  })
  .input(eventTypesInput)
  .output(eventTypePage)
  .query(async ({ ctx, input }) => {
    await administeredProjects(ctx.actingUser.id);
    const wanted = presented.filter((entry) => input.group === undefined || entry.group === input.group);
    const start = (input.page - 1) * input.limit;
    return toPage(wanted.slice(start, start + input.limit), wanted.length, input);
  });
