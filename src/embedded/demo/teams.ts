import { db } from '@/server/db';
import { type DemoTeam, demoTeams } from './content';
import { as, type Cast, playerOf } from './people';

/** The team with that name and captain, created unless an earlier seeding did. */
async function teamOf({ name, tag, captain }: DemoTeam, cast: Cast): Promise<string> {
  const { id: userId } = playerOf(cast, captain);
  const found = await db.team.findFirst({
    where: { name, disbandedAt: null, members: { some: { userId, role: 'captain' } } },
    select: { id: true },
  });
  return found?.id ?? (await as(playerOf(cast, captain)).teams.create({ name, tag })).id;
}

async function seedTeam(content: DemoTeam, cast: Cast): Promise<string> {
  const teamId = await teamOf(content, cast);
  const captain = as(playerOf(cast, content.captain)).teams;
  const members = await db.teamMember.findMany({ where: { teamId }, select: { userId: true } });
  const isIn = (number: number) => members.some(({ userId }) => userId === playerOf(cast, number).id);
  for (const role of ['player', 'substitute'] as const) {
    const missing = (content[`${role}s`] ?? []).filter((number) => !isIn(number));
    if (missing.length === 0) continue;
    // By link, because the demo's players have no inbox.
    const { id: invitationId, url } = await captain.members.invite({ teamId, role });
    const token = url?.split('/').at(-1);
    for (const number of missing) await as(playerOf(cast, number)).teams.invitations.accept({ token });
    await captain.invitations.revoke({ teamId, invitationId });
  }
  for (const number of content.invites ?? []) {
    const { id: userId } = playerOf(cast, number);
    const waiting = await db.teamInvitation.count({
      where: { teamId, userId, acceptedAt: null, declinedAt: null, revokedAt: null, expiresAt: { gt: new Date() } },
    });
    if (waiting === 0 && !isIn(number)) await captain.members.invite({ teamId, userId, role: 'substitute' });
  }
  return teamId;
}

/** Creates the demo's teams with their members and open invitations. @returns ids by name */
export async function seedTeams(cast: Cast): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const content of demoTeams) ids.set(content.name, await seedTeam(content, cast));
  return ids;
}
