import { newId } from '@/domain/ids';
import { teamInvitationLifetime } from '@/domain/teams/invitations';
import type { Tx } from '@/server/db';
import { endSessions } from '@/server/routers/auth/data';
import { expiryAfter } from '@/server/routers/auth/rules';

/**
 * Gives an unconfirmed account to the owner of its address. Whoever created it may be a stranger: all their ways in end, and
 * the owner is asked again about what they agreed to, because it lets others send emails. Settings are as in a new account.
 * The row must be locked.
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
  // The members of a captain's team count as having agreed to its rosters.
  const joined = { userId, role: { not: 'captain' } } as const;
  const memberships = await tx.teamMember.findMany({
    where: joined,
    select: {
      teamId: true,
      role: true,
      team: { select: { members: { where: { role: 'captain' }, select: { userId: true } } } },
    },
  });
  await tx.teamMember.deleteMany({ where: joined });
  const expiresAt = expiryAfter(teamInvitationLifetime);
  await tx.teamInvitation.createMany({
    data: memberships.flatMap(({ teamId, role, team }) =>
      team.members.map((captain) => ({
        ...{ id: newId('tiv'), teamId, userId, role },
        ...{ invitedById: captain.userId, expiresAt },
      })),
    ),
    skipDuplicates: true,
  });
  return endSessions(tx, userId, { accessTokens: true });
}
