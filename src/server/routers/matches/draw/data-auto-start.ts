import { db } from '@/server/db';
import { Refusal } from '@/server/errors';
import type { Origin } from '@/server/events/emit';
import type { RelayedJob } from '@/server/events/relay';
import { logger } from '@/server/logger';
import { lockTournament } from '@/server/routers/tournaments/data';
import { type ScheduledTournament, scheduledDataSql, scheduleEvents } from '@/server/routers/tournaments/data-schedule';
import { startTournament } from './data-start';
import { queueStartEmails } from './data-start-emails';

/** When (ISO 8601) a tournament starts by itself; null when it does not. */
export async function autoStartOf(id: string): Promise<string | null> {
  const row = await db.tournament.findUnique({
    where: { id, status: 'PUBLISHED', autoStart: true },
    select: { startDate: true },
  });
  return row?.startDate.toISOString() ?? null;
}

/** A start that is undone because it takes long would be tried again, and undone again, all day. */
const startLimits = { timeout: 60_000, maxWait: 15_000 };

/**
 * Starts a tournament whose start date has passed, if it starts by itself. Any process may call this at any time: the
 * tournament's lock makes sure that it starts once. One that cannot start waits for its organizer, who is emailed.
 */
export async function startBySchedule(id: string, by: Origin): Promise<boolean> {
  const startDate = await autoStartOf(id);
  if (startDate === null || Date.parse(startDate) > Date.now()) return false;
  try {
    return await db.$transaction(async (tx) => {
      // Its organizer may have moved the start since it was read.
      const { row } = await lockTournament(tx, id, { startDate: true, autoStart: true });
      if (!row.autoStart || row.startDate.getTime() > Date.now()) return false;
      await startTournament(tx, by, id);
      return true;
    }, startLimits);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    logger.info({ tournamentId: id, reason: error.reason }, 'a tournament could not start by itself');
    await queueStartEmails(id, error);
    return false;
  }
}

/**
 * Tournaments that should have started by themselves in the last day. Those with fewer than two participants cannot; what
 * else keeps one from starting may end any minute.
 */
export const missedStarts: RelayedJob<ScheduledTournament> = {
  name: 'starts',
  overdue: `
    SELECT t."id", t."projectId", ${scheduledDataSql} AS "data" FROM "tournament" t
    WHERE t."status" = 'PUBLISHED' AND t."autoStart" AND t."startDate" <= now() - $1::interval
      AND t."startDate" > now() - interval '1 day' AND t."currentParticipants" >= 2`,
  events: scheduleEvents,
  longestPause: 60,
};
