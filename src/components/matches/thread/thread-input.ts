import type { Inputs } from '@/trpc/outputs';

/** The query for one page of a thread, 1 being the newest; server and browser ask with the same. */
export function threadInput(matchId: string, page: number): Inputs['matches']['listMessages'] {
  return { matchId, page, limit: 50 };
}
