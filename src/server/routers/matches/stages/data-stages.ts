import type { Change } from '@/domain/brackets/play/patch';
import { apply } from '@/domain/brackets/play/progress';
import type { Ruling } from '@/domain/brackets/types';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { audit, type Origin, takeBulk } from '@/server/events/emit';
import { type LockedPlay, type StageRow, withBracket } from '@/server/routers/matches/data-bracket';
import { saveChange } from '@/server/routers/matches/data-changes';
import { correctedEvents, lostForfeits } from '@/server/routers/matches/results/data-corrections';
import { inBracket } from '@/server/routers/matches/rules';
import { updatedEvent } from '@/server/routers/tournaments/data-events';

function requireStage(play: LockedPlay, stageId: string): StageRow {
  const stage = play.stages.find(({ id }) => id === stageId);
  if (!stage) throw refuse('NOT_FOUND', { message: 'There is no such stage in this tournament.' });
  return stage;
}

/** Writes another order of participants; a match that somebody who left had forfeited may be open again in it. */
async function saveOrder(tx: Tx, by: Origin, play: LockedPlay, change: Change, changed: 'seeding' | 'standings') {
  const { tournament, bracket } = play;
  const corrected = lostForfeits(bracket, change.patch);
  await takeBulk(tx, by, tournament.projectId, corrected.length);
  const reopened = correctedEvents(play, corrected);
  const events = (rows: LockedPlay['rows']) => [updatedEvent(tournament, [changed]), ...reopened(rows)];
  return saveChange(tx, by, play, change, { corrected, events });
}

/**
 * Seeds a knockout that comes after another stage by hand, before anyone plays in it.
 * @throws NOT_FOUND, INVALID_STATE, VALIDATION_FAILED unless `order` has everyone in the stage once, QUOTA_EXCEEDED
 */
export async function seedStage(
  tx: Tx,
  by: Origin,
  tournamentId: string,
  { stageId, order }: { stageId: string; order: readonly string[] },
): Promise<LockedPlay> {
  const play = await withBracket(tx, tournamentId);
  const { number, name } = requireStage(play, stageId);
  const change = inBracket(() => apply(play.bracket, { type: 'reseed', stage: number, participantIds: order }), {
    INVALID_SEEDING: 'VALIDATION_FAILED',
  });
  const after = await saveOrder(tx, by, play, change, 'seeding');
  await audit(tx, by, {
    projectId: play.tournament.projectId,
    action: 'tournament.seed_stage',
    targetType: 'tournament',
    targetId: play.tournament.id,
    details: { stage: name, participants: order.length },
  });
  return after;
}

/**
 * Orders participants of a group who are tied on everything, or takes such a ruling back (`ruling` null).
 * @throws NOT_FOUND, INVALID_STATE, VALIDATION_FAILED unless everyone of a tie is named once, QUOTA_EXCEEDED
 */
export async function ruleTie(
  tx: Tx,
  by: Origin,
  tournamentId: string,
  { stageId, group, ruling }: { stageId: string; group: number; ruling: Ruling | null },
): Promise<LockedPlay> {
  // The last match ends the tournament before anyone can look at its table.
  const play = await withBracket(tx, tournamentId, { orCompleted: true });
  const stage = requireStage(play, stageId);
  const before = stage.groups.find((one) => one.number === group)?.ruling ?? null;
  if (before === null && ruling === null) return play;
  const change = inBracket(() => apply(play.bracket, { type: 'rule_tie', stage: stage.number, group, ruling }), {
    INVALID_SEEDING: 'VALIDATION_FAILED',
  });
  const after = await saveOrder(tx, by, play, change, 'standings');
  await audit(tx, by, {
    projectId: play.tournament.projectId,
    action: ruling ? 'tournament.rule_tie' : 'tournament.withdraw_ruling',
    targetType: 'tournament',
    targetId: play.tournament.id,
    details: { stage: stage.name, group, ...(ruling ? { order: [...ruling.order], reason: ruling.reason } : {}) },
  });
  return after;
}
