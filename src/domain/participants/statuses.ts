/** What became of a registration. */
export const registrationStatuses = ['pending', 'approved', 'rejected', 'waitlisted', 'cancelled'] as const;
export type RegistrationStatus = (typeof registrationStatuses)[number];

/** What an approved participant does in the tournament. */
export const participantStatuses = [
  'registered',
  'checked_in',
  'active',
  'eliminated',
  'disqualified',
  'withdrew',
  'no_show',
] as const;
export type ParticipantStatus = (typeof participantStatuses)[number];

/** Both states of a participant. */
export type ParticipantState = { registrationStatus: RegistrationStatus; status: ParticipantStatus };

/** Registrations that were neither rejected nor cancelled. */
export const activeRegistrationStatuses = ['pending', 'approved', 'waitlisted'] as const satisfies RegistrationStatus[];

const withoutSlot: ReadonlySet<ParticipantStatus> = new Set(['withdrew', 'disqualified', 'no_show']);

/** Whether a participant in this state, if there is one, takes one of the tournament's slots (`currentParticipants`). */
export function holdsSlot(state: ParticipantState | null): boolean {
  return state?.registrationStatus === 'approved' && !withoutSlot.has(state.status);
}
