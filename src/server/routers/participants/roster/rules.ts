import type { RosterRole } from '@/generated/prisma/enums';
import type { Issue } from '@/server/errors';

export type RosterInput = { userId: string; role: RosterRole }[];

/** The players of a roster who have accounts. */
export function withAccounts<Member extends { userId: string | null }>(
  roster: readonly Member[],
): (Member & { userId: string })[] {
  return roster.filter((member): member is Member & { userId: string } => member.userId !== null);
}

/**
 * What is wrong with a team; empty when nothing is. The captain is the player who registers it.
 * @param guests how many players without an account are on the roster beside those of `teamMembers`
 */
export function rosterIssues(
  team: { teamName?: string; teamMembers?: RosterInput },
  sizes: { rosterMin: number; rosterMax: number },
  captainId: string | null,
  guests = 0,
): Issue[] {
  const issues: Issue[] = [];
  const { teamName, teamMembers: members } = team;
  if (!teamName) issues.push({ path: 'teamName', message: 'A team needs a name.' });
  if (!members) return [...issues, { path: 'teamMembers', message: 'A team needs its roster.' }];
  const { rosterMin, rosterMax } = sizes;
  const size = members.length + guests;
  if (size < rosterMin || size > rosterMax) {
    const wanted = rosterMin === rosterMax ? `${rosterMin}` : `${rosterMin} to ${rosterMax}`;
    const counted = guests === 0 ? '' : `, ${guests} of them without an account`;
    issues.push({ path: 'teamMembers', message: `A roster has ${wanted} players; this one has ${size}${counted}.` });
  }
  const captains = members.filter((member) => member.role === 'captain');
  if (captains.length !== 1 || captains[0]?.userId !== captainId) {
    issues.push({ path: 'teamMembers', message: 'The roster needs one captain: the player who registers it.' });
  }
  const seen = new Set<string>();
  for (const [index, { userId }] of members.entries()) {
    if (seen.has(userId)) issues.push({ path: `teamMembers.${index}.userId`, message: 'This player is listed twice.' });
    seen.add(userId);
  }
  return issues;
}

/** Whether two rosters have the same players in the same roles, in any order. */
export function sameRoster(sent: RosterInput, current: RosterInput): boolean {
  const key = ({ userId, role }: RosterInput[number]) => `${role} ${userId}`;
  const known = new Set(current.map(key));
  return sent.length === current.length && sent.every((member) => known.delete(key(member)));
}

/** Whether a team differs from the players that it had, in any roles; with nothing known of them, it does not. */
export function hasOtherPlayers(sent: RosterInput, before: readonly string[]): boolean {
  return before.length > 0 && (sent.length !== before.length || sent.some(({ userId }) => !before.includes(userId)));
}

/**
 * The player who leaves the roster for a substitute: the one named or, with nobody named, the only one besides the
 * captain.
 */
export function findReplaced<Member extends RosterInput[number]>(
  roster: readonly Member[],
  userId: string | undefined,
): { member: Member; issue?: undefined } | { member: null; issue: Issue } {
  const path = 'replacedUserId';
  if (userId !== undefined) {
    const member = roster.find((one) => one.userId === userId);
    return member ? { member } : { member: null, issue: { path, message: 'This player is not on the roster.' } };
  }
  const players = roster.filter(({ role }) => role === 'player');
  const [member, more] = players.length > 0 ? players : roster.filter(({ role }) => role !== 'captain');
  if (member && !more) return { member };
  return { member: null, issue: { path, message: 'Name the player to replace.' } };
}
