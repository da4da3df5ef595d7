import { exampleDelivery } from '@/server/delivery/request/payload';
import { type EventType, eventCatalog, payloadSchema, eventTypes as types } from '@/server/events/catalog/catalog';
import { toPage } from '@/server/paging';
import { administeredProjects } from '@/server/routers/webhooks/data';
import { eventTypePage, eventTypesInput } from '@/server/routers/webhooks/schema';
import { userProcedure } from '@/server/trpc';

/** An event type as the API returns it. */
function present(type: EventType) {
  const { description, version, aggregateType, filters } = eventCatalog[type];
  return {
    type,
    group: type.slice(0, type.indexOf('.')),
    description,
    version,
    aggregateType,
    filters: [...filters],
    payloadSchema: payloadSchema(type),
    example: exampleDelivery(type),
  };
}

const presentedTypes = types.map(present);

export const eventTypes = userProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/webhooks/event-types',
      tags: ['Webhooks'],
      summary: 'List event types',
      description: 'Everything that can be subscribed to, with the schema and an example of each payload.',
    },
    errors: ['FORBIDDEN'],
  })
  .input(eventTypesInput)
  .output(eventTypePage)
  .query(async ({ ctx, input }) => {
    await administeredProjects(ctx.actingUser.id);
    const wanted = presentedTypes.filter((entry) => input.group === undefined || entry.group === input.group);
    const start = (input.page - 1) * input.limit;
    return toPage(wanted.slice(start, start + input.limit), wanted.length, input);
  });
