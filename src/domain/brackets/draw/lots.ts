import type { Bracket, Participant } from '@/domain/brackets/types';

/** What lots are drawn with between the participants of a bracket, in seed order. */
export function lotsOf({ participants }: Bracket): string[] {
  return participants.map(({ participantId, lot = participantId }) => lot);
}

/** Participants in seed order, who draw these lots. */
export function withLots(participantIds: readonly string[], lots: readonly string[]): Participant[] {
  return participantIds.map((participantId, at) => {
    const lot = lots[at] ?? participantId;
    return { participantId, seed: at + 1, ...(lot === participantId ? {} : { lot }) };
  });
}
