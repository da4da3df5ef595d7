import { db } from '@/server/db';
import { reportEmail } from '@/server/email/match-emails';
import { queueEmailsOnce } from '@/server/email/outbox';
import type { StoredReport } from '@/server/routers/matches/data-bracket';
import { readPlayers, readRecipients, wantsEmail } from '@/server/routers/participants/data-recipients';

/**
 * Queues the emails about a reported result to the side that has not reported: silence confirms it, and may do so while they
 * still play. One for each player and play of the match, however often the other side changes its report.
 * @returns whether anybody can answer: the other side may be a guest
 */
export async function queueReportEmails(matchId: string): Promise<boolean> {
  const match = await db.match.findUnique({
    where: { id: matchId },
    select: {
      ...{ number: true, participantAId: true, participantBId: true, report: true, confirmBy: true, startedAt: true },
      draw: { select: { tournament: { select: { projectId: true, slug: true, name: true, timezone: true } } } },
    },
  });
  if (!match?.report || !match.confirmBy) return true;
  const { number, participantAId, participantBId, confirmBy, startedAt } = match;
  const { by } = match.report as unknown as StoredReport;
  const other = participantAId === by ? participantBId : participantAId;
  const players = await readPlayers(db, [other]);
  if (players.length === 0) return false;
  const [people, reporter] = await Promise.all([
    readRecipients(players.map(({ userId }) => userId)),
    db.participant.findUnique({ where: { id: by }, select: { name: true } }),
  ]);
  const { tournament } = match.draw;
  const emails = players.flatMap(({ userId }) => {
    const user = people.get(userId);
    if (!user || !wantsEmail(user)) return [];
    const opponent = reporter?.name ?? 'your opponent';
    const email = reportEmail(user, { ...tournament, number, opponent, confirmBy: confirmBy.toISOString() });
    const dedupeKey = `report:${matchId}:${startedAt?.toISOString()}:${userId}`;
    return [{ to: user.email, kind: 'match.report', email, dedupeKey, sourceId: tournament.projectId }];
  });
  if (emails.length > 0) await db.$transaction((tx) => queueEmailsOnce(tx, emails));
  return true;
}
