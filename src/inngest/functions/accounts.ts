import { cron } from 'inngest';
import { changeInTurn } from '@/inngest/turns';
import { deleteOldEmails } from '@/server/email/outbox';
import { deleteOldMarks } from '@/server/events/relay';
import { inngest } from '@/server/jobs/client';
import { placesDisowned } from '@/server/jobs/events';
import { logger } from '@/server/logger';
import {
  deleteExpiredTokens,
  deleteOldTeamInvitations,
  deleteUnusedAccounts,
} from '@/server/routers/auth/data-deletions';
import { type Disowned, findDisowned, recountDisowned } from '@/server/routers/matches/stats/data-disowned';

/** Tournaments that one run recounts accounts in. */
const maxRecounts = 200;

/** Has one account lose what it played in a tournament; what fails waits for the next run, and holds up no other. */
async function recountInTurn(disowned: Disowned): Promise<void> {
  try {
    await changeInTurn(disowned.projectId, () => recountDisowned(disowned));
  } catch (err) {
    const { userId, tournamentId } = disowned;
    logger.warn({ err, userId, tournamentId }, 'what a player played before a takeover still counts; will try again');
  }
}

/** Takes what accounts played before their owners took them over from them, where they were substituted before that. */
export const recountTakenOver = inngest.createFunction(
  { id: 'recount-taken-over', triggers: [placesDisowned, cron('* * * * *')] },
  async ({ event, step }) => {
    const userId = event.name === placesDisowned.name ? event.data.userId : null;
    return step.run('recount', async () => {
      const found = await findDisowned(maxRecounts, userId);
      await Promise.all(found.map(recountInTurn));
      return { found: found.length };
    });
  },
);

/** Deletes expired links, tokens and team invitations, accounts that were never used, old emails, and what the relay remembers. */
export const deleteExpired = inngest.createFunction(
  { id: 'delete-expired', triggers: [cron('17 3 * * *')] },
  async ({ step }) => {
    const tokens = await step.run('delete-tokens', () => deleteExpiredTokens());
    const teamInvitations = await step.run('delete-team-invitations', () => deleteOldTeamInvitations());
    const accounts = await step.run('delete-accounts', () => deleteUnusedAccounts());
    const emails = await step.run('delete-emails', () => deleteOldEmails());
    const marks = await step.run('delete-marks', () => deleteOldMarks());
    return { tokens, teamInvitations, accounts, emails, marks };
  },
);
