import { cron } from 'inngest';
import { askInTurn, inTurns } from '@/inngest/turns';
import { inngest } from '@/server/jobs/client';
import { mediaUploadGranted } from '@/server/jobs/events';
import { checkUpload, removeAllExpired, uploadChecksMs } from '@/server/storage/media';

/** Marks an upload as ready once it has arrived, for clients that never report it. */
export const confirmUploads = inngest.createFunction(
  { id: 'confirm-uploads', triggers: [mediaUploadGranted], concurrency: inTurns },
  async ({ event, step }) => {
    const { mediaFileId, projectId } = event.data;
    for (const [index, delay] of uploadChecksMs.entries()) {
      await step.sleep(`wait-${index}`, delay);
      const next = uploadChecksMs[index + 1] ?? null;
      const check = () => askInTurn('store', projectId, () => checkUpload(mediaFileId, next));
      const state = await step.run(`check-${index}`, check);
      if (state !== 'missing') return { state };
    }
    return { state: 'missing' };
  },
);

/** Calls of a few seconds each that one run makes at most. */
const maxSweeps = 500;

/** Deletes uploads that were not used within a day, files that were replaced or removed, and evidence after its time. */
export const deleteExpiredMedia = inngest.createFunction(
  { id: 'delete-expired-media', concurrency: 1, triggers: [cron('23 * * * *')] },
  async ({ step }) => {
    let total = 0;
    for (let call = 1; call <= maxSweeps; call += 1) {
      const { deleted, more } = await step.run(`delete-${call}`, removeAllExpired);
      total += deleted;
      if (!more) break;
    }
    return { deleted: total };
  },
);
