import { z } from 'zod';
import { emailField } from '@/domain/accounts/forms';
import { teamFields } from '@/domain/teams/forms';
import { teamInvitationKinds, teamInvitationStatuses } from '@/domain/teams/invitations';
import { invitableRoles, teamRoles } from '@/domain/teams/roles';
import { pageInput, pageOf } from '@/server/paging';

const id = z.string().max(100);
const role = z.enum(teamRoles);
const invitableRole = z.enum(invitableRoles);
const timestamp = z.iso.datetime();

const person = z.object({ userId: z.string(), name: z.string() });

export const teamMember = person.extend({ role, joinedAt: timestamp });

export const team = z.object({
  id: z.string().meta({ example: 'tem_01k9zq3v4e8m6t2r5x7c1b0a9d' }),
  name: z.string(),
  tag: z.string().nullable().describe('A short form of the name: 2 to 6 letters or digits.'),
  members: z.array(teamMember).describe('The captain first, then players, then substitutes.'),
  myRole: role.nullable().describe("The caller's role; null for others."),
  version: z.number().int(),
  disbandedAt: timestamp.nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
});

export const createTeamInput = z.object({ name: teamFields.name, tag: teamFields.tag.optional() });
export const teamInput = z.object({ teamId: id });
export const updateTeamInput = teamInput.extend({
  name: teamFields.name.optional(),
  tag: teamFields.tag.optional().describe('null removes it.'),
  version: z.number().int().optional().describe('The version you read, as an alternative to If-Match.'),
});

const listedTeam = team.omit({ members: true }).extend({
  captain: person.nullable(),
  memberCount: z.number().int(),
});
export const listTeamsInput = pageInput.extend({
  role: role.optional().describe('Only teams where you have this role.'),
});
export const teamPage = pageOf(listedTeam);

export const listMembersInput = teamInput.extend(pageInput.shape);
export const memberPage = pageOf(teamMember);
export const memberInput = teamInput.extend({ userId: id });
export const updateMemberInput = memberInput.extend({
  role: role.describe('`captain` hands over the captaincy; the previous captain becomes a player.'),
});
export const removedMember = z.object({ userId: z.string(), removed: z.literal(true) });

export const invitation = z.object({
  id: z.string(),
  teamId: z.string(),
  kind: z.enum(teamInvitationKinds),
  email: z.string().nullable().describe('The address that was invited.'),
  player: person.nullable().describe('The player who was invited.'),
  role: invitableRole,
  status: z.enum(teamInvitationStatuses),
  expiresAt: timestamp,
  createdAt: timestamp,
});
export const inviteInput = teamInput
  .extend({
    email: emailField
      .optional()
      .describe('Emails a link. The response does not reveal whether the address has an account.'),
    userId: id.optional().describe('The id of a player, from a list of participants for example.'),
    role: invitableRole.default('player'),
  })
  .refine((value) => !(value.email && value.userId), {
    message: 'Send an email address or a player ID, not both.',
    path: ['email'],
  });
export const newInvitation = invitation.extend({
  url: z
    .string()
    .nullable()
    .describe('The join link, in this response only; null when an address or a player is invited.'),
});
export const listInvitationsInput = teamInput.extend(pageInput.shape);
export const invitationPage = pageOf(invitation);
export const invitationInput = teamInput.extend({ invitationId: id });

const teamCard = z.object({
  id: z.string(),
  name: z.string(),
  tag: z.string().nullable(),
  captain: person.nullable(),
  memberCount: z.number().int(),
});
export const myInvitation = z.object({
  id: z.string(),
  team: teamCard,
  role: invitableRole,
  invitedBy: z.string(),
  expiresAt: timestamp,
  createdAt: timestamp,
});
export const myInvitationsInput = pageInput;
export const myInvitationPage = pageOf(myInvitation);

export const tokenInput = z.object({ token: z.string().min(1).max(200) });
export const invitationPreview = z.object({
  kind: z.enum(teamInvitationKinds),
  email: z.string().nullable(),
  role: invitableRole,
  status: invitation.shape.status,
  team: teamCard.extend({ disbanded: z.boolean() }),
  invitedBy: z.string(),
  expiresAt: timestamp,
});
export const answerInput = z
  .object({
    invitationId: id.optional().describe('The id of one of your invitations.'),
    token: z.string().min(1).max(200).optional().describe('The last part of the link.'),
  })
  .refine((value) => Boolean(value.token) !== Boolean(value.invitationId), {
    message: 'Send either the id of the invitation or the token of its link.',
    path: ['token'],
  });
export const joined = z.object({ teamId: z.string(), name: z.string(), role });
export const declined = z.object({ invitationId: z.string(), declined: z.literal(true) });
