import { cron, RetryAfterError, StepError } from 'inngest';
import { askInTurn, inTurns } from '@/inngest/turns';
import { inngest } from '@/server/jobs/client';
import { antiCheatReplayRequested, verdictDue } from '@/server/jobs/events';
import { deleteOldReports, deleteUnreadReports } from '@/server/routers/anticheat/data-reports';
import { evaluationRounds, findOpenSessions } from '@/server/routers/anticheat/data-rounds';
import { endForgottenSessions } from '@/server/routers/anticheat/data-sessions';
import { continueReplay, failReplay } from '@/server/routers/anticheat/tuning/data-replay';
import { askForVerdict, giveUpVerdict, takeDueVerdicts } from '@/server/routers/anticheat/verdicts/data';

/** Evaluations in a minute, evenly spread. */
const rounds = 6;
const everyMs = 10_000;
/** Milliseconds without evaluation after a round that takes longer. */
const leastPauseMs = 1_000;
/** Verdicts asked for after each. */
const maxVerdicts = 200;

/**
 * Applies the rules to every session that runs or has something left to evaluate, several times a minute, and has verdicts
 * asked for. One round at a time: those that take longer would be side by side, more and more.
 */
export const evaluateSessions = inngest.createFunction(
  { id: 'evaluate-anti-cheat-sessions', concurrency: 1, triggers: [cron('* * * * *')] },
  async ({ step }) => {
    for (let round = 1; round <= rounds; round += 1) {
      const { open, due, tookMs } = await step.run(`evaluate-${round}`, async () => {
        const sessions = await findOpenSessions(1_000);
        const began = performance.now();
        await evaluationRounds.run(sessions);
        const tookMs = performance.now() - began;
        return { open: sessions.length, due: await takeDueVerdicts(maxVerdicts), tookMs };
      });
      if (due.length > 0) {
        await step.sendEvent(
          `ask-${round}`,
          due.map((one) => verdictDue.create(one)),
        );
      }
      if (open === 0) break;
      if (round < rounds) await step.sleep(`pause-${round}`, Math.max(leastPauseMs, everyMs - tookMs));
    }
  },
);

/** Sessions that a step ends at most, milliseconds after which it ends no further one, and steps of a run: a minute in all. */
const forgotten = { limit: 200, budgetMs: 2_000, steps: 25 };

/** Ends sessions that nobody ended. */
export const endForgotten = inngest.createFunction(
  { id: 'end-forgotten-anti-cheat-sessions', concurrency: 1, triggers: [cron('* * * * *')] },
  async ({ step }) => {
    let total = 0;
    for (let call = 1; call <= forgotten.steps; call += 1) {
      const ended = await step.run(`end-${call}`, () => endForgottenSessions(forgotten.limit, forgotten.budgetMs));
      total += ended;
      if (ended === 0) break;
    }
    return { ended: total };
  },
);

/** Asks the verdict provider about a detection. */
export const askForVerdicts = inngest.createFunction(
  {
    id: 'ask-for-anti-cheat-verdict',
    retries: 4,
    triggers: [verdictDue],
    concurrency: inTurns,
  },
  async ({ event, step }) => {
    const { detectionId, projectId } = event.data;
    try {
      return await step.run('ask', async () => {
        const result = await askInTurn('provider', projectId, () => askForVerdict(detectionId));
        if (result.state !== 'unreachable') return result.state;
        if (result.retryAfterMs > 0) throw new RetryAfterError(result.reason, result.retryAfterMs);
        throw new Error(result.reason);
      });
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      await step.run('give-up', () => giveUpVerdict(detectionId));
      return 'unreachable';
    }
  },
);

/** Calls of a few seconds each that one run makes at most; the next run goes on from the start. */
const maxDeletions = 500;

/** Deletes reports after their time. */
export const deleteReports = inngest.createFunction(
  { id: 'delete-anti-cheat-reports', concurrency: 1, triggers: [cron('41 * * * *')] },
  async ({ step }) => {
    let total = 0;
    let after = '';
    for (let call = 1; call <= maxDeletions; call += 1) {
      const from = after;
      const { deleted, next } = await step.run(`delete-${call}`, () => deleteOldReports(from));
      total += deleted;
      if (next === null) break;
      after = next;
    }
    return { deleted: total };
  },
);

/** Deletes reports that no session reads. */
export const deleteUnread = inngest.createFunction(
  { id: 'delete-unread-anti-cheat-reports', concurrency: 1, triggers: [cron('*/5 * * * *')] },
  async ({ step }) => {
    let total = 0;
    for (let call = 1; call <= maxDeletions; call += 1) {
      const deleted = await step.run(`delete-${call}`, deleteUnreadReports);
      total += deleted;
      if (deleted === 0) break;
    }
    return { deleted: total };
  },
);

/** Steps of one replay; each works for seconds, and its reports are limited. */
const maxSlices = 500;

/** Replays that go on at a time, window by window in turns: of projects created from one block of addresses, and of an account. */
const maxReplaying = { ofTurn: 8, ofAccount: 4 };

/** Applies rules again to stored reports, a few seconds at a time. */
export const replayRules = inngest.createFunction(
  {
    id: 'replay-anti-cheat-rules',
    retries: 3,
    triggers: [antiCheatReplayRequested],
    concurrency: [
      { limit: maxReplaying.ofTurn, key: 'event.data.turn' },
      { limit: maxReplaying.ofAccount, key: 'event.data.userId' },
    ],
  },
  async ({ event, step }) => {
    const { replayId } = event.data;
    try {
      for (let slice = 1; slice <= maxSlices; slice += 1) {
        if (await step.run(`slice-${slice}`, () => continueReplay(replayId))) return;
      }
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
    }
    await step.run('give-up', () => failReplay(replayId));
  },
);
