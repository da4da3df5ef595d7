import { cron } from 'inngest';
import { inngest } from '@/server/jobs/client';
import { mediaUploadGranted } from '@/server/jobs/events';
import { checkUpload, expiredMedia, removeExpired, uploadChecksMs } from '@/server/storage/media';

/** Marks an upload as ready once it has arrived, for clients that never report it. */
export const confirmUploads = inngest.createFunction(
  { id: 'confirm-uploads', triggers: [mediaUploadGranted] },
  async ({ event, step }) => {
    for (const [index, delay] of uploadChecksMs.entries()) {
      await step.sleep(`wait-${index}`, delay);
      const next = uploadChecksMs[index + 1] ?? null;
      const state = await step.run(`check-${index}`, () => checkUpload(event.data.mediaFileId, next));
      if (state !== 'missing') return { state };
    }
    return { state: 'missing' };
  },
);

/** Deletes uploads that were not used within a day, and files that were replaced or removed. */
export const deleteExpiredMedia = inngest.createFunction(
  { id: 'delete-expired-media', triggers: [cron('23 * * * *')] },
  async ({ step }) => {
    const expired = await step.run('find', () => expiredMedia(200));
    for (const id of expired) await step.run(`delete-${id}`, () => removeExpired(id));
    return { deleted: expired.length };
  },
);
