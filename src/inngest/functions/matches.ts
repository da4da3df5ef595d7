import { justAfter } from '@/inngest/just-after';
import { changeInTurn, inTurns } from '@/inngest/turns';
import { systemActor } from '@/server/events/emit';
import { inngest } from '@/server/jobs/client';
import { matchReported, tournamentScheduled } from '@/server/jobs/events';
import { offloadLarge } from '@/server/routers/matches/data-size';
import { autoStartOf, startBySchedule } from '@/server/routers/matches/draw/data-auto-start';
import { queueReportEmails } from '@/server/routers/matches/results/data-report-emails';
import { confirmSilently } from '@/server/routers/matches/results/data-results';

const bySchedule = { actor: systemActor, requestId: null };
const confirm = offloadLarge('confirm', 'change', ({ matchId }: { matchId: string }) =>
  confirmSilently(matchId, bySchedule),
);
const start = offloadLarge('start', 'change', ({ tournamentId }: { tournamentId: string }) =>
  startBySchedule(tournamentId, bySchedule),
);

/**
 * Asks the other side by email about a reported result, and confirms it when nobody has answered in time; where nobody can, it is
 * left to staff at once, as is what silence does not confirm. A newer report replaces the run of an older one.
 */
export const confirmReport = inngest.createFunction(
  {
    id: 'confirm-reported-result',
    triggers: [matchReported],
    cancelOn: [{ event: matchReported, match: 'data.matchId' }],
    concurrency: inTurns,
  },
  async ({ event, step }) => {
    const { matchId, projectId, confirmBy } = event.data;
    const canAnswer = await step.run('ask', () => queueReportEmails(matchId));
    if (confirmBy === null) return { confirmed: false };
    if (canAnswer) await step.sleepUntil('answer', justAfter(confirmBy));
    const inTurn = () => changeInTurn(projectId, () => confirm({ matchId }), { matchId });
    return { confirmed: await step.run('confirm', inTurn) };
  },
);

/** Starts a tournament at its start date where the organizer chose that. A new schedule replaces the run of an older one. */
export const autoStart = inngest.createFunction(
  {
    id: 'start-tournament-by-schedule',
    triggers: [tournamentScheduled],
    cancelOn: [{ event: tournamentScheduled, match: 'data.tournamentId' }],
    concurrency: inTurns,
  },
  async ({ event, step }) => {
    const { tournamentId, projectId } = event.data;
    const startsAt = await step.run('read', () => autoStartOf(tournamentId));
    if (startsAt === null) return { started: false };
    await step.sleepUntil('start-date', justAfter(startsAt));
    const inTurn = () => changeInTurn(projectId, () => start({ tournamentId }), { tournamentId });
    return { started: await step.run('start', inTurn) };
  },
);
