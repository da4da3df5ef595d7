import { isDecided } from '@/domain/brackets/play/match-state';
import { isComplete } from '@/domain/brackets/play/outcomes';
import { refuse } from '@/server/errors';
import { audit } from '@/server/events/emit';
import { expectedVersion } from '@/server/if-match';
import { type LockedPlay, withBracket } from '@/server/routers/matches/data-bracket';
import { saveChange, unchanged } from '@/server/routers/matches/data-changes';
import { tournamentIdInput } from '@/server/routers/matches/schema';
import { readDetail } from '@/server/routers/tournaments/data';
import { tournamentProcedure } from '@/server/routers/tournaments/gate';
import { tournamentDetail } from '@/server/routers/tournaments/schema';

/** How many open matches a refusal names. */
const named = 10;

/** What keeps a tournament from being over, in a sentence. */
function whatIsLeft({ bracket }: LockedPlay): string {
  const open = bracket.matches.filter((match) => !isDecided(match)).map(({ number }) => String(number));
  if (open.length === 0) return 'A round is still to be drawn.';
  if (open.length === 1) return `Match ${open[0]} is still to be played.`;
  const more = open.length - named;
  const list = more > 0 ? [...open.slice(0, named), `${more} more`] : open;
  return `${open.length} matches are still to be played: ${new Intl.ListFormat('en').format(list)}.`;
}

export const complete = tournamentProcedure('tournaments:write')
  .meta({
    openapi: {
      method: 'POST',
      path: '/tournaments/{tournamentId}/complete',
      tags: ['Brackets'],
      summary: 'Complete a tournament',
      description:
        'A tournament completes by itself with its last match, so this is only needed where nothing is left to play and it did not. With matches left it is refused, and the message names them: decide or forfeit them, or cancel the tournament.',
    },
    errors: ['INVALID_STATE', 'BRACKET_NOT_AVAILABLE', 'MATCHES_LEFT', 'VERSION_MISMATCH'],
    wholeDraw: true,
  })
  .input(tournamentIdInput)
  .output(tournamentDetail)
  .mutation(async ({ ctx }) => {
    const expected = expectedVersion(ctx.ifMatch);
    await ctx.db.$transaction(async (tx) => {
      const play = await withBracket(tx, ctx.tournamentId);
      if (expected !== undefined && expected !== play.tournament.version) throw refuse('VERSION_MISMATCH');
      if (!isComplete(play.bracket)) throw refuse('MATCHES_LEFT', { message: whatIsLeft(play) });
      await saveChange(tx, ctx.by, play, unchanged(play.bracket));
      await audit(tx, ctx.by, {
        projectId: play.tournament.projectId,
        action: 'tournament.complete',
        targetType: 'tournament',
        targetId: play.tournament.id,
      });
    });
    return readDetail(ctx.db, ctx.tournamentId, true);
  });
