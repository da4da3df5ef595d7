import { Trophy } from 'lucide-react';
import { slotName, slotResult, slotScore } from '@/components/brackets/match-words';
import type { BracketMatch } from '@/components/brackets/types';
import { cn } from '@/components/ui/cn';

type Props = {
  match: Pick<BracketMatch, 'slots' | 'games' | 'winnerId' | 'decidedBy'>;
  /** Draws a trophy beside the winner of the tournament. */
  champion?: string | null;
};

/** Both sides with their games, one column for each game. */
export function GameTable({ match, champion = null }: Props) {
  const { slots } = match;
  const games = match.games.map((game, at) => ({ ...game, number: at + 1 }));
  return (
    <div className="overflow-x-auto rounded border bg-surface">
      <table className="w-full">
        <caption className="sr-only">Games</caption>
        <thead>
          <tr className="border-b">
            <th scope="col" className="label h-8 px-3 text-start text-muted">
              Participant
            </th>
            {games.map(({ number }) => (
              <th key={number} scope="col" className="label px-2 text-end text-muted">
                <span aria-hidden>{number}</span>
                <span className="sr-only">Game {number}</span>
              </th>
            ))}
            <th scope="col" className="label px-3 text-end text-muted">
              Score
            </th>
          </tr>
        </thead>
        <tbody>
          {slots.map((slot, side) => {
            const won = slot.result === 'win';
            const isChampion = champion !== null && slot.participantId === champion;
            return (
              <tr
                key={side === 0 ? 'first' : 'second'}
                className={cn('border-b last:border-b-0', isChampion && 'bg-gold-soft text-gold')}
              >
                <th scope="row" className={cn('h-11 px-3 text-start', won ? 'font-semibold' : 'font-normal')}>
                  <span className="flex items-center gap-2">
                    <span className="figure w-6 shrink-0 text-end text-xs text-faint">{slot.seed}</span>
                    <span className={cn('min-w-0 wrap-anywhere', slot.participantId === null && 'text-faint')}>
                      <bdi>{slotName(slot)}</bdi>
                    </span>
                    {isChampion ? <Trophy role="img" aria-label="Champion" className="size-4 shrink-0" /> : null}
                  </span>
                </th>
                {games.map((game) => (
                  <td
                    key={game.number}
                    className={cn(
                      'figure px-2 text-end',
                      game.winnerId !== null && game.winnerId === slot.participantId ? 'text-ink' : 'text-muted',
                    )}
                  >
                    {game.scores?.[side] ?? (game.winnerId === slot.participantId ? 'W' : 'L')}
                  </td>
                ))}
                <td className={cn('figure px-3 text-end text-lg', won && !isChampion && 'text-accent')}>
                  {slotScore(slot) || '–'}
                  <span className="sr-only"> {slotResult(slot)}</span>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
