import type { Tx } from '@/server/db';
import { callEmail } from '@/server/email/match-emails';
import { queueEmailsOnce } from '@/server/email/outbox';
import type { LockedPlay } from '@/server/routers/matches/data-bracket';
import { readPlayers, readRecipients, wantsEmail } from '@/server/routers/participants/data-recipients';

/** Queues the emails that call the players of a match, in the transaction of the call. */
export async function queueCallEmails(tx: Tx, play: LockedPlay, number: number): Promise<void> {
  const row = play.rows.get(number);
  if (!row?.showUpBy) return;
  const { id: matchId, showUpBy, participantAId, participantBId, stationId } = row;
  const players = await readPlayers(tx, [participantAId, participantBId]);
  const people = await readRecipients(
    players.map(({ userId }) => userId),
    tx,
  );
  const tournament = await tx.tournament.findUniqueOrThrow({
    where: { id: play.tournamentId },
    select: { projectId: true, slug: true, name: true, timezone: true },
  });
  const station = play.stations.find(({ id }) => id === stationId)?.name ?? null;
  const emails = players.flatMap(({ participantId, userId }) => {
    const user = people.get(userId);
    if (!user || !wantsEmail(user)) return [];
    const opponentId = participantId === participantAId ? participantBId : participantAId;
    const opponent = play.names[opponentId ?? ''] ?? 'your opponent';
    const email = callEmail(user, { ...tournament, number, opponent, station, showUpBy });
    const dedupeKey = `call:${matchId}:${row.version}:${userId}`;
    return [{ to: user.email, kind: 'match.call', email, dedupeKey, sourceId: tournament.projectId }];
  });
  await queueEmailsOnce(tx, emails);
}
