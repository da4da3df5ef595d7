import { z } from 'zod';
import { nameField } from '@/domain/accounts/forms';
import { participantStatuses, registrationStatuses } from '@/domain/participants/statuses';
import { customFieldDefinition, resultMode, tournamentStatus } from '@/domain/tournaments/settings';
import { compiled } from '@/server/compiled';
import { pageInput, pageOf } from '@/server/paging';
import { allStaffActions } from './rules';

export const timestamp = z.iso.datetime().meta({ example: '2026-12-05T18:00:00.000Z' });

export const registrationStatus = z.enum(registrationStatuses);
export const participantStatus = z.enum(participantStatuses);
export const participantType = z.enum(['individual', 'team']);
export const rosterRole = z.enum(['captain', 'player', 'substitute']);

/** An answer to an organizer's question; its definition says which type it has. */
const answer = z.union([z.string().max(2_000), z.number(), z.boolean(), z.null()]);
const customFields = z.record(z.string(), answer);

export const teamMember = z.object({ userId: z.string().max(60), role: rosterRole });

export const registerInput = z.object({
  tournamentId: z.string().describe('Id or slug.'),
  teamName: nameField.optional().describe('Team tournaments.'),
  teamMembers: z
    .array(teamMember)
    .max(40)
    .optional()
    .describe('Team tournaments: the whole roster, the caller as its one captain.'),
  teamId: z
    .string()
    .max(60)
    .optional()
    .describe(
      'Team tournaments: a team that you are the captain of. Its name and members replace a missing `teamName` and `teamMembers`; players that you list must be members of it.',
    ),
  customFields: customFields.optional().describe("Answers to the organizer's questions by key."),
});
export type RegisterInput = z.infer<typeof registerInput>;

const rosterEntry = z.object({
  userId: z.string().nullable().describe('Null: a guest.'),
  name: z.string(),
  role: rosterRole,
});

/** A participant as everyone may see it. */
const publicParticipant = z.object({
  id: z.string().meta({ example: 'prt_01k9zq3v4e8m6t2r5x7c1b0a9d' }),
  tournamentId: z.string(),
  userId: z
    .string()
    .nullable()
    .describe('The player, or the captain of the team. Null: a guest, whom staff added without an account.'),
  type: participantType,
  name: z.string(),
  seed: z.number().int().nullable(),
  status: participantStatus,
  registrationStatus,
  roster: z.array(rosterEntry).describe('Empty for individuals.'),
  teamId: z.string().nullable().describe('The saved team it registered as. The roster is a copy.'),
});

const notAccepted = z
  .array(z.string())
  .meta({ example: ['usr_01k9x0g5e9s3r7t0v2w4x6y8z1'] })
  .describe('Ids of players whom a captain or an organizer named, and who have not accepted yet.');

/** A participant in the list: some fields are for signed-in callers only, some for people who manage the tournament. */
export const listedParticipant = publicParticipant.extend({
  publicAnswers: customFields
    .optional()
    .describe(
      'Answers to questions that are public and were public when answered. Absent when no question is; without those of accounts whose address is not confirmed, which only managers see.',
    ),
  canManage: z.boolean().optional().describe('With a bearer token: whether the caller may manage this participant.'),
  isMe: z
    .boolean()
    .optional()
    .describe('With a bearer token: whether the caller is this participant or on its roster.'),
  customFields: customFields.optional().describe('Managers only.'),
  customFieldsVersion: z
    .number()
    .int()
    .optional()
    .describe('Managers only: which version of the questions was answered.'),
  contact: z
    .object({ email: z.string() })
    .nullable()
    .optional()
    .describe('Managers only; null for a guest, and until a player who was named has accepted.'),
  notAccepted: notAccepted.optional(),
  statusReason: z.string().nullable().optional().describe('Managers only: why they were rejected or disqualified.'),
  waitlistPosition: z.number().int().nullable().optional().describe('Managers only: 1 is promoted next.'),
  registeredAt: timestamp.optional().describe('Managers only.'),
  approvedAt: timestamp.nullable().optional().describe('Managers only.'),
  checkedInAt: timestamp.nullable().optional().describe('Managers only.'),
  cancelledAt: timestamp.nullable().optional().describe('Managers only.'),
  actions: z
    .array(z.enum(allStaffActions))
    .optional()
    .describe('Managers only: what the caller may do to this participant now.'),
  version: z.number().int().optional().describe('Managers only.'),
});
export type ListedParticipant = z.infer<typeof listedParticipant>;

/** A participant as someone who manages the tournament sees it. */
export const managedParticipant = listedParticipant.omit({ publicAnswers: true }).required();
export type ManagedParticipant = z.infer<typeof managedParticipant>;

export const anyReason = z
  .string()
  .trim()
  .max(500, 'Use at most 500 characters.')
  .describe('The participant can read it.');
export const reason = anyReason.min(1, 'Give a reason. The participant can read it.');

export const participantSearch = z
  .string()
  .trim()
  .max(100)
  .optional()
  .describe('Part of the name of a participant or of a player on its roster.');

export const listParticipantsInput = pageInput.extend({
  tournamentId: z.string().describe('Id or slug.'),
  search: participantSearch,
  status: z.array(participantStatus).min(1).max(7).optional().describe('One or several.'),
  registrationStatus: z
    .array(registrationStatus)
    .min(1)
    .max(5)
    .optional()
    .describe(
      'One or several. People who manage the tournament may ask for any state; everyone else sees approved participants.',
    ),
  sort: z
    .enum(['seed', 'name', 'registeredAt'])
    .default('seed')
    .describe('`seed`: seeds first, then the waitlist in its order, then by registration.'),
});
export const listParticipantsOutput = compiled(
  pageOf(listedParticipant).extend({
    canManage: z.boolean().optional().describe('With a bearer token: whether the caller may manage the participants.'),
  }),
);

/** The caller's own registration. */
export const registration = compiled(
  publicParticipant.extend({
    customFields,
    customFieldsVersion: z.number().int().describe('Which version of the questions was answered.'),
    waitlistPosition: z.number().int().nullable().describe('1 is promoted next; null when not on the waitlist.'),
    isCaptain: z.boolean().describe('False for a player whom a captain registered.'),
    mustAccept: z.boolean().describe('You were named by someone else: accept or leave.'),
    addedBy: z
      .object({ id: z.string().meta({ example: 'usr_01k9x0f4d8r2q6s9t1v3w5x7y9' }), name: z.string() })
      .nullable()
      .describe('Who named you, while you must accept; null also when their account is gone.'),
    notAccepted,
    statusReason: z.string().nullable().describe('Why the organizer rejected or disqualified it.'),
    canCancel: z.boolean(),
    canEdit: z.boolean().describe('Whether answers and the name of a team may be edited now.'),
    canEditRoster: z.boolean(),
    canLeave: z.boolean().describe('Whether you may leave now. Captains who have accepted cancel instead.'),
    canCheckIn: z.boolean().describe('Whether check-in would be accepted now, anti-cheat aside.'),
    registeredAt: timestamp,
    approvedAt: timestamp.nullable(),
    checkedInAt: timestamp.nullable(),
    cancelledAt: timestamp.nullable(),
    version: z.number().int(),
    serverTime: timestamp,
  }),
);
export type Registration = z.infer<typeof registration>;

export const leftRegistration = z.object({ participantId: z.string(), left: z.literal(true) });

export const participantIdInput = z.object({
  tournamentId: z.string().describe('Id or slug.'),
  participantId: z.string(),
});

export const editInput = z.object({
  tournamentId: z.string().describe('Id or slug.'),
  teamName: nameField.optional().describe('Team tournaments.'),
  teamMembers: z
    .array(teamMember)
    .max(40)
    .optional()
    .describe('Team tournaments: the whole roster, the caller as its one captain.'),
  customFields: customFields.optional().describe('Answers to change, by key; null removes one.'),
  version: z.number().int().optional().describe('The version you read, when If-Match is not sent.'),
});
export type EditInput = z.infer<typeof editInput>;

export const rejectInput = participantIdInput.extend({ reason: anyReason.optional() });
export const disqualifyInput = participantIdInput.extend({ reason });

export const substituteInput = participantIdInput.extend({
  substituteUserId: z.string().max(60).describe('The player who joins; not yet on a roster of the tournament.'),
  reason,
  replacedUserId: z
    .string()
    .max(60)
    .optional()
    .describe('The player who leaves. Optional when the roster has one player besides the captain.'),
});

/** The tournament of a registration in a list. */
const listedTournament = z.object({
  id: z.string(),
  slug: z.string(),
  name: z.string(),
  game: z.string(),
  gameName: z.string(),
  status: tournamentStatus,
  startDate: timestamp,
  timezone: z.string(),
});

/** One of the caller's own registrations, with its tournament. */
const myRegistration = registration.extend({
  tournament: listedTournament.extend({
    checkInOpensAt: timestamp.nullable(),
    checkInClosesAt: timestamp.nullable(),
    checkInOpen: z.boolean(),
    resultMode: resultMode.describe('Who reports results.'),
    customFieldsVersion: z.number().int().describe('The current version of the questions.'),
    maxParticipants: z.number().int(),
    currentParticipants: z.number().int(),
  }),
});
export type MyRegistration = z.infer<typeof myRegistration>;

export const myRegistrationsInput = pageInput.extend({
  when: z
    .enum(['current', 'past'])
    .optional()
    .describe('`current`: not cancelled or rejected, and the tournament is not over; `past`: the others.'),
});
export const myRegistrationsOutput = pageOf(myRegistration);
export const myRegistrationSummariesOutput = pageOf(
  myRegistration.omit({ customFields: true, roster: true, notAccepted: true }),
);

export const teamTournamentsInput = pageInput.extend({ teamId: z.string().max(100) });
export const teamTournamentsOutput = pageOf(
  z.object({
    participantId: z.string(),
    name: z.string().describe('The name it registered with.'),
    seed: z.number().int().nullable(),
    status: participantStatus,
    tournament: listedTournament,
  }),
);

const count = z.number().int();

/** Participants of one tournament by registration status; `checkedIn` and `notCheckedIn` are part of `approved`. */
export const participantCounts = z.object({
  total: count,
  pending: count,
  approved: count,
  rejected: count,
  waitlisted: count,
  cancelled: count,
  notCheckedIn: count,
  checkedIn: count,
});

const dayCount = z.object({ day: z.string().describe('YYYY-MM-DD, in UTC.'), registrations: count });
export type DayCount = z.infer<typeof dayCount>;

export const projectCountsInput = z.object({ projectId: z.string() });
export const projectCountsOutput = z.object({
  tournaments: z.array(
    z.object({
      tournamentId: z.string(),
      pending: count,
      waitlisted: count,
      notCheckedIn: count.describe('Approved and still to check in.'),
      checkedIn: count,
    }),
  ),
  registrationsByDay: z.array(dayCount).describe('The last 14 days, oldest first.'),
});

const formField = customFieldDefinition.extend({ order: z.number().int().describe('From 1.') });

export const registrationFormInput = z.object({
  tournamentId: z.string().describe('Id or slug.'),
  version: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('An earlier version of the questions; the current one when left out.'),
});

/** Everything a client needs to build the registration form of a tournament. */
export const registrationForm = z.object({
  tournamentId: z.string(),
  name: z.string(),
  type: participantType.describe('Whether teams or individuals register.'),
  fields: z.array(formField).describe("The organizer's questions, in order."),
  customFieldsVersion: z.number().int().describe('The version of `fields`.'),
  currentCustomFieldsVersion: z.number().int().describe('The version that new registrations answer.'),
  team: z
    .object({
      teamSize: z.number().int().describe('Players who play at the same time.'),
      rosterMin: z.number().int(),
      rosterMax: z.number().int(),
      roles: z.array(rosterRole).describe('Exactly one member is `captain`: the caller who registers.'),
    })
    .nullable()
    .describe('null: individuals register, without `teamName` and `teamMembers`.'),
  registrationOpen: z.boolean(),
  opensAt: timestamp.nullable().describe('null: not published yet.'),
  closesAt: timestamp.describe('The closing time, or the start.'),
  maxParticipants: z.number().int(),
  currentParticipants: z.number().int(),
  full: z.boolean(),
  waitlistEnabled: z.boolean(),
  requiresApproval: z.boolean(),
  allowEdit: z.boolean(),
  allowCancel: z.boolean(),
  outcome: z
    .enum(['approved', 'pending', 'waitlisted'])
    .nullable()
    .describe('The status a registration would get now; null: it would be refused, see `refusal`.'),
  refusal: z
    .object({ code: z.string(), message: z.string() })
    .nullable()
    .describe('Why nobody can register now, with the error code of `POST …/register`.'),
  bodySchema: z.record(z.string(), z.unknown()).describe('JSON Schema (2020-12) of the body of `POST …/register`.'),
  serverTime: timestamp,
});
