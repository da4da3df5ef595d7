import { cron } from 'inngest';
import { systemActor } from '@/server/events/emit';
import { inngest } from '@/server/jobs/client';
import { matchReported } from '@/server/jobs/events';
import { confirmSilently, findSilentConfirmations } from '@/server/routers/matches/data-results';

const bySchedule = { actor: systemActor, requestId: null };

/** Confirms a reported result when nobody has answered in time. A newer report takes the place of an older one. */
export const confirmReports = inngest.createFunction(
  {
    id: 'confirm-reported-result',
    triggers: [matchReported],
    cancelOn: [{ event: matchReported, match: 'data.matchId' }],
  },
  async ({ event, step }) => {
    const { matchId, confirmBy } = event.data;
    await step.sleepUntil('answer', confirmBy);
    return { confirmed: await step.run('confirm', () => confirmSilently(matchId, bySchedule)) };
  },
);

/** Confirms what no run confirmed: the event was not stored, or everything was down at the time. */
export const sweepReports = inngest.createFunction(
  { id: 'sweep-reported-results', triggers: [cron('* * * * *')] },
  async ({ step }) => {
    const due = await step.run('find', () => findSilentConfirmations(500));
    for (const matchId of due) await step.run(`confirm-${matchId}`, () => confirmSilently(matchId, bySchedule));
    return { due: due.length };
  },
);
