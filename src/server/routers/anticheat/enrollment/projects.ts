import { z } from 'zod';
import { pageArgs, pageInput, pageOf, toPage } from '@/server/paging';
import { userProcedure } from '@/server/trpc';
import { listEnrollmentProjects } from './data';

/** Where a player can enroll a client. */
export const projects = userProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/anti-cheat/projects',
      tags: ['Anti-cheat'],
      summary: 'List projects to enroll in',
      description:
        'The projects that you play in or are a member of, then those where others have only put you on a roster, of 25 such participants at most; of each, those with a tournament that requires the client of you first. `projectId` asks for one, whether or not you play in it.',
    },
  })
  .input(pageInput.extend({ projectId: z.string().optional() }))
  .output(
    pageOf(
      z.object({
        id: z.string(),
        slug: z.string(),
        name: z.string().meta({ example: 'Harbour City Esports' }),
        required: z.boolean().describe('Whether a tournament that you are registered for requires the client.'),
      }),
    ),
  )
  .query(async ({ ctx, input }) => {
    const { projectId } = input;
    const found = await listEnrollmentProjects(ctx.db, ctx.actingUser.id, { projectId, ...pageArgs(input) });
    return toPage(found.items, found.total, input);
  });
