'use client';

import { useRef, useState } from 'react';
import type { Entrant } from '@/components/organizer/queries';
import { useTRPCClient } from '@/trpc/client';
import { readError } from '@/trpc/errors';

export type BulkState = {
  total: number;
  done: number;
  refused: { name: string; message: string; reason: string }[];
  running: boolean;
};

/** Calls that travel in one request. */
const together = 10;

/** Checks entrants in, a few at a time, and counts; a refusal of one does not stop the others. */
export function useBulkCheckIn(tournamentId: string, onSettled: (checkedIn: Entrant[]) => void) {
  const client = useTRPCClient();
  const [state, setState] = useState<BulkState | null>(null);
  const stopped = useRef(false);

  async function run(entrants: Entrant[]) {
    stopped.current = false;
    const refused: BulkState['refused'] = [];
    const checkedIn: Entrant[] = [];
    const tell = (running: boolean) =>
      setState({ total: entrants.length, done: checkedIn.length, refused: [...refused], running });
    tell(true);
    for (let from = 0; from < entrants.length && !stopped.current; from += together) {
      const few = entrants.slice(from, from + together);
      const answers = await Promise.allSettled(
        few.map(({ id }) => client.participants.checkIn.mutate({ tournamentId, participantId: id })),
      );
      for (const [index, answer] of answers.entries()) {
        const entrant = few[index];
        if (!entrant) continue;
        if (answer.status === 'fulfilled') checkedIn.push(entrant);
        else {
          const { message, reason } = readError(answer.reason);
          refused.push({ name: entrant.name, message, reason });
        }
      }
      tell(true);
    }
    tell(false);
    onSettled(checkedIn);
    return { checkedIn, refused };
  }

  return {
    state,
    run,
    stop: () => {
      stopped.current = true;
    },
    clear: () => setState(null),
  };
}
