'use client';

import { nameIn } from '@/components/matches/actions/match-names';
import {
  type GameText,
  gamesWon,
  needsWinner,
  type ResultText,
  visibleGames,
  winnerByScores,
} from '@/components/matches/actions/result-values';
import type { Match } from '@/components/matches/types';
import { RadioCards } from '@/components/ui/form/choices';
import { Field } from '@/components/ui/form/field';
import { Input } from '@/components/ui/form/input';

/** The scores of each game, and the winner where the scores do not say it. */
export function ResultFields({
  match,
  value,
  onChange,
  error,
}: {
  match: Match;
  value: ResultText;
  onChange: (value: ResultText) => void;
  error?: string;
}) {
  const { games, winnerId } = value;
  const names = match.slots.map(({ participantId }) => nameIn(match, participantId));
  const shown = visibleGames(match.bestOf, games);
  const [a, b] = gamesWon(games);
  const winner = winnerByScores(games);
  const noScores = games.every(([one, other]) => one === '' && other === '');

  function type(at: number, side: 0 | 1, text: string) {
    const next = games.map((game, index): GameText => {
      if (index !== at) return game;
      return side === 0 ? [text, game[1]] : [game[0], text];
    });
    onChange({ ...value, games: next });
  }

  return (
    <div className="grid grid-cols-1 gap-5">
      <table className="w-full table-fixed">
        <thead>
          <tr className="text-start">
            <th className="label w-20 pb-2 text-start text-muted">{match.bestOf > 1 ? 'Game' : 'Score'}</th>
            {names.map((name, side) => (
              <th key={match.slots[side]?.participantId ?? side} className="truncate pb-2 pl-3 text-start font-medium">
                <bdi>{name}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {games
            .slice(0, shown)
            .map((game, at) => ({ game, at }))
            .map(({ game, at }) => (
              <tr key={at}>
                <td className="figure py-1 text-muted">{match.bestOf > 1 ? at + 1 : ''}</td>
                {([0, 1] as const).map((side) => (
                  <td key={side} className="py-1 pl-3">
                    <Input
                      inputMode="numeric"
                      autoComplete="off"
                      maxLength={7}
                      autoFocus={at === 0 && side === 0}
                      aria-label={`Game ${at + 1}, ${names[side]}`}
                      value={game[side]}
                      onChange={(event) => type(at, side, event.target.value)}
                    />
                  </td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
      {needsWinner(match, games) ? (
        <Field
          group
          required
          label={noScores ? 'Or choose only the winner' : 'Winner'}
          hint={noScores ? undefined : 'The games are level, and this match needs a winner.'}
          error={error}
        >
          <RadioCards
            value={winnerId ?? ''}
            onValueChange={(next) => onChange({ ...value, winnerId: next })}
            options={match.slots.map(({ participantId }, side) => ({
              value: participantId ?? '',
              label: <bdi className="wrap-anywhere">{names[side]}</bdi>,
            }))}
          />
        </Field>
      ) : (
        <>
          <p role="status" className="text-muted">
            {winner === null ? (
              'The match is a draw.'
            ) : (
              <>
                <bdi className="font-medium text-ink">{names[winner]}</bdi> wins
                {match.bestOf > 1 ? ` ${Math.max(a, b)}–${Math.min(a, b)}` : ''}.
              </>
            )}
          </p>
          {error ? <p className="text-danger">{error}</p> : null}
        </>
      )}
    </div>
  );
}
