import { z } from 'zod';
import { hasPlainYear } from '@/domain/time/time';
import { pageInputOf, pageOf } from '@/server/paging';

export const id = z.string().max(100);
export const count = z.number().int();
export const time = z.string().meta({ example: '2026-11-21T18:00:00.000Z' });
export const subscriptionId = z.string().meta({ example: 'whs_01k9x9a6r0e7g9h1j2m3n4p5q6' });
export const projectId = z.string().meta({ example: 'prj_01k9x1j2a6p3r5s7t8v9w0x1y2' });
export const deliveryId = z.string().meta({ example: 'whd_01k9xb2d9v3h0k2m4n5p6q7r8s' });
export const eventId = z.string().meta({ example: 'evt_01k9xb1c8t2g9j1k3m4n5p6q7r' });
export const typeName = z.string().meta({ example: 'tournament.published' });
export const moment = z.iso
  .datetime({ offset: true })
  .refine(hasPlainYear, 'Use a year from 1 to 9999.')
  .meta({ example: '2026-11-21T18:00:00.000Z' });
export const ordered = ({ from, to }: { from?: string; to?: string }) =>
  !from || !to || Date.parse(from) < Date.parse(to);
export const orderedMessage = { path: ['to'], error: 'must be after `from`' };

export const deliveryStatuses = ['pending', 'held', 'delivered', 'failed', 'expired'] as const;

export const outcome = z.object({
  responseStatus: count.nullable().meta({ example: 503 }),
  errorClass: z.string().nullable().meta({ example: 'http_5xx' }),
});

export const eventTypesInput = pageInputOf(100, 100).extend({
  group: z.string().max(40).optional().meta({ description: 'Only this group.', example: 'tournament' }),
});
export const eventType = z.object({
  type: typeName,
  title: z.string().meta({ example: 'Tournament published' }),
  group: z.string().meta({ example: 'tournament' }),
  groupTitle: z.string().meta({ example: 'Tournaments' }),
  description: z.string(),
  planned: z.boolean().meta({ description: 'Not sent yet: the operation behind it does not exist.' }),
  version: count,
  aggregateType: z.string(),
  audience: z.enum(['project', 'user', 'subscription']).meta({
    description:
      'Which subscriptions it goes to: those of its project; for users also those of projects they belong to or registered in; or one alone, whatever it subscribes to.',
  }),
  filters: z.array(z.string()).meta({ description: 'Filters of a subscription that can tell such events apart.' }),
  payloadSchema: z.record(z.string(), z.unknown()).meta({ description: 'JSON Schema of `data.payload`.' }),
  example: z.record(z.string(), z.unknown()).meta({ description: 'A whole delivery as it arrives.' }),
});
export const eventTypePage = pageOf(eventType);
