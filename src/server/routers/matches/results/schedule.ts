import { isBeingPlayed } from '@/domain/matches/play';
import { isForLater } from '@/domain/matches/stations';
import { week } from '@/domain/time/durations';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import type { Origin } from '@/server/events/emit';
import type { LockedPlay, MatchRow } from '@/server/routers/matches/data-bracket';
import { saveChange, withoutReport } from '@/server/routers/matches/data-changes';
import { matchEvent } from '@/server/routers/matches/data-events';
import { addLines } from '@/server/routers/matches/data-lines';
import { matchProcedure, moderatedMatchProcedure } from '@/server/routers/matches/gate';
import { requireOpen } from '@/server/routers/matches/rules';
import { answerInput, match, matchIdInput, rescheduleInput } from '@/server/routers/matches/schema';
import { changeMatch } from './data-change-match';
import { auditMatch, sideOf, subjectOf, takeAnswer } from './data-results';

const tags = ['Matches'];
const common = ['INVALID_STATE', 'MATCH_NOT_READY', 'MATCH_ALREADY_DECIDED', 'VERSION_MISMATCH'] as const;

/**
 * How long after the later of now and the start of the tournament players may play. What two of them agree on stands in everybody's
 * calendar of the tournament, whose own entry lasts until its last match.
 */
const furthestProposal = 12 * week;

/**
 * Moves a match to a time; one that waits to be played counts as scheduled then, and a report of it is taken off. `side` is the
 * participant who agreed: players who move their match to much later also give up its station, which staff may keep for it.
 */
async function moveTo(
  tx: Tx,
  by: Origin,
  play: LockedPlay,
  row: MatchRow,
  { scheduledAt, side }: { scheduledAt: string; side: string | null },
): Promise<LockedPlay> {
  const details = { scheduledAt, previousScheduledAt: row.scheduledAt };
  await addLines(tx, by, { matchId: row.id, participantId: side, kind: 'rescheduled', details });
  const status = row.status === 'pending' ? row.status : 'scheduled';
  const isAway = side !== null && isForLater({ scheduledAt }, play.now.getTime());
  // Who was called for the earlier time does not have to be there now.
  const moved = { scheduledAt, proposal: null, status, calledAt: null, showUpBy: null } as const;
  return saveChange(tx, by, play, null, {
    columns: new Map([[row.number, { ...withoutReport(row), ...moved, ...(isAway ? { stationId: null } : {}) }]]),
    events: (rows) => [
      matchEvent('match.rescheduled', subjectOf(play, rows, row.number), { previousScheduledAt: row.scheduledAt }),
    ],
  });
}

/** A match moves while nobody has begun it. */
function requireUnplayed(row: MatchRow): void {
  if (row.status === 'pending') return;
  requireOpen(row);
  if (isBeingPlayed(row)) throw refuse('INVALID_STATE', { message: 'This match is being played.' });
}

export const reschedule = matchProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/matches/{matchId}/reschedule',
      tags,
      summary: 'Propose another time',
      description:
        'By a player: the other side accepts or declines it; it is at most 12 weeks after the later of now and the start of the tournament. By a moderator: sets the time at once, and takes off a report that nobody has answered.',
    },
    errors: common,
    quotas: ['matchAnswers', 'matchLines'],
    wholeDraw: true,
  })
  .input(rescheduleInput)
  .output(match)
  .mutation(({ ctx, input }) =>
    changeMatch({ ctx }, undefined, async (tx, play, row) => {
      requireUnplayed(row);
      const scheduledAt = new Date(input.scheduledAt).toISOString();
      const side = sideOf(row, ctx.match.mine);
      if (side === null) {
        if (!ctx.canModerate) throw refuse('NOT_IN_MATCH');
        // Nothing to say when the match is at that time already and nobody has proposed another.
        if (row.scheduledAt === scheduledAt && row.proposal === null) return play;
        const after = await moveTo(tx, ctx.by, play, row, { scheduledAt, side });
        await auditMatch(tx, ctx.by, play, row, 'reschedule', { scheduledAt });
        return after;
      }
      if (row.status === 'pending') throw refuse('MATCH_NOT_READY');
      // A report says that the match has been played, so the other side answers it before the two move the match.
      if (row.report) throw refuse('INVALID_STATE', { message: 'A result is reported. Confirm or dispute it first.' });
      const now = play.now.getTime();
      if (Date.parse(scheduledAt) <= now) {
        throw refuse('VALIDATION_FAILED', { issues: [{ path: 'scheduledAt', message: 'must be in the future' }] });
      }
      if (Date.parse(scheduledAt) > Math.max(now, play.tournament.startDate.getTime()) + furthestProposal) {
        const message = `must be in the next ${furthestProposal / week} weeks; a moderator can set a later time`;
        throw refuse('VALIDATION_FAILED', { issues: [{ path: 'scheduledAt', message }] });
      }
      if (scheduledAt === row.scheduledAt) {
        throw refuse('VALIDATION_FAILED', { issues: [{ path: 'scheduledAt', message: 'is the time it has already' }] });
      }
      if (row.proposal?.by === side && row.proposal.scheduledAt === scheduledAt) return play;
      // Two sides that propose the same have agreed.
      if (row.proposal?.scheduledAt === scheduledAt) return moveTo(tx, ctx.by, play, row, { scheduledAt, side });
      await takeAnswer(tx, { matchId: row.id, side, userId: ctx.actingUser.id });
      await addLines(tx, ctx.by, { matchId: row.id, participantId: side, kind: 'proposal', details: { scheduledAt } });
      const proposedAt = play.now.toISOString();
      const proposal = { scheduledAt, by: side, userId: ctx.actingUser.id, proposedAt };
      return saveChange(tx, ctx.by, play, null, { columns: new Map([[row.number, { proposal }]]) });
    }),
  );

/** The time that the other side proposed to the caller; staff may answer in place of a side. */
function proposalTo(row: MatchRow, mine: readonly string[], canModerate: boolean) {
  requireUnplayed(row);
  if (!row.proposal) throw refuse('INVALID_STATE', { message: 'Nobody has proposed another time.' });
  const side = sideOf(row, mine);
  if (side === null && !canModerate) throw refuse('NOT_IN_MATCH');
  return { proposal: row.proposal, side, isOwn: side === row.proposal.by };
}

export const acceptTime = matchProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/matches/{matchId}/reschedule/accept',
      tags,
      summary: 'Accept the proposed time',
      description:
        'By the side that did not propose it, or a moderator. A proposal can change until then: send the `version` of the match that you looked at.',
    },
    errors: common,
    wholeDraw: true,
  })
  .input(answerInput)
  .output(match)
  .mutation(({ ctx, input }) =>
    changeMatch({ ctx }, input.version, async (tx, play, row) => {
      const { proposal, side, isOwn } = proposalTo(row, ctx.match.mine, ctx.canModerate);
      if (isOwn) throw refuse('INVALID_STATE', { message: 'Your opponent has to accept what you proposed.' });
      if (Date.parse(proposal.scheduledAt) <= play.now.getTime()) {
        throw refuse('INVALID_STATE', { message: 'The proposed time has passed. Propose another one.' });
      }
      return moveTo(tx, ctx.by, play, row, { scheduledAt: proposal.scheduledAt, side });
    }),
  );

export const declineTime = matchProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/matches/{matchId}/reschedule/decline',
      tags,
      summary: 'Decline the proposed time',
      description: 'By either side or a moderator; who proposed it takes it back so.',
    },
    errors: common,
    quotas: ['matchAnswers', 'matchLines'],
    wholeDraw: true,
  })
  .input(matchIdInput)
  .output(match)
  .mutation(({ ctx }) =>
    changeMatch({ ctx }, undefined, async (tx, play, row) => {
      const { proposal, side, isOwn } = proposalTo(row, ctx.match.mine, ctx.canModerate);
      const kind = isOwn ? 'proposal_withdrawn' : 'proposal_declined';
      const details = { scheduledAt: proposal.scheduledAt };
      if (side !== null && isOwn) await takeAnswer(tx, { matchId: row.id, side, userId: ctx.actingUser.id });
      await addLines(tx, ctx.by, { matchId: row.id, participantId: side, kind, details });
      return saveChange(tx, ctx.by, play, null, { columns: new Map([[row.number, { proposal: null }]]) });
    }),
  );

export const begin = moderatedMatchProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/matches/{matchId}/start',
      tags,
      summary: 'Say that a match is being played',
      description:
        'By a moderator: from then on, its rosters are locked. A report that nobody has answered is taken off: what is played now is reported again.',
    },
    errors: common,
    wholeDraw: true,
  })
  .input(matchIdInput)
  .output(match)
  .mutation(({ ctx }) =>
    changeMatch({ ctx }, undefined, async (tx, play, row) => {
      requireOpen(row);
      if (isBeingPlayed(row)) throw refuse('INVALID_STATE', { message: 'This match is being played already.' });
      const started = { status: 'in_progress' as const, startedAt: play.now.toISOString(), proposal: null };
      const after = await saveChange(tx, ctx.by, play, null, {
        columns: new Map([[row.number, { ...withoutReport(row), ...started }]]),
        events: (rows) => [matchEvent('match.started', subjectOf(play, rows, row.number), {})],
      });
      await auditMatch(tx, ctx.by, play, row, 'start');
      return after;
    }),
  );
