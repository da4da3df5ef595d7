import { newId } from '@/domain/ids';
import { teamInvitationLifetime } from '@/domain/teams/invitations';
import { afterCommit, type Tx } from '@/server/db';
import { sendAfterCommit } from '@/server/jobs/client';
import { placesDisowned } from '@/server/jobs/events';
import { renewRates } from '@/server/limits/take-quota';
import { endSessions } from '@/server/routers/auth/data';
import { expiryAfter } from '@/server/routers/auth/rules';

/**
 * Gives an unconfirmed account to the owner of its address. Whoever created it may be a stranger: all their ways in end, and
 * the owner is asked again about what they agreed to, because it lets others send emails. Settings and rates are as in a new
 * account. The row must be locked for it before anything else locks it.
 * @param name of the owner; left out: unknown, and the account keeps its name
 * @returns the new session version
 */
export async function takeOver(tx: Tx, userId: string, name?: string): Promise<number> {
  await tx.user.update({
    where: { id: userId },
    data: { name, timezone: null, emailNotifications: true },
    select: { id: true },
  });
  const data = { acceptedAt: null };
  await tx.participant.updateMany({ where: { userId, acceptedAt: { not: null } }, data });
  await tx.rosterMember.updateMany({ where: { userId, acceptedAt: { not: null } }, data });
  await disownChanges(tx, userId);
  await leaveTeams(tx, userId);
  await renewRates(tx, userId, await findPlaying(tx, userId));
  await tx.$executeRaw`UPDATE "user" SET "takenOverAt" = clock_timestamp() WHERE "id" = ${userId}`;
  return endSessions(tx, userId, { accessTokens: true });
}

/**
 * Has a user who was substituted count as never having agreed to it. They are no longer there to be asked again, so what they had
 * played is taken from them: by a function, because that needs the locks of the tournaments, for which nobody who holds the user's waits.
 */
async function disownChanges(tx: Tx, userId: string): Promise<void> {
  const count = await tx.$executeRaw`
    UPDATE "roster_change" SET "outAccepted" = false, "disownedAt" = clock_timestamp()
    WHERE "outUserId" = ${userId} AND "outAccepted"`;
  if (count > 0) afterCommit(tx, () => void sendAfterCommit(placesDisowned.create({ userId })));
}

/** The tournaments that a user is registered for, and the matches that they play in. */
async function findPlaying(tx: Tx, userId: string): Promise<{ tournamentIds: string[]; matchIds: string[] }> {
  const [row] = await tx.$queryRaw<{ tournamentIds: string[]; matchIds: string[] }[]>`
    WITH own AS (
      SELECT "id", "tournamentId" FROM "participant" WHERE "userId" = ${userId}
      UNION SELECT "participantId", "tournamentId" FROM "roster_member" WHERE "userId" = ${userId})
    SELECT ARRAY(SELECT DISTINCT "tournamentId" FROM own) AS "tournamentIds", ARRAY(
      SELECT m."id" FROM own JOIN "match" m ON m."participantAId" = own."id"
      UNION SELECT m."id" FROM own JOIN "match" m ON m."participantBId" = own."id") AS "matchIds"`;
  return row ?? { tournamentIds: [], matchIds: [] };
}

/**
 * Asks a user again about their teams, whose members count as having agreed to its rosters. A stranger may have been given teams to
 * lead, too: they go to the next member, and those without any are disbanded, because a team always has a captain.
 */
async function leaveTeams(tx: Tx, userId: string): Promise<void> {
  await tx.$queryRaw`
    SELECT 1 FROM "team" WHERE "id" IN (SELECT "teamId" FROM "team_member" WHERE "userId" = ${userId})
    ORDER BY "id" FOR NO KEY UPDATE`;
  const others = { userId: { not: userId } };
  const memberships = await tx.teamMember.findMany({
    where: { userId },
    select: {
      teamId: true,
      role: true,
      team: {
        // The captain, if it is another.
        select: {
          members: { where: others, orderBy: [{ role: 'asc' }, { createdAt: 'asc' }], select: { userId: true } },
        },
      },
    },
  });
  const left = memberships.flatMap(({ teamId, role, team: { members } }) =>
    members.slice(0, 1).map((captain) => ({ teamId, role, captainId: captain.userId })),
  );
  await tx.team.updateMany({
    where: { disbandedAt: null, members: { some: { userId }, none: others } },
    data: { disbandedAt: new Date(), version: { increment: 1 } },
  });
  await tx.teamMember.deleteMany({ where: { userId, team: { members: { some: others } } } });
  const led = left.filter(({ role }) => role === 'captain');
  await tx.$executeRaw`
    UPDATE "team_member" m SET "role" = 'captain'
    FROM unnest(${led.map(({ teamId }) => teamId)}::text[], ${led.map(({ captainId }) => captainId)}::text[]) n("teamId", "userId")
    WHERE m."teamId" = n."teamId" AND m."userId" = n."userId"`;
  const expiresAt = expiryAfter(teamInvitationLifetime);
  await tx.teamInvitation.createMany({
    data: left.map(({ teamId, role, captainId }) => ({
      ...{ id: newId('tiv'), teamId, userId, role: role === 'captain' ? ('player' as const) : role },
      ...{ invitedById: captainId, expiresAt },
    })),
    skipDuplicates: true,
  });
}
