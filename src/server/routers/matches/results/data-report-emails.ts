import { second } from '@/domain/time/durations';
import { db, type Tx } from '@/server/db';
import { reportEmail } from '@/server/email/match-emails';
import { queueEmailsOnce } from '@/server/email/outbox';
import type { StoredReport } from '@/server/routers/matches/data-bracket';
import {
  askedByPlayer,
  isReachable,
  type Recipients,
  readPlayers,
  readRecipients,
  wantsEmail,
} from '@/server/routers/participants/data-recipients';

/**
 * Emails to a player about a report, until staff take it off or the match is decided. Further changes share the last one, so that several
 * at once still cause one: from then on, silence confirms nothing. Nor does it confirm a further report against the same side after
 * staff took reports off: those who play and moderate could otherwise keep their opponent from hearing of other matches in time.
 */
export const maxReportEmails = 3;

/** How many results of a match have been reported against a side, also those that staff have removed or taken back since. */
export function countReportsAgainst(tx: Tx, matchId: string, side: string): Promise<number> {
  return tx.matchMessage.count({
    where: { matchId, kind: 'report', participantIds: { has: side }, participantId: { not: side } },
  });
}

/** What keeps an email about a report from being queued twice. */
function dedupeKeyOf(matchId: string, { firstReportedAt, changes = 0 }: StoredReport, userId: string): string {
  return `report:${matchId}:${firstReportedAt}:${Math.min(changes + 1, maxReportEmails)}:${userId}`;
}

/** The people who play for a side and have agreed to. */
export async function readSide(tx: Tx, participantId: string | null): Promise<Recipients> {
  const players = await readPlayers(tx, [participantId]);
  return readRecipients(
    players.map(({ userId }) => userId),
    tx,
  );
}

/** So many attempts take half an hour. Then staff decide: a player could have their own mail server refuse an email for half a day. */
const maxAttemptsAwaited = 6;

/** An email that a mail server takes within this time of the report counts as one that was sent at once. */
const promptMs = 10 * second;

/**
 * Whether silence may confirm a report, and from when it counts: emails can reach somebody on the other side, even if they have turned
 * them off, and not all that were queued have failed, were dropped or were left to a digest, as where somebody has used up what their
 * addresses get at once, or have been refused for half an hour. While a mail server has taken none of the others, nobody can know of
 * the report.
 * @returns when a mail server took the first email, in milliseconds; 0: at once, or nobody wants one; Infinity: not yet; null: silence
 * does not confirm it
 */
export async function silenceCountsFrom(
  tx: Tx,
  matchId: string,
  report: StoredReport,
  side: Recipients,
): Promise<number | null> {
  const reachable = [...side.values()].filter(isReachable);
  if (reachable.length === 0) return null;
  const keys = reachable.map(({ id }) => dedupeKeyOf(matchId, report, id));
  const emails = await tx.outgoingMail.findMany({
    where: { dedupeKey: { in: keys } },
    select: { foldedAt: true, failedAt: true, sentAt: true, attempts: true },
  });
  // Who came by a substitution after the report, or wants emails only since then, was never sent one.
  if (emails.length === 0) return reachable.some(wantsEmail) ? null : 0;
  const own = emails.filter(
    ({ foldedAt, failedAt, sentAt, attempts }) =>
      foldedAt === null && failedAt === null && (sentAt !== null || attempts < maxAttemptsAwaited),
  );
  if (own.length === 0) return null;
  const first = Math.min(...own.map(({ sentAt }) => sentAt?.getTime() ?? Number.POSITIVE_INFINITY));
  return first - Date.parse(report.reportedAt) <= promptMs ? 0 : first;
}

/**
 * Queues the emails about a reported result to the side that has not reported: silence confirms it, and may do so while they
 * still play. One for each player and report, so that none is swapped unseen.
 * While silence confirms, they count as what the recipient causes, by registering: what strangers send must not delay them then.
 * @returns whether silence may confirm it: the other side may be a guest, or out of reach
 */
export async function queueReportEmails(matchId: string): Promise<boolean> {
  const match = await db.match.findUnique({
    where: { id: matchId },
    select: {
      ...{ number: true, participantAId: true, participantBId: true, status: true, report: true, confirmBy: true },
      draw: { select: { tournament: { select: { projectId: true, slug: true, name: true, timezone: true } } } },
    },
  });
  if (!match?.report || match.status === 'disputed') return true;
  const { number, participantAId, participantBId, confirmBy } = match;
  const report = match.report as unknown as StoredReport;
  const { by, changes = 0 } = report;
  const other = participantAId === by ? participantBId : participantAId;
  const [side, reporter, player] = await Promise.all([
    readSide(db, other),
    db.participant.findUnique({ where: { id: by }, select: { name: true } }),
    db.user.findUnique({ where: { id: report.userId ?? '' }, select: { createdFrom: true } }),
  ]);
  const askedBy = askedByPlayer(player);
  const { tournament } = match.draw;
  const emails = [...side.values()].filter(wantsEmail).map((user) => {
    const opponent = reporter?.name ?? 'your opponent';
    const reported = { number, opponent, isChange: changes > 0, confirmBy: confirmBy?.toISOString() ?? null };
    const email = reportEmail(user, { ...tournament, ...reported });
    const asked = confirmBy !== null;
    const dedupeKey = dedupeKeyOf(matchId, report, user.id);
    const content = { to: user.email, kind: 'match.report', email, dedupeKey };
    return { ...content, asked, sourceId: tournament.projectId, askedBy };
  });
  return db.$transaction(async (tx) => {
    if (emails.length > 0) await queueEmailsOnce(tx, emails);
    return (await silenceCountsFrom(tx, matchId, report, side)) !== null;
  });
}
