import { z } from 'zod';
import { futureTimestamp, nameField } from '@/domain/accounts/forms';
import { auditTargets } from '@/domain/projects/audit-actions';
import { keyNameField, slugField } from '@/domain/projects/forms';
import { invitationForm, invitationStatuses } from '@/domain/projects/invitations';
import { capabilities, planIds } from '@/domain/projects/plans';
import { projectRoles } from '@/domain/projects/roles';
import { scopes } from '@/domain/projects/scopes';
import { pageInput, pageOf } from '@/server/paging';

const id = z.string().max(100);
const role = z.enum(projectRoles);
const plan = z.enum(planIds);

export const project = z.object({
  id: z.string(),
  slug: z.string(),
  name: z.string(),
  plan,
  capabilities: z.array(z.enum(capabilities)),
  requestsPerMinute: z.number().int().meta({ description: 'Limit for each API key.' }),
  role: role.nullable().meta({ description: "The caller's role; null for an instance admin who is not a member." }),
  version: z.number().int(),
  createdAt: z.string(),
  updatedAt: z.string(),
});

export const createProjectInput = z.object({
  name: nameField,
  slug: slugField.optional().meta({ description: 'Default: made from the name.' }),
});
export const listProjectsInput = pageInput;
export const projectPage = pageOf(project);

const projectInput = z.object({ projectId: id });
export const updateProjectInput = projectInput.extend({
  name: nameField.optional(),
  slug: slugField.optional(),
  plan: plan.optional().meta({ description: 'For instance admins only.' }),
  version: z.number().int().optional().meta({ description: 'The version you read, as an alternative to If-Match.' }),
});

export const member = z.object({
  userId: z.string(),
  name: z.string(),
  email: z.string(),
  role,
  createdAt: z.string(),
});
export const listMembersInput = pageInput;
export const memberPage = pageOf(member);
export const memberInput = z.object({ userId: id });
export const removeMemberInput = memberInput.extend({
  revokeKeys: z.boolean().default(true).meta({
    description: 'Whether the API keys that they made stop working. Only OWNER and ADMIN can have keys revoked.',
  }),
});
export const updateMemberInput = memberInput.extend({
  role,
  revokeKeys: z.boolean().default(true).meta({
    description: 'Whether the API keys that they made stop working, where the new role no longer manages keys.',
  }),
});
export const removedMember = z.object({ userId: z.string(), removed: z.literal(true) });

export const invitation = z.object({
  id: z.string(),
  email: z.string(),
  role,
  status: z.enum(invitationStatuses),
  expiresAt: z.string(),
  createdAt: z.string(),
});
export const inviteInput = invitationForm;
export const listInvitationsInput = pageInput;
export const invitationPage = pageOf(invitation);
export const invitationInput = z.object({ invitationId: id });
export const invitationTokenInput = z.object({ token: z.string().min(1).max(200) });
export const invitationPreview = z.object({
  email: z.string(),
  role,
  status: z.enum(invitationStatuses),
  project: z.object({ id: z.string(), slug: z.string(), name: z.string() }),
  invitedBy: z.string().nullable(),
});
export const membership = z.object({ projectId: z.string(), slug: z.string(), role });

export const apiKey = z.object({
  id: z.string(),
  name: z.string(),
  prefix: z.string().meta({ description: 'The beginning of the key.', example: 'lrl_3xAmPl3k' }),
  scopes: z.array(z.enum(scopes)),
  expiresAt: z.string().nullable(),
  lastUsedAt: z.string().nullable(),
  createdAt: z.string(),
});
export const newApiKey = apiKey.extend({ key: z.string().meta({ description: 'In this response only.' }) });
/** What a member made that outlives their membership. */
export const madeByMember = z.object({
  apiKeys: z.array(apiKey),
  webhooks: z.array(z.object({ id: z.string(), url: z.string() })),
});
export const createApiKeyInput = z.object({
  name: keyNameField,
  scopes: z
    .array(z.enum(scopes))
    .min(1, 'Choose at least one scope.')
    .max(scopes.length)
    .transform((list) => [...new Set(list)]),
  expiresAt: futureTimestamp.nullish().meta({ description: 'Default: the key does not expire.', format: 'date-time' }),
});
export const listApiKeysInput = pageInput;
export const apiKeyPage = pageOf(apiKey);
export const apiKeyInput = z.object({ keyId: id });

export const auditEntry = z.object({
  id: z.string(),
  action: z.string(),
  actor: z.object({ type: z.string(), id: z.string().nullable(), name: z.string().nullable() }),
  targetType: z.string(),
  targetId: z.string(),
  targetName: z.string().nullable().meta({ description: 'For tournaments, participants and users that still exist.' }),
  details: z.record(z.string(), z.unknown()),
  requestId: z.string().nullable(),
  createdAt: z.string(),
});
export const listAuditInput = pageInput.extend({
  targetType: z.enum(auditTargets).optional().meta({ description: 'Only changes to this kind of object.' }),
});
export const auditPage = pageOf(auditEntry);
