import type { EventPayload } from '@/server/events/catalog/catalog';
import type { NewEvent } from '@/server/events/emit';
import type { MatchRow } from './data-bracket';

type MatchEvent = Extract<NewEvent, { type: `match.${string}` }>;
type Common = EventPayload<'match.created'>;

/** What a match event is about. */
export type MatchSubject = { projectId: string; row: MatchRow; stage: string };

/** An event about a match; `more` is what the type carries beyond what all of them do. */
export function matchEvent<Type extends MatchEvent['type']>(
  type: Type,
  { projectId, row, stage }: MatchSubject,
  more: Omit<EventPayload<Type>, keyof Common>,
): NewEvent {
  const slot = (participantId: string | null, { seed, score, result }: MatchRow['slotA']) => {
    return { participantId, seed, score, result };
  };
  const common: Common = {
    tournamentId: row.tournamentId,
    matchId: row.id,
    stage,
    round: row.round,
    number: row.number,
    bracket: row.bracket,
    status: row.status,
    bestOf: row.bestOf,
    slots: [slot(row.participantAId, row.slotA), slot(row.participantBId, row.slotB)],
    scheduledAt: row.scheduledAt,
    winnerId: row.winnerId,
  };
  return { type, projectId, aggregateId: row.id, payload: { ...common, ...more } } as unknown as MatchEvent;
}
