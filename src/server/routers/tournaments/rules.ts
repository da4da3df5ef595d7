import { isRegistrationOpen, type Schedule } from '@/domain/tournaments/schedule';
import type { RegistrationAnnouncement, TournamentStatus } from '@/generated/prisma/enums';

/** The lifecycle of a tournament: every trigger, and the statuses it leads from and to. */
export const transitions = {
  publish: { from: ['DRAFT'], to: 'PUBLISHED' },
  start: { from: ['PUBLISHED'], to: 'IN_PROGRESS' },
  complete: { from: ['IN_PROGRESS'], to: 'COMPLETED' },
  cancel: { from: ['DRAFT', 'PUBLISHED', 'IN_PROGRESS'], to: 'CANCELLED' },
} as const satisfies Record<string, { from: readonly TournamentStatus[]; to: TournamentStatus }>;

export type Trigger = keyof typeof transitions;

/** The status after a trigger; null when the trigger is not possible from `status`. */
export function statusAfter(trigger: Trigger, status: TournamentStatus): TournamentStatus | null {
  const { from, to } = transitions[trigger];
  return (from as readonly TournamentStatus[]).includes(status) ? to : null;
}

/**
 * The registration event that is due: `opened` when registration is open and no event has said so, `closed` when it is
 * not and the last event was `opened`. Null when no event is due, so applying the result twice changes nothing.
 */
export function registrationChange(
  schedule: Schedule,
  announced: RegistrationAnnouncement,
  now: number,
): 'opened' | 'closed' | null {
  if (schedule.status !== 'PUBLISHED') return null;
  if (isRegistrationOpen(schedule, now)) return announced === 'opened' ? null : 'opened';
  return announced === 'opened' ? 'closed' : null;
}
