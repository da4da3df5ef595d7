import { isDecided } from '@/domain/brackets/play/match-state';
import type { Context } from '@/server/context';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { expectedVersion } from '@/server/if-match';
import { type LockedPlay, type MatchRow, matchRow, withBracket } from '@/server/routers/matches/data-bracket';
import { matchOf } from '@/server/routers/matches/data-views';
import type { MatchOutput } from '@/server/routers/matches/schema';
import { triggerConfirmation } from './data-results';

/** What `matchProcedure` adds to the context, as far as a change needs it. */
type Gate = { ctx: Pick<Context, 'db' | 'ifMatch'> & { match: { id: string; tournamentId: string } } };

/**
 * Runs one change of a match under its tournament's lock, and returns the match as it is then.
 * @throws VERSION_MISMATCH when `version` or `If-Match` is not the match's
 */
export async function changeMatch(
  { ctx }: Gate,
  version: number | undefined,
  change: (tx: Tx, play: LockedPlay, row: MatchRow) => Promise<LockedPlay>,
): Promise<MatchOutput> {
  const { id, tournamentId } = ctx.match;
  const expected = expectedVersion(ctx.ifMatch, version);
  const play = await ctx.db.$transaction(async (tx) => {
    const locked = await withBracket(tx, tournamentId, { orCompleted: true });
    const row = matchRow(locked, id);
    if (expected !== undefined && expected !== row.version) throw refuse('VERSION_MISMATCH');
    return change(tx, locked, row);
  });
  const row = matchRow(play, id);
  if (!isDecided(row)) await triggerConfirmation(play, id);
  return matchOf(play, row);
}
