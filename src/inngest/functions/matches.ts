import { cron } from 'inngest';
import { justAfter } from '@/inngest/just-after';
import { systemActor } from '@/server/events/emit';
import { inngest } from '@/server/jobs/client';
import { matchReported, tournamentScheduled } from '@/server/jobs/events';
import { autoStartOf, findDueStarts, startBySchedule } from '@/server/routers/matches/draw/data-auto-start';
import { confirmSilently, findSilentConfirmations } from '@/server/routers/matches/results/data-results';

const bySchedule = { actor: systemActor, requestId: null };

/** Confirms a reported result when nobody has answered in time. A newer report replaces the run of an older one. */
export const confirmReport = inngest.createFunction(
  {
    id: 'confirm-reported-result',
    triggers: [matchReported],
    cancelOn: [{ event: matchReported, match: 'data.matchId' }],
  },
  async ({ event, step }) => {
    const { matchId, confirmBy } = event.data;
    await step.sleepUntil('answer', justAfter(confirmBy));
    return { confirmed: await step.run('confirm', () => confirmSilently(matchId, bySchedule)) };
  },
);

/** Starts a tournament at its start date where the organizer chose that. A new schedule replaces the run of an older one. */
export const autoStart = inngest.createFunction(
  {
    id: 'start-tournament-by-schedule',
    triggers: [tournamentScheduled],
    cancelOn: [{ event: tournamentScheduled, match: 'data.tournamentId' }],
  },
  async ({ event, step }) => {
    const { tournamentId } = event.data;
    const startsAt = await step.run('read', () => autoStartOf(tournamentId));
    if (startsAt === null) return { started: false };
    await step.sleepUntil('start-date', justAfter(startsAt));
    return { started: await step.run('start', () => startBySchedule(tournamentId, bySchedule)) };
  },
);

/** Does what no run did, because its event was not stored or everything was down at the time. */
export const sweepMatches = inngest.createFunction(
  { id: 'sweep-matches', triggers: [cron('* * * * *')] },
  async ({ step }) => {
    const starts = await step.run('find-starts', () => findDueStarts(100));
    for (const id of starts) await step.run(`start-${id}`, () => startBySchedule(id, bySchedule));
    const reports = await step.run('find-reports', () => findSilentConfirmations(500));
    for (const id of reports) await step.run(`confirm-${id}`, () => confirmSilently(id, bySchedule));
    return { starts: starts.length, reports: reports.length };
  },
);
