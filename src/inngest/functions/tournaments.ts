import { justAfter } from '@/inngest/just-after';
import { changeInTurn, inTurns } from '@/inngest/turns';
import { systemActor } from '@/server/events/emit';
import { inngest } from '@/server/jobs/client';
import { tournamentScheduled } from '@/server/jobs/events';
import { emitRegistrationChange } from '@/server/routers/tournaments/data-schedule';

const systemOrigin = { actor: systemActor, requestId: null };

/** Registration opens once and closes once, and a change of the times starts a new run, so a run never needs more. */
const maxTurns = 6;

/**
 * Emits the events that registration opened or closed, at the set times. A newer schedule cancels the run of an older
 * one.
 */
export const emitRegistrationChanges = inngest.createFunction(
  {
    id: 'emit-registration-changes',
    triggers: [tournamentScheduled],
    cancelOn: [{ event: tournamentScheduled, match: 'data.tournamentId' }],
    concurrency: inTurns,
  },
  async ({ event, step }) => {
    const { tournamentId, projectId } = event.data;
    const emit = () => changeInTurn(projectId, () => emitRegistrationChange(tournamentId, systemOrigin));
    for (let turn = 0; turn < maxTurns; turn += 1) {
      const next = await step.run(`emit-${turn}`, emit);
      if (next === null) break;
      await step.sleepUntil(`turn-${turn}`, justAfter(next));
    }
  },
);
