/** Roles in a project, the most powerful first. */
export const projectRoles = ['OWNER', 'ADMIN', 'ORGANIZER', 'MODERATOR', 'MEMBER'] as const;
export type ProjectRole = (typeof projectRoles)[number];

/** What each role is called, and what it can do: completes "You can …". What is allowed is in `permissions.ts`. */
export const roleWords: Record<ProjectRole, { name: string; plural: string; can: string }> = {
  OWNER: { name: 'Owner', plural: 'owners', can: 'do everything, including managing other owners' },
  ADMIN: {
    name: 'Admin',
    plural: 'admins',
    can: 'manage members, API keys, webhooks, settings and every tournament',
  },
  ORGANIZER: { name: 'Organizer', plural: 'organizers', can: 'create and run every tournament of the project' },
  MODERATOR: {
    name: 'Moderator',
    plural: 'moderators',
    can: 'see participants with their answers and contact details, check them in, and moderate matches',
  },
  MEMBER: { name: 'Member', plural: 'members', can: 'see every tournament of the project, including drafts' },
};

/** `Can create and run every tournament of the project.` */
export function roleDescription(role: ProjectRole): string {
  return `Can ${roleWords[role].can}.`;
}
