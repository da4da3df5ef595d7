import type { Inputs, Outputs } from '@/trpc/outputs';

/** The query for a page of the matches of a participant; server and browser ask for the first with the same. */
export function ownMatchesInput(tournamentId: string, participantId: string, page = 1): Inputs['matches']['list'] {
  return { tournamentId, participantId, page, limit: 100 };
}

type Registration = Outputs['participants']['myRegistrationSummaries']['items'][number];

/** Whether a registration may have a next match. */
export function isPlaying({ registrationStatus, status, tournament }: Registration): boolean {
  return registrationStatus === 'approved' && status === 'active' && tournament.status === 'IN_PROGRESS';
}
