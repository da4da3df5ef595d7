import { z } from 'zod';
import { aboutEntrant, define, sample } from './definition';

const registrationStatus = z.enum(['pending', 'approved', 'rejected', 'waitlisted', 'cancelled']);
const status = z.enum(['registered', 'checked_in', 'active', 'eliminated', 'disqualified', 'withdrew', 'no_show']);

const participant = z.object({
  tournamentId: z.string(),
  participantId: z.string(),
  userId: z.string().describe('The player, or the captain who registered the team.'),
  name: z.string(),
  type: z.enum(['individual', 'team']),
  registrationStatus,
  status,
  seed: z.number().int().nullable().describe('Position in the bracket; null before seeding.'),
  previous: z
    .object({ registrationStatus, status })
    .nullable()
    .describe('Both states before; null for who was not there.'),
});

const withReason = participant.extend({ reason: z.string().nullable() });

const entrant = {
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

const common = { version: 1, aggregateType: 'participant', filters: aboutEntrant } as const;

export const participantEvents = {
  'participant.registered': define({
    ...common,
    description: 'Someone registered; `registrationStatus` says whether they are in, pending or waitlisted.',
    payload: participant,
    example: { ...entrant, previous: null },
  }),
  'participant.approved': define({
    ...common,
    description: 'An entrant got a slot by approval or by promotion from the waitlist.',
    payload: participant,
    example: { ...entrant, previous: waiting },
  }),
  'participant.rejected': define({
    ...common,
    description: 'An organizer rejected a registration.',
    payload: withReason,
    example: { ...entrant, registrationStatus: 'rejected', reason: 'Outside the region', previous: waiting },
  }),
  'participant.checked_in': define({
    ...common,
    description: 'An entrant confirmed attendance, or an organizer did it for them.',
    payload: participant,
    example: { ...entrant, status: 'checked_in' },
  }),
  'participant.eliminated': define({
    ...common,
    description: 'A result put an entrant out of the tournament.',
    payload: participant,
    example: { ...entrant, status: 'eliminated', seed: 7, previous: playing },
  }),
  'participant.disqualified': define({
    ...common,
    description: 'An entrant was removed for a rule violation.',
    payload: withReason,
    example: { ...entrant, status: 'disqualified', seed: 7, reason: 'Used a second account', previous: playing },
  }),
  'participant.waitlisted': define({
    ...common,
    description: 'An entrant joined the waitlist, at its end.',
    payload: participant,
    example: { ...entrant, registrationStatus: 'waitlisted', previous: null },
  }),
  'participant.withdrawn': define({
    ...common,
    description: 'An entrant cancelled their registration.',
    payload: participant,
    example: { ...entrant, registrationStatus: 'cancelled', status: 'withdrew' },
  }),
  'participant.reinstated': define({
    ...common,
    description: 'A disqualification was taken back.',
    payload: participant,
    example: { ...entrant, status: 'active', seed: 7, previous: { ...playing, status: 'disqualified' } },
  }),
  'participant.substituted': define({
    ...common,
    description: "A player of a team's roster was replaced.",
    payload: withReason.extend({ outUserId: z.string(), inUserId: z.string() }),
    example: {
      ...entrant,
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
    description: 'An organizer deleted a registration; the row is gone and its states are the last it had.',
    payload: participant,
    example: entrant,
  }),
  'participant.no_show': define({
    ...common,
    description: 'An entrant did not check in, or did not appear for a match.',
    payload: participant,
    example: { ...entrant, status: 'no_show' },
  }),
  'participant.updated': define({
    ...common,
    description:
      "A registration's answers, name or roster were edited, or a check-in or a decision on it was taken back. `changes` says which.",
    payload: participant.extend({
      changes: z.array(z.enum(['customFields', 'name', 'roster', 'registrationStatus', 'status'])),
    }),
    example: { ...entrant, changes: ['customFields'] },
  }),
};
