import { z } from 'zod';
import { publicUrl } from '@/env';
import { refuse } from '@/server/errors';
import { apiKeyProcedure } from '@/server/trpc';
import { listDetections } from './data-detections';
import { detectionItem, listDetectionsInput } from './schema';

const path = '/anti-cheat/detections';

export const list = apiKeyProcedure('anticheat:detections.read')
  .meta({
    openapi: {
      method: 'GET',
      path,
      tags: ['Anti-cheat'],
      summary: 'List detections',
      description:
        'What the rules have raised for the project, newest first, as a plain array. When there are more, the `Link` header has the next page as `rel="next"`.',
    },
    errors: ['INVALID_CURSOR'],
  })
  .input(listDetectionsInput)
  .output(z.array(detectionItem))
  .query(async ({ ctx, input }) => {
    const { limit, unreviewedOnly, cursor } = input;
    if (cursor !== undefined && !/^det_[0-9a-z]{26}$/.test(cursor)) throw refuse('INVALID_CURSOR');
    const rows = await listDetections(ctx.db, ctx.key.projectId, { limit: limit + 1, unreviewedOnly, cursor });
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    if (rows.length > limit && last) {
      const query = new URLSearchParams({
        limit: String(limit),
        unreviewedOnly: String(unreviewedOnly),
        cursor: last.id,
      });
      ctx.setHeader('Link', `<${publicUrl}/api/v1${path}?${query}>; rel="next"`);
    }
    return items;
  });
