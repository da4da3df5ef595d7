import { z } from 'zod';
import { maxMessageLength } from '@/domain/brackets/thread';
import { pageInput, pageOf } from '@/server/paging';
import { matchIdInput, mediaFileIds } from '@/server/routers/matches/schema';
import { imageFields } from '@/server/storage/grants';

const timestamp = z.iso.datetime();
const kinds = [
  'report',
  'report_removed',
  'dispute',
  'comment',
  'confirmation',
  'ruling',
  'correction',
  'reopening',
  'result_lost',
  'proposal',
  'proposal_declined',
  'proposal_withdrawn',
  'rescheduled',
] as const;

const result = z.object({
  decidedBy: z.enum(['result', 'forfeit', 'departure', 'bye']).nullable(),
  participantIds: z.array(z.string().nullable()).describe('Who played, in slot order.'),
  games: z.array(z.object({ scores: z.tuple([z.number(), z.number()]).nullable(), winnerId: z.string().nullable() })),
  winnerId: z.string().nullable(),
});

/** One line of a match's thread. */
export const message = z.object({
  id: z.string().meta({ example: 'mms_01k9x5s9h3x0z2a4b5d6e7f8g9' }),
  matchId: z.string(),
  kind: z.enum(kinds).describe('`dispute` and `comment` are what somebody wrote; the others say what happened.'),
  author: z
    .object({
      userId: z.string(),
      name: z.string(),
      participantId: z.string().nullable().describe('The side that they played on; null: staff.'),
    })
    .nullable()
    .describe('null: it happened by itself.'),
  text: z.string(),
  result: result.nullable(),
  previousResult: result.nullable(),
  scheduledAt: timestamp.nullable(),
  previousScheduledAt: timestamp.nullable(),
  mediaFileIds: z.array(z.string()).describe('Screenshots.'),
  createdAt: timestamp,
});
export type MessageOutput = z.infer<typeof message>;

export const listMessagesInput = matchIdInput.extend(pageInput.shape);
export const listMessagesOutput = pageOf(message).extend({
  names: z.record(z.string(), z.string()).describe('Of the participants that the lines name, by id.'),
  canPost: z.boolean().describe('Whether the caller may write now.'),
});

export const postMessageInput = matchIdInput
  .extend({ text: z.string().trim().max(maxMessageLength).default(''), mediaFileIds })
  .refine(({ text, mediaFileIds: files }) => text !== '' || files.length > 0, {
    error: 'Write something, or attach an image.',
    path: ['text'],
  });

export const screenshotUploadInput = matchIdInput.extend(imageFields('A screenshot'));
export const screenshotInput = matchIdInput.extend({ mediaFileId: z.string().max(60) });
