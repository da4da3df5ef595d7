import { cron } from 'inngest';
import { inngest } from '@/server/jobs/client';
import { mediaUploadGranted } from '@/server/jobs/events';
import { confirmUpload, expiredMedia, removeExpired } from '@/server/storage/media';

/** Together longer than a granted upload can take to begin. */
const looks = ['5s', '25s', '90s', '4m'];

/** Marks an upload ready when it has arrived, for clients that do not come back to say so. */
export const confirmMedia = inngest.createFunction(
  { id: 'confirm-media', triggers: [mediaUploadGranted] },
  async ({ event, step }) => {
    for (const [index, pause] of looks.entries()) {
      await step.sleep(`wait-${index}`, pause);
      const state = await step.run(`look-${index}`, () => confirmUpload(event.data.mediaFileId));
      if (state !== 'missing') return { state };
    }
    return { state: 'missing' };
  },
);

/** Deletes uploads that nobody claimed within a day, and files that were replaced or removed. */
export const sweepMedia = inngest.createFunction(
  { id: 'sweep-media', triggers: [cron('23 * * * *')] },
  async ({ step }) => {
    const expired = await step.run('find', () => expiredMedia(200));
    for (const id of expired) await step.run(`remove-${id}`, () => removeExpired(id));
    return { removed: expired.length };
  },
);
