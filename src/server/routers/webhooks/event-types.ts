import { toPage } from '@/server/envelope';
import { type EventType, eventCatalogue, payloadSchema, eventTypes as types } from '@/server/event-catalogue';
import { administeredProjects } from '@/server/routers/webhooks/data';
import { deliveryPayload } from '@/server/routers/webhooks/rules';
import { eventTypePage, eventTypesInput } from '@/server/routers/webhooks/schema';
import { userProcedure } from '@/server/trpc';

/** A line of the catalogue as integrators read it. */
function present(type: EventType) {
  const { description, version, aggregateType, filters, example } = eventCatalogue[type];
  const idField = `${aggregateType.split('_').at(-1)}Id`;
  const aggregateId = new Map<string, unknown>(Object.entries(example)).get(idField);
  const delivery = deliveryPayload({
    attemptId: 'wha_01k9xa0b7s1f8h0j2k3m4n5p6q',
    subscriptionId: 'whs_01k9x9a6r0e7g9h1j2m3n4p5q6',
    attempt: 1,
    event: {
      id: 'evt_01k9xb1c8t2g9j1k3m4n5p6q7r',
      type,
      version,
      aggregateType,
      aggregateId: String(aggregateId),
      payload: example,
      metadata: { actor: { type: 'user', id: 'usr_01k9x1k3b7q4s6t8v9w0x1y2z3' }, requestId: null },
      occurredAt: new Date('2026-11-21T18:00:00.000Z'),
    },
  });
  const signature = '5f1d3c0a8e7b6a594837261504f3e2d1c0b9a8978675645342312f1e0d0c0b0a';
  return {
    type,
    group: type.slice(0, type.indexOf('.')),
    description,
    version,
    aggregateType,
    filters: [...filters],
    payloadSchema: payloadSchema(type),
    example: { ...delivery, signature },
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
