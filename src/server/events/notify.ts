import type { Tx } from '@/server/db';
import type { EventNotice } from '@/server/events/live';

/** A change that no domain event announces. */
type PlainNotice = Pick<EventNotice, 'aggregateType' | 'aggregateId' | 'tournamentId' | 'projectId'> & {
  type: 'match.updated' | 'match.message';
};

/** Wakes the live pages of every process when the transaction commits, for a change that has no domain event. */
export async function notifyLive(tx: Tx, notice: PlainNotice): Promise<void> {
  const payload = JSON.stringify({ id: '', userId: null, ...notice } satisfies EventNotice);
  await tx.$executeRaw`SELECT pg_notify('laurel_event', ${payload})`;
}
