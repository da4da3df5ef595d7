import { z } from 'zod';
import { participantStatuses, registrationStatuses } from '@/domain/participants/statuses';
import { define, sample } from './definition';

const registrationStatus = z.enum(registrationStatuses);
const status = z.enum(participantStatuses);

const participant = z.object({
  tournamentId: z.string(),
  participantId: z.string(),
  userId: z
    .string()
    .nullable()
    .describe(
      'The player, or the captain who registered the team. Null: a guest, whom staff added without an account.',
    ),
  name: z.string(),
  type: z.enum(['individual', 'team']),
  registrationStatus,
  status,
  seed: z.number().int().nullable().describe('Position in the seeding; null before seeding.'),
  previous: z
    .object({ registrationStatus, status })
    .nullable()
    .describe('Both statuses before the event; null for a new registration.'),
});

const withReason = participant.extend({ reason: z.string().nullable() });

const example = {
  tournamentId: sample.tournamentId,
  participantId: sample.participantId,
  userId: sample.userId,
  name: 'Ada',
  type: 'individual',
  registrationStatus: 'approved',
  status: 'registered',
  seed: null,
  previous: { registrationStatus: 'approved', status: 'registered' },
} as const;

const waiting = { registrationStatus: 'pending', status: 'registered' } as const;
const playing = { registrationStatus: 'approved', status: 'active' } as const;

const common = { version: 1, aggregateType: 'participant', audience: 'project' } as const;

export const participantEvents = {
  'participant.registered': define({
    ...common,
    title: 'Participant registered',
    description:
      'Someone registered, or staff added a guest. `registrationStatus` says whether they are approved, pending or waitlisted.',
    payload: participant,
    example: { ...example, previous: null },
  }),
  'participant.approved': define({
    ...common,
    title: 'Registration approved',
    description: 'A participant got a slot, by approval or from the waitlist.',
    payload: participant,
    example: { ...example, previous: waiting },
  }),
  'participant.rejected': define({
    ...common,
    title: 'Registration rejected',
    description: 'An organizer rejected a registration.',
    payload: withReason,
    example: { ...example, registrationStatus: 'rejected', reason: 'Outside the region', previous: waiting },
  }),
  'participant.checked_in': define({
    ...common,
    title: 'Participant checked in',
    description: 'A participant checked in, or an organizer did it for them.',
    payload: participant,
    example: { ...example, status: 'checked_in' },
  }),
  'participant.eliminated': define({
    ...common,
    title: 'Participant eliminated',
    description: 'A participant was eliminated by a result.',
    payload: participant,
    example: { ...example, status: 'eliminated', seed: 7, previous: playing },
  }),
  'participant.disqualified': define({
    ...common,
    title: 'Participant disqualified',
    description: 'A participant was disqualified for breaking the rules.',
    payload: withReason,
    example: { ...example, status: 'disqualified', seed: 7, reason: 'Used a second account', previous: playing },
  }),
  'participant.waitlisted': define({
    ...common,
    title: 'Participant waitlisted',
    description: 'A participant joined the end of the waitlist.',
    payload: participant,
    example: { ...example, registrationStatus: 'waitlisted', previous: null },
  }),
  'participant.withdrawn': define({
    ...common,
    title: 'Registration cancelled',
    description: 'A participant cancelled their registration, or an organizer did it for them.',
    payload: participant,
    example: { ...example, registrationStatus: 'cancelled', status: 'withdrew' },
  }),
  'participant.reinstated': define({
    ...common,
    title: 'Participant reinstated',
    description: 'A disqualification or a no-show was reversed.',
    payload: participant,
    example: { ...example, status: 'active', seed: 7, previous: { ...playing, status: 'disqualified' } },
  }),
  'participant.substituted': define({
    ...common,
    title: 'Player substituted',
    description: "A player on a team's roster was replaced.",
    payload: withReason.extend({ outUserId: z.string(), inUserId: z.string() }),
    example: {
      ...example,
      name: 'Night Owls',
      type: 'team',
      status: 'active',
      previous: playing,
      seed: 3,
      outUserId: sample.userId,
      inUserId: sample.substituteId,
      reason: 'Power cut',
    },
  }),
  'participant.removed': define({
    ...common,
    title: 'Registration removed',
    description: 'An organizer deleted a registration. The statuses are the last it had.',
    payload: participant,
    example,
  }),
  'participant.no_show': define({
    ...common,
    title: 'Participant did not show up',
    description: 'A participant missed check-in, or did not show up for a match.',
    payload: participant,
    example: { ...example, status: 'no_show' },
  }),
  'participant.updated': define({
    ...common,
    title: 'Registration updated',
    description:
      "A registration's answers, name or roster were edited, a check-in or a decision was reversed, an account took a guest over, or left a participant that it had never agreed to (`userId`, then null), or a player accepted being on it (`acceptance`). `changes` says which.",
    payload: participant.extend({
      changes: z.array(
        z.enum(['customFields', 'name', 'roster', 'acceptance', 'registrationStatus', 'status', 'userId']),
      ),
    }),
    example: { ...example, changes: ['customFields'] },
  }),
};
