import type { Inputs } from '@/trpc/outputs';

/** The query for all matches of a participant; server and browser ask with the same. */
export function ownMatchesInput(tournamentId: string, participantId: string): Inputs['matches']['list'] {
  return { tournamentId, participantId, page: 1, limit: 100 };
}
