import type { Inputs, Outputs } from '@/trpc/outputs';

/** The query for all matches of a participant; server and browser ask with the same. */
export function ownMatchesInput(tournamentId: string, participantId: string): Inputs['matches']['list'] {
  return { tournamentId, participantId, page: 1, limit: 100 };
}

type Registration = Outputs['participants']['myRegistrations']['items'][number];

/** Whether a registration may have a next match. */
export function isPlaying({ registrationStatus, status, tournament }: Registration): boolean {
  return registrationStatus === 'approved' && status === 'active' && tournament.status === 'IN_PROGRESS';
}
