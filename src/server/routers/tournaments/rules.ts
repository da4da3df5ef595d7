import { isRegistrationOpen, type Schedule } from '@/domain/tournaments/schedule';
import type { RegistrationAnnouncement, TournamentStatus } from '@/generated/prisma/enums';

/** The life of a tournament: what moves it from where to where. The one table of it. */
export const transitions = {
  publish: { from: ['DRAFT'], to: 'PUBLISHED' },
  start: { from: ['PUBLISHED'], to: 'IN_PROGRESS' },
  complete: { from: ['IN_PROGRESS'], to: 'COMPLETED' },
  cancel: { from: ['DRAFT', 'PUBLISHED', 'IN_PROGRESS'], to: 'CANCELLED' },
} as const satisfies Record<string, { from: readonly TournamentStatus[]; to: TournamentStatus }>;

export type Trigger = keyof typeof transitions;

/** The status after a trigger, or null when it is not possible from `status`. */
export function statusAfter(trigger: Trigger, status: TournamentStatus): TournamentStatus | null {
  const { from, to } = transitions[trigger];
  return (from as readonly TournamentStatus[]).includes(status) ? to : null;
}

/**
 * Which registration event is due: `opened` when the window is open and that was not yet said, `closed` when it is not
 * and `opened` was said last. Null when nothing is due; the answer to its own answer is null.
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
