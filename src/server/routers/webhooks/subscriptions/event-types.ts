import { exampleDelivery } from '@/server/delivery/rules';
import { toPage } from '@/server/envelope';
import { type EventType, eventCatalogue, payloadSchema, eventTypes as types } from '@/server/events/catalog';
import { administeredProjects } from '@/server/routers/webhooks/data';
import { eventTypePage, eventTypesInput } from '@/server/routers/webhooks/schema';
import { userProcedure } from '@/server/trpc';

/** A line of the catalogue as integrators read it. */
function present(type: EventType) {
  const { description, version, aggregateType, filters } = eventCatalogue[type];
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

const catalogue = types.map(present);

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
    const wanted = catalogue.filter((entry) => input.group === undefined || entry.group === input.group);
    const start = (input.page - 1) * input.limit;
    return toPage(wanted.slice(start, start + input.limit), wanted.length, input);
  });
