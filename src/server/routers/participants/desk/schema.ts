import { z } from 'zod';
import { allStaffActions } from '@/server/routers/participants/rules';
import {
  anyReason,
  managedParticipant,
  participantIdInput,
  participantSearch,
  participantStatus,
  participantType,
  registrationStatus,
  rosterRole,
  timestamp,
} from '@/server/routers/participants/schema';

/** Keeps the time short for which one call locks the tournament. */
export const maxBatchSize = 500;

/** Actions that work on many participants at once. */
const bulkAction = z.enum(allStaffActions).exclude(['substitute']);
export const bulkInput = z
  .object({
    tournamentId: z.string().describe('Id or slug.'),
    action: bulkAction,
    participantIds: z.array(z.string().max(60)).min(1).max(maxBatchSize),
    reason: anyReason.optional(),
  })
  .refine(({ action, reason }) => action !== 'disqualify' || Boolean(reason), {
    error: 'Give a reason. The participants can read it.',
    path: ['reason'],
  });

export const markNoShowsInput = z.object({
  tournamentId: z.string().describe('Id or slug.'),
  participantIds: z
    .array(z.string().max(60))
    .min(1)
    .max(maxBatchSize)
    .optional()
    .describe('All approved participants who are not checked in when left out.'),
});

/** The participants that changed, and why the others did not. */
export const batchResult = z.object({
  done: z.array(z.string()),
  refused: z.array(z.object({ id: z.string(), code: z.string(), message: z.string() })),
});

export const deskInput = z.object({
  tournamentId: z.string().describe('Id or slug.'),
  search: participantSearch,
  registrationStatus: z.array(registrationStatus).min(1).max(20).optional(),
  status: z.array(participantStatus).min(1).max(20).optional(),
  limit: z.number().int().min(1).max(500).default(500),
  cursor: z.string().max(100).nullish(),
});

/** A participant as a row of the desk. */
const deskRow = z.object({
  id: z.string(),
  type: participantType,
  userId: z.string().nullable().describe('Null: a guest.'),
  name: z.string(),
  email: z.string().nullable(),
  registrationStatus,
  status: participantStatus,
  statusReason: z.string().nullable(),
  seed: z.number().int().nullable(),
  waitlistPosition: z.number().int().nullable(),
  players: z.array(z.string()).describe('Names of the roster, the captain first.'),
  rosterSize: z.number().int(),
  owesCheckIn: z.boolean().describe('False: they were waiting for a slot until check-in had closed.'),
  registeredAt: timestamp,
  checkedInAt: timestamp.nullable(),
  since: timestamp.describe('When they got their current status, as far as it is known.'),
  actions: z.array(z.enum(allStaffActions)).describe('What the caller may do now.'),
  version: z.number().int(),
});
export type DeskRow = z.infer<typeof deskRow>;
export const deskPage = z.object({ items: z.array(deskRow), nextCursor: z.string().nullable() });

export const historyInput = participantIdInput.extend({
  limit: z.number().int().min(1).max(100).default(25),
  cursor: z.string().max(20).optional(),
});
const someone = z.object({ id: z.string(), name: z.string().nullable() });

/** One participant, with the substitutions on its roster, newest first. */
export const deskParticipant = managedParticipant.extend({
  rosterChanges: z.array(
    z.object({
      id: z.string(),
      at: timestamp,
      out: someone,
      in: someone,
      role: rosterRole,
      reason: z.string(),
      by: someone,
    }),
  ),
});

export const participantHistory = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      type: z.string().describe('Type of the event, like `participant.approved`.'),
      at: timestamp,
      actor: z.object({ type: z.string(), id: z.string().nullable(), name: z.string().nullable() }),
      registrationStatus,
      status: participantStatus,
      previous: z.object({ registrationStatus, status: participantStatus }).nullable(),
      reason: z.string().nullable(),
      changes: z.array(z.string()).describe('The fields that were edited or reset.'),
      isGuest: z.boolean().describe('Whether the participant had no account afterwards.'),
      substitution: z.object({ out: someone, in: someone }).nullable(),
    }),
  ),
  nextCursor: z.string().nullable(),
});
