/** The settings that decide a tournament's windows. `T` is `Date` on the server and an ISO string in the browser. */
export type Schedule<T = Date> = {
  status: string;
  startDate: T;
  publishedAt: T | null;
  registrationOpensAt: T | null;
  registrationClosesAt: T | null;
  checkInOpensAt: T | null;
  checkInClosesAt: T | null;
};

/** A span of time (milliseconds), without `closesAt` itself. `opensAt` null: not set. */
export type Window = { opensAt: number | null; closesAt: number };

/** Where a moment is relative to a window. `unset`: the window has no opening time. */
export type WindowPhase = 'unset' | 'before' | 'open' | 'after';

const at = (value: Date | string) => (typeof value === 'string' ? Date.parse(value) : value.getTime());

/**
 * Registration: from `registrationOpensAt` (null: publication) to `registrationClosesAt` (null: the start), never past
 * the start.
 */
export function registrationWindow(schedule: Schedule<Date | string>): Window {
  const opens = schedule.registrationOpensAt ?? schedule.publishedAt;
  const start = at(schedule.startDate);
  const closesAt = schedule.registrationClosesAt ? Math.min(at(schedule.registrationClosesAt), start) : start;
  const published = schedule.publishedAt ? at(schedule.publishedAt) : null;
  return { opensAt: opens && published !== null ? Math.max(at(opens), published) : null, closesAt };
}

/** Check-in: from `checkInOpensAt` (null: closed) to `checkInClosesAt` (null: the start), never past the start. */
export function checkInWindow(
  schedule: Pick<Schedule<Date | string>, 'startDate' | 'checkInOpensAt' | 'checkInClosesAt'>,
): Window {
  const start = at(schedule.startDate);
  const closesAt = schedule.checkInClosesAt ? Math.min(at(schedule.checkInClosesAt), start) : start;
  return { opensAt: schedule.checkInOpensAt ? at(schedule.checkInOpensAt) : null, closesAt };
}

/** Where `now` (milliseconds) is relative to a window. */
export function phaseOf(window: Window, now: number): WindowPhase {
  if (window.opensAt === null) return now >= window.closesAt ? 'after' : 'unset';
  if (now >= window.closesAt) return 'after';
  return now < window.opensAt ? 'before' : 'open';
}

/** When (milliseconds) a window opens or closes next after `now`; null when it does not. */
export function nextWindowChange(window: Window, now: number): number | null {
  const { opensAt, closesAt } = window;
  if (opensAt === null || opensAt >= closesAt) return null;
  return [opensAt, closesAt].find((moment) => moment > now) ?? null;
}

/** Whether players can register: the tournament is published and the window is open. */
export function isRegistrationOpen(schedule: Schedule<Date | string>, now: number): boolean {
  return schedule.status === 'PUBLISHED' && phaseOf(registrationWindow(schedule), now) === 'open';
}

/** Whether approved participants can check in. */
export function isCheckInOpen(schedule: Schedule<Date | string>, now: number): boolean {
  return schedule.status === 'PUBLISHED' && phaseOf(checkInWindow(schedule), now) === 'open';
}
