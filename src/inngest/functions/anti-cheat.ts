import { cron } from 'inngest';
import { inngest } from '@/server/jobs/client';
import { antiCheatReplayRequested } from '@/server/jobs/events';
import { evaluateAll } from '@/server/routers/anticheat/data-evaluation';
import { deleteOldReports } from '@/server/routers/anticheat/data-reports';
import { endForgottenSessions, findRunningSessions } from '@/server/routers/anticheat/data-sessions';
import { continueReplay, failReplay } from '@/server/routers/anticheat/tuning/data-replay';

/** Evaluations in a minute, evenly spread. */
const rounds = 6;

/** Applies the rules to every running session, several times a minute. Ends sessions that nobody ended. */
export const evaluateSessions = inngest.createFunction(
  { id: 'evaluate-anti-cheat-sessions', triggers: [cron('* * * * *')] },
  async ({ step }) => {
    const ended = await step.run('end-forgotten', () => endForgottenSessions(100));
    for (let round = 1; round <= rounds; round += 1) {
      const raised = await step.run(`evaluate-${round}`, async () => {
        const sessions = await findRunningSessions(1_000);
        return sessions.length === 0 ? null : evaluateAll(sessions);
      });
      if (raised === null) break;
      if (round < rounds) await step.sleep(`pause-${round}`, '9s');
    }
    return { ended };
  },
);

/** Deletes reports after their time. */
export const deleteReports = inngest.createFunction(
  { id: 'delete-anti-cheat-reports', triggers: [cron('41 * * * *')] },
  async ({ step }) => ({ deleted: await step.run('delete', deleteOldReports) }),
);

/** Steps of one replay; each works for seconds, and its reports are limited. */
const maxSlices = 500;

/** Applies rules again to stored reports, a few seconds at a time. */
export const replayRules = inngest.createFunction(
  {
    id: 'replay-anti-cheat-rules',
    retries: 3,
    triggers: [antiCheatReplayRequested],
    concurrency: { limit: 2 },
    onFailure: async ({ event, step }) => {
      await step.run('fail', () => failReplay(event.data.event.data.replayId));
    },
  },
  async ({ event, step }) => {
    for (let slice = 1; slice <= maxSlices; slice += 1) {
      if (await step.run(`slice-${slice}`, () => continueReplay(event.data.replayId))) return;
    }
    await step.run('give-up', () => failReplay(event.data.replayId));
  },
);
