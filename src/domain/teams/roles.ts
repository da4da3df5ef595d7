export const teamRoles = ['captain', 'player', 'substitute'] as const;
export type TeamRole = (typeof teamRoles)[number];

/** Roles that someone can be invited to. The captain hands the captaincy over instead. */
export const invitableRoles = ['player', 'substitute'] as const satisfies TeamRole[];
export type InvitableRole = (typeof invitableRoles)[number];

/** What each role is called and does. */
export const teamRoleWords: Record<TeamRole, { name: string; description: string }> = {
  captain: { name: 'Captain', description: 'Manages the team and registers it for tournaments.' },
  player: { name: 'Player', description: 'Plays in the team.' },
  substitute: { name: 'Substitute', description: 'Steps in when a player is missing.' },
};
