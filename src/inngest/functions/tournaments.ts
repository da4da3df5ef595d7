import { cron } from 'inngest';
import { systemActor } from '@/server/events/emit';
import { inngest } from '@/server/jobs/client';
import { tournamentScheduled } from '@/server/jobs/events';
import { emitRegistrationChange, findRegistrationChanges } from '@/server/routers/tournaments/data-schedule';

const bySchedule = { actor: systemActor, requestId: null };

/** A window opens once and closes once; by-hand changes start a new run, so this is far more than can happen. */
const mostTurns = 6;

/** Announces that registration opens and closes, at the set times. A newer schedule takes the place of an older one. */
export const followSchedule = inngest.createFunction(
  {
    id: 'follow-tournament-schedule',
    triggers: [tournamentScheduled],
    cancelOn: [{ event: tournamentScheduled, match: 'data.tournamentId' }],
  },
  async ({ event, step }) => {
    const { tournamentId } = event.data;
    for (let turn = 0; turn < mostTurns; turn += 1) {
      const next = await step.run(`announce-${turn}`, () => emitRegistrationChange(tournamentId, bySchedule));
      if (next === null) break;
      await step.sleepUntil(`turn-${turn}`, next);
    }
  },
);

/** Announces what no run announced: the event was not stored, or everything was down at the time. */
export const sweepSchedules = inngest.createFunction(
  { id: 'sweep-tournament-schedules', triggers: [cron('* * * * *')] },
  async ({ step }) => {
    const due = await step.run('find', () => findRegistrationChanges(500));
    for (const tournamentId of due) {
      await step.run(`announce-${tournamentId}`, () => emitRegistrationChange(tournamentId, bySchedule));
    }
    return { announced: due.length };
  },
);
