import { minute } from '@/domain/time/durations';
import { db } from '@/server/db';
import { queueEmailsOnce } from '@/server/email/outbox';
import { rosterNoticeEmail } from '@/server/email/participant-emails';
import { admitStrangerEmails } from '@/server/limits/stranger-emails';
import { askedByPlayer, readRecipients, wantsEmail } from '@/server/routers/participants/data-recipients';

/** A player who was put on a roster, or registered, by someone else; null: nobody knows by whom. */
type Named = { userId: string; tournamentId: string; projectId: string | null; namedById: string | null };

/** The players who are no strangers to a project: its members, and who registered with it themselves. */
async function knownPlayers(projectIds: string[], userIds: string[]): Promise<Set<string>> {
  const rows = await db.$queryRaw<{ key: string }[]>`
    SELECT m."projectId" || ' ' || m."userId" AS key FROM "member" m
    WHERE m."projectId" = ANY(${projectIds}) AND m."userId" = ANY(${userIds})
    UNION SELECT t."projectId" || ' ' || p."userId" FROM "participant" p JOIN "tournament" t ON t."id" = p."tournamentId"
    WHERE p."userId" = ANY(${userIds}) AND p."acceptedAt" IS NOT NULL AND t."projectId" = ANY(${projectIds})
    UNION SELECT t."projectId" || ' ' || r."userId" FROM "roster_member" r JOIN "tournament" t ON t."id" = r."tournamentId"
    WHERE r."userId" = ANY(${userIds}) AND r."acceptedAt" IS NOT NULL AND t."projectId" = ANY(${projectIds})`;
  return new Set(rows.map(({ key }) => key));
}

/** What is known of notices, so that further events about a roster ask the database nothing: they were written or refused. */
const decided = new Map<string, number>();
/** What was refused may be written after that, if something else happens to the participant. */
const decidedMs = 10 * minute;
const maxDecided = 50_000;

const isDecided = (notice: string) => performance.now() - (decided.get(notice) ?? Number.NEGATIVE_INFINITY) < decidedMs;
function decide(notice: string): void {
  if (decided.size >= maxDecided) decided.clear();
  decided.set(notice, performance.now());
}

/** Notices that are queued in one transaction, which keeps the counts of accounts and mailboxes until it ends. */
const noticesAtATime = 50;

type Notice = { name: string; causes: string[]; email: Parameters<typeof queueEmailsOnce>[1][number] };

async function writeNotices(notices: Notice[]): Promise<void> {
  await db.$transaction(async (tx) => {
    const admitted = await admitStrangerEmails(
      tx,
      notices.map(({ causes }) => causes),
    );
    await queueEmailsOnce(
      tx,
      notices.flatMap(({ email }, index) => (admitted[index] ? [email] : [])),
    );
  });
  for (const { name } of notices) decide(name);
}

/**
 * Queues the fixed notice to players who were named and have not accepted: one for each player and tournament, whatever
 * happens to the registration. Captains with an unconfirmed address send nothing, and notices over the quota of emails to
 * strangers are not sent either; the app shows the player the roster anyway.
 */
export async function queueRosterNotices(named: Named[]): Promise<void> {
  const keyOf = ({ tournamentId, userId }: Named) => `roster_notice:${tournamentId}:${userId}`;
  const nameOf = (one: Named) => `${keyOf(one)} ${one.namedById}`;
  const open = named.filter((one) => !isDecided(nameOf(one)));
  if (open.length === 0) return;
  const byKey = new Map(open.map((one) => [keyOf(one), one]));
  const sent = await db.outgoingMail.findMany({
    where: { dedupeKey: { in: [...byKey.keys()] } },
    select: { dedupeKey: true },
  });
  for (const { dedupeKey } of sent) {
    const one = byKey.get(dedupeKey ?? '');
    if (one) decide(nameOf(one));
    byKey.delete(dedupeKey ?? '');
  }
  if (byKey.size === 0) return;
  const ids = [...byKey.values()].flatMap(({ userId, namedById }) =>
    namedById === null ? [userId] : [userId, namedById],
  );
  const people = await readRecipients(ids);
  const projectIds = [...byKey.values()].flatMap(({ projectId }) => projectId ?? []);
  const known = await knownPlayers(projectIds, [...people.keys()]);
  const members = await db.member.findMany({
    where: { projectId: { in: projectIds }, userId: { in: [...people.keys()] } },
    select: { projectId: true, userId: true },
  });
  const staff = new Set(members.map((member) => `${member.projectId} ${member.userId}`));
  const isUnconfirmed = (id: string | null) => id !== null && people.get(id)?.emailVerifiedAt === null;
  const notices: Notice[] = [];
  // Always in the same order: of two processes that write about the same roster, one waits for the other.
  for (const [dedupeKey, one] of [...byKey].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { userId, projectId, namedById } = one;
    const user = people.get(userId);
    if (!user || !wantsEmail(user) || isUnconfirmed(namedById)) continue;
    // What players cause does not count for the project: three of them could keep its staff from inviting anybody.
    const byPlayer = namedById !== null && !staff.has(`${projectId} ${namedById}`);
    const causedBy = byPlayer ? [namedById] : [namedById, projectId];
    const causes = known.has(`${projectId} ${userId}`) ? [] : causedBy.filter((id) => id !== null);
    const askedBy = byPlayer ? askedByPlayer(people.get(namedById)) : '';
    const email = { to: user.email, kind: 'roster_notice', email: rosterNoticeEmail(userId), dedupeKey };
    notices.push({ name: nameOf(one), causes, email: { ...email, sourceId: projectId ?? '', askedBy } });
  }
  for (let at = 0; at < notices.length; at += noticesAtATime) {
    await writeNotices(notices.slice(at, at + noticesAtATime));
  }
}
