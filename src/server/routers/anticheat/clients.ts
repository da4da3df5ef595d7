import { limitOf } from '@/server/limits/quotas';
import { pageArgs, toPage } from '@/server/paging';
import { router, userProcedure } from '@/server/trpc';
import { enrollClient, listClients, revokeClient, rotateClient } from './data-clients';
import { projects } from './enrollment/projects';
import { clientInput, clientPage, enrolledClient, enrollInput, listClientsInput, revokedClient } from './schema';

const tags = ['Anti-cheat'];
const path = '/anti-cheat/clients';

const enroll = userProcedure
  .meta({
    openapi: {
      method: 'POST',
      path,
      tags,
      summary: 'Enroll a client',
      description: "For your own machine, in one project. The client's token is in this response only.",
    },
    status: 201,
    errors: ['NOT_FOUND'],
    quotas: ['antiCheatClients', 'antiCheatEnrollments'],
  })
  .input(enrollInput)
  .output(enrolledClient)
  .mutation(({ ctx, input }) => {
    const { projectId, game = null, deviceName = null } = input;
    const client = { projectId, game, deviceName };
    return ctx.db.$transaction((tx) => enrollClient(tx, ctx.by, ctx.actingUser, client));
  });

const list = userProcedure
  .meta({
    openapi: {
      method: 'GET',
      path,
      tags,
      summary: 'List your clients',
      description: 'Newest first, without revoked ones.',
    },
  })
  .input(listClientsInput)
  .output(clientPage)
  .query(async ({ ctx, input }) => {
    const rows = await listClients(ctx.db, ctx.actingUser.id, { projectId: input.projectId, ...pageArgs(input) });
    const items = rows.map(({ total: _, lastHeartbeatAt, lastReportAt, createdAt, ...row }) => ({
      ...row,
      lastReportAt: lastReportAt?.toISOString() ?? null,
      lastHeartbeatAt: lastHeartbeatAt?.toISOString() ?? null,
      createdAt: createdAt.toISOString(),
    }));
    return { ...toPage(items, rows[0]?.total ?? 0, input), maxClients: limitOf('antiCheatClients') };
  });

const revoke = userProcedure
  .meta({
    openapi: {
      method: 'DELETE',
      path: `${path}/{clientId}`,
      tags,
      summary: 'Revoke a client',
      description: 'Its token stops working at once.',
    },
    errors: ['NOT_FOUND'],
  })
  .input(clientInput)
  .output(revokedClient)
  .mutation(async ({ ctx, input }) => {
    const { clientId } = input;
    const revokedAt = await ctx.db.$transaction((tx) => revokeClient(tx, ctx.by, ctx.actingUser, clientId));
    return { id: clientId, revokedAt: revokedAt.toISOString() };
  });

const rotate = userProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: `${path}/{clientId}/rotate`,
      tags,
      summary: 'Get a new token for a client',
      description: 'The old token stops working at once. The new one is in this response only.',
    },
    errors: ['NOT_FOUND'],
    quotas: ['antiCheatEnrollments'],
  })
  .input(clientInput)
  .output(enrolledClient)
  .mutation(async ({ ctx, input }) => {
    const { clientId: id } = input;
    const clientToken = await ctx.db.$transaction((tx) => rotateClient(tx, ctx.by, ctx.actingUser, id));
    return { id, clientToken };
  });

/** A player's own anti-cheat clients. */
export const clientsRouter = router({ enroll, list, projects, revoke, rotate });
