import { cron } from 'inngest';
import { inngest } from '@/server/jobs/client';
import { mediaUploadGranted } from '@/server/jobs/events';
import { confirmUpload, expiredMedia, removeExpired } from '@/server/storage/media';

/** Pauses before each check; in total longer than the time in which a granted upload can start. */
const checkDelays = ['5s', '25s', '90s', '4m'];

/** Marks an upload as ready once it has arrived, for clients that never report it. */
export const confirmUploads = inngest.createFunction(
  { id: 'confirm-uploads', triggers: [mediaUploadGranted] },
  async ({ event, step }) => {
    for (const [index, delay] of checkDelays.entries()) {
      await step.sleep(`wait-${index}`, delay);
      const state = await step.run(`check-${index}`, () => confirmUpload(event.data.mediaFileId));
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
