import type { ProjectAuditAction } from '@/domain/projects/audit-actions';
import type { Context } from '@/server/context';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { type NewEvent, type Origin, record } from '@/server/events/emit';
import { expectedVersion } from '@/server/if-match';
import { lockTournament, readDetail, type SettingsRow, settingsSelect } from './data';
import { announcement, announcementEvents, restartSchedule } from './data-schedule';
import type { TournamentDetail } from './schema';

type Column =
  | 'status'
  | 'publishedAt'
  | 'cancelledAt'
  | 'registrationOpensAt'
  | 'registrationClosesAt'
  | 'checkInOpensAt'
  | 'checkInClosesAt';

/** What a change writes to the tournament, and the events for the row as it is after that. */
type Change = { data: Partial<Pick<SettingsRow, Column>>; events?: (changed: SettingsRow) => NewEvent[] };

/**
 * Changes a tournament in one transaction: lock, decide, write, emit, audit.
 * @param action recorded in the audit log, like `tournament.publish`
 * @param decide gets the locked row, the database's clock and the transaction, in which it may write to other domains
 *   too. It throws to refuse.
 * @throws NOT_FOUND, VERSION_MISMATCH when `If-Match` names another version
 */
export async function changeTournament(
  ctx: Context & { tournamentId: string; by: Origin },
  action: ProjectAuditAction,
  decide: (tournament: SettingsRow, now: Date, tx: Tx) => Change | Promise<Change>,
): Promise<TournamentDetail> {
  const version = expectedVersion(ctx.ifMatch);
  const { before, row } = await ctx.db.$transaction(async (tx) => {
    const { row: before, now } = await lockTournament(tx, ctx.tournamentId, settingsSelect);
    if (version !== undefined && version !== before.version) throw refuse('VERSION_MISMATCH');
    const { data, events } = await decide(before, now, tx);
    const row = await tx.tournament.update({
      where: { id: before.id },
      data: { ...data, ...announcement({ ...before, ...data }, now), version: { increment: 1 } },
      select: settingsSelect,
    });
    await record(tx, ctx.by, [...(events?.(row) ?? []), ...announcementEvents(before, row)], {
      projectId: row.projectId,
      action,
      targetType: 'tournament',
      targetId: row.id,
    });
    return { before, row };
  });
  await restartSchedule(row, before);
  return readDetail(ctx.db, row.id, true);
}
