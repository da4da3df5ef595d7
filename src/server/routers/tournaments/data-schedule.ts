import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { second } from '@/domain/time/durations';
import { nextWindowChange, registrationWindow, type Schedule } from '@/domain/tournaments/schedule';
import { db, type Tx } from '@/server/db';
import { emit, type NewEvent, type Origin } from '@/server/events/emit';
import { projectTurnSql, turnOfProject } from '@/server/events/project-turn';
import type { Due, RelayedJob } from '@/server/events/relay';
import { sendAfterCommit } from '@/server/jobs/client';
import { tournamentScheduled } from '@/server/jobs/events';
import { Allowance } from '@/server/limits/allowance';
import { FairQueue } from '@/server/worker/fair-queue';
import { findLocked, type SettingsRow, settingsSelect } from './data';
import { registrationEvent } from './data-events';
import { registrationChange } from './rules';

/** What the event of a tournament contains. */
export type ScheduledTournament = { tournamentId: string; projectId: string; turn: string };

/** The same of tournament `t` in SQL, and the events of several. */
export const scheduledDataSql = `jsonb_build_object('tournamentId', t."id", 'projectId', t."projectId", 'turn', ${projectTurnSql('t."projectId"')})`;
export const scheduleEvents = (due: Due<ScheduledTournament>[]) =>
  due.map(({ data }) => tournamentScheduled.create(data));

type Announced = Schedule & Pick<SettingsRow, 'registrationAnnounced'>;

/** The column to write with a change after which registration has opened or closed and no event has said so yet. */
export function announcement(row: Announced, now: Date): { registrationAnnounced?: 'opened' | 'closed' } {
  const change = registrationChange(row, row.registrationAnnounced, now.getTime());
  return change ? { registrationAnnounced: change } : {};
}

/** The event of what `announcement` wrote. */
export function announcementEvents(before: Announced, after: SettingsRow): NewEvent[] {
  const { registrationAnnounced: announced } = after;
  if (announced === before.registrationAnnounced || announced === 'none') return [];
  return [registrationEvent(`registration.${announced}`, after)];
}

/**
 * Writes the announcement that is due without another change. The tournament must be locked.
 * @returns the event to emit, if there is one
 */
export async function recordRegistrationChange(tx: Tx, row: SettingsRow, now = new Date()): Promise<NewEvent[]> {
  const data = announcement(row, now);
  if (!data.registrationAnnounced) return [];
  await tx.tournament.update({ where: { id: row.id }, data, select: { id: true } });
  return announcementEvents(row, { ...row, ...data });
}

/** When registration begins and ends, as the index has it. */
const beginSql = 'GREATEST(t."registrationOpensAt", t."publishedAt")';
const endSql = 'LEAST(t."registrationClosesAt", t."startDate")';
const publishedSql = (condition: string) =>
  `SELECT t."id", t."projectId", ${scheduledDataSql} AS "data" FROM "tournament" t WHERE t."status" = 'PUBLISHED' AND ${condition}`;

/**
 * Published tournaments whose registration opened or closed without an event: it ended, it was put off, or it began. Each
 * part reads a range of an index, since there may be many thousands of tournaments.
 */
export const missedRegistrationChanges: RelayedJob<ScheduledTournament> = {
  name: 'registration-changes',
  overdue: [
    publishedSql(`t."registrationAnnounced" = 'opened' AND ${endSql} <= now()
      AND NOT (${beginSql} <= now() - $1::interval AND now() - $1::interval < ${endSql})`),
    publishedSql(`t."registrationAnnounced" = 'opened' AND ${beginSql} > now() AND ${endSql} > now()`),
    publishedSql(`t."registrationAnnounced" IN ('none', 'closed') AND ${endSql} > now()
      AND ${beginSql} <= now() - $1::interval`),
  ].join(' UNION ALL '),
  events: scheduleEvents,
  longestPause: 60,
};

/**
 * Emits `registration.opened` or `registration.closed` when it is due. Any process may call this at any time: the
 * tournament's lock makes sure that each event is emitted once.
 * @returns when (ISO 8601) registration opens or closes next; null when it will not, or the tournament is gone
 */
export async function emitRegistrationChange(id: string, origin: Origin): Promise<string | null> {
  return db.$transaction(async (tx) => {
    const locked = await findLocked(tx, id, settingsSelect);
    if (locked?.row.status !== 'PUBLISHED') return null;
    const events = await recordRegistrationChange(tx, locked.row, locked.now);
    if (events.length > 0) await emit(tx, origin, ...events);
    const next = nextWindowChange(registrationWindow(locked.row), locked.now.getTime());
    return next === null ? null : new Date(next).toISOString();
  });
}

/** What the schedule functions read. */
type Scheduled = Pick<
  SettingsRow,
  'status' | 'publishedAt' | 'startDate' | 'registrationOpensAt' | 'registrationClosesAt' | 'autoStart'
>;

function scheduleOf(row: Scheduled) {
  const { status, publishedAt, startDate, registrationOpensAt, registrationClosesAt, autoStart } = row;
  return [status, publishedAt, startDate, registrationOpensAt, registrationClosesAt, autoStart];
}

type Restarted = Scheduled & { id: string; projectId: string; version: number };

/**
 * A restart cancels two runs and begins two, which takes the process that runs functions 10 milliseconds. So the functions of a
 * tournament begin again at most once in a second, and those of all projects of one block of addresses fifty times at once and twice a
 * second in the long run.
 */
const restartMs = 10;
const allowance = new Allowance({ atOnceMs: 500, share: 0.02 });
const restMs = { usual: second, spent: 10 * second };
const restarts = new FairQueue({
  running: [Number.POSITIVE_INFINITY, 10, 10, 10, 1],
  waiting: 100_000,
  waitingOfOwner: 2_000,
});
/** Tournaments that wait for their turn, and their versions after the latest change. */
const waiting = new Map<string, number>();

async function restartInTurn(row: Restarted): Promise<void> {
  const { id, projectId } = row;
  const turn = await turnOfProject(projectId);
  const isQueued = waiting.has(id);
  waiting.set(id, Math.max(waiting.get(id) ?? 0, row.version));
  // The functions read the schedule when they begin, after this change too.
  if (isQueued) return;
  const queued = restarts.size;
  const begun = new Promise<void>((resolve) => {
    const data = { tournamentId: id, projectId, turn: turn.owner };
    const restart = async () => {
      const eventId = `schedule:${id}:${waiting.get(id)}`;
      waiting.delete(id);
      await sendAfterCommit(tournamentScheduled.create(data, { id: eventId }));
      resolve();
      allowance.spend(turn.owner, restartMs);
      await pause(allowance.isSpent(turn.owner) ? restMs.spent : restMs.usual, undefined, { ref: false });
    };
    restarts.run({ owner: turn.owner, caller: [...turn.caller, id] }, restart).catch(() => {
      // So many wait that the relay has to find what is due.
      waiting.delete(id);
      resolve();
    });
  });
  // The response does not wait for others' turns.
  if (restarts.size === queued) await begun;
}

/**
 * Restarts the tournament's schedule functions, which sleep until registration next opens or closes and until the start.
 * Call it after the commit. Until it is their turn, the functions sleep as before, and do nothing when they wake too early.
 * When it fails, or the process ends before that, the relay starts them when something is due.
 * @param before the row before a change: when nothing of the schedule changed, the functions sleep on
 */
export async function restartSchedule(row: Restarted, before?: Scheduled): Promise<void> {
  if (before && isDeepStrictEqual(scheduleOf(before), scheduleOf(row))) return;
  await restartInTurn(row);
}
