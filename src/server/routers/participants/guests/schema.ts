import { z } from 'zod';
import { nameField } from '@/domain/accounts/forms';
import { maxGuestsAtOnce } from '@/domain/participants/guests';
import {
  managedParticipant,
  participantIdInput,
  participantType,
  timestamp,
} from '@/server/routers/participants/schema';

const roster = z.array(z.object({ name: nameField })).max(40);
const seed = z
  .number()
  .int()
  .min(1, 'A seed is a whole number from 1.')
  .max(10_000, 'A seed is at most 10,000.')
  .describe('Position in the seeding, from 1. Without it, the guest comes after the participants with a seed.');

const guest = z.object({
  name: nameField,
  seed: seed.optional(),
  roster: roster.optional().describe('Team tournaments: the players, the captain first.'),
});
export type GuestInput = z.infer<typeof guest>;

export const addGuestsInput = z
  .object({
    tournamentId: z.string().describe('Id or slug.'),
    ...guest.partial().shape,
    participants: z
      .array(guest)
      .min(1, 'Add at least one participant.')
      .max(maxGuestsAtOnce, `Add at most ${maxGuestsAtOnce} participants at a time.`)
      .optional()
      .describe('Instead of `name`: several at once. All of them are added, or none.'),
  })
  .refine(({ name, participants }) => (name === undefined) !== (participants === undefined), {
    error: 'Send either a name or a list of participants.',
    path: ['name'],
  });

export const addGuestsOutput = z.object({
  items: z.array(managedParticipant).describe('In the order of the request.'),
});

export const editGuestInput = participantIdInput.extend({
  name: nameField.optional(),
  roster: roster
    .optional()
    .describe(
      'Team tournaments: all players without an account, in order. Players with an account stay on the roster.',
    ),
});

export const claimLink = z.object({
  url: z.url().describe('The page where someone accepts it.'),
  token: z.string().describe('For `POST /claims/accept`. Shown once.'),
  expiresAt: timestamp,
});

export const claimTokenInput = z.object({ token: z.string().min(1).max(200) });

export const claimPreview = z.object({
  isOpen: z.boolean(),
  expiresAt: timestamp,
  participant: z.object({ name: z.string(), type: participantType }),
  tournament: z.object({
    name: z.string(),
    slug: z.string().nullable().describe('Of its page; null while the page is not for everyone who has the link.'),
    gameName: z.string(),
    startDate: timestamp,
    timezone: z.string(),
  }),
});
