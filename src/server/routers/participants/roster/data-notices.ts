import { db } from '@/server/db';
import { queueEmailsOnce } from '@/server/email/outbox';
import { rosterNoticeEmail } from '@/server/email/participant-emails';
import { admitStrangerEmails } from '@/server/limits/stranger-emails';
import { readRecipients, wantsEmail } from '@/server/routers/participants/data-recipients';

/** A player who was put on a roster, or registered, by someone else. */
type Named = { userId: string; tournamentId: string; projectId: string | null; actorId: string | null };

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

/**
 * Queues the fixed notice to players who were named and have not accepted: one for each player and tournament, whatever
 * happens to the registration. Captains with an unconfirmed address send nothing, and notices over the quota of emails to
 * strangers are not sent either; the app shows the player the roster anyway.
 */
export async function queueRosterNotices(named: Named[]): Promise<void> {
  if (named.length === 0) return;
  const byKey = new Map(named.map((one) => [`roster_notice:${one.tournamentId}:${one.userId}`, one]));
  const sent = await db.outgoingMail.findMany({
    where: { dedupeKey: { in: [...byKey.keys()] } },
    select: { dedupeKey: true },
  });
  for (const { dedupeKey } of sent) byKey.delete(dedupeKey ?? '');
  const ids = [...byKey.values()].flatMap(({ userId, actorId }) => (actorId === null ? [userId] : [userId, actorId]));
  const people = await readRecipients(ids);
  const projectIds = [...byKey.values()].flatMap(({ projectId }) => projectId ?? []);
  const known = await knownPlayers(projectIds, [...people.keys()]);
  const isUnconfirmed = (id: string | null) => id !== null && people.get(id)?.emailVerifiedAt === null;
  for (const [dedupeKey, { userId, projectId, actorId }] of byKey) {
    const user = people.get(userId);
    if (!user || !wantsEmail(user) || isUnconfirmed(actorId)) continue;
    const causes = known.has(`${projectId} ${userId}`) ? [] : [actorId, projectId].filter((id) => id !== null);
    const email = {
      to: user.email,
      kind: 'roster_notice',
      email: rosterNoticeEmail(userId),
      dedupeKey,
      sourceId: projectId ?? '',
    };
    // Each in a transaction of its own: together, two runs could wait for each other's quotas.
    await db.$transaction(async (tx) => {
      if (await admitStrangerEmails(tx, causes)) await queueEmailsOnce(tx, [email]);
    });
  }
}
