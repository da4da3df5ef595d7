import { counted } from '@/domain/text/counted';

/** The allowed size of a roster: `2 to 3 players`. */
export function rosterSizeText({ rosterMin, rosterMax }: { rosterMin: number; rosterMax: number }): string {
  return rosterMin === rosterMax ? counted(rosterMin, 'player') : `${rosterMin} to ${rosterMax} players`;
}
