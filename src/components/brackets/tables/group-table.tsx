'use client';

import { CircleMinus, MoveUpRight } from 'lucide-react';
import { explainRank, formatTieBreak, tieBreak } from '@/components/brackets/tables/tie-break-words';
import type { StandingsRow, StandingsTable } from '@/components/brackets/types';
import { cn } from '@/components/ui/cn';
import { Badge } from '@/components/ui/data/badge';

type Props = {
  name: string;
  rows: StandingsRow[];
  /** The row behind the last one, where it is on another page. */
  next?: StandingsRow | null;
  tiebreakers: string[];
  follow: string | null;
  /** How staff decided the ties. */
  ruling: StandingsTable['groups'][number]['ruling'];
  /** The winner of the tournament, where this table decides it. */
  champion?: string | null;
};

/** What has columns of its own, or says nothing as a number. */
const withoutColumn = new Set(['points', 'wins', 'games_won', 'seed', 'random', 'rounds_played']);

/** A table of a group or of a Swiss stage; each tie says in words what decided it. */
export function GroupTable({ name, rows, next = null, tiebreakers, follow, ruling, champion = null }: Props) {
  const shown = tiebreakers.filter((key) => !withoutColumn.has(key)).slice(0, 4);
  const hasDraws = rows.some(({ draws }) => draws > 0);
  const cell = 'figure px-2 text-end max-sm:px-1.5';
  const head = 'label h-9 whitespace-nowrap px-2 text-end text-muted max-sm:px-1.5';
  return (
    <div className="@container overflow-x-auto rounded border bg-surface">
      <table className="w-full text-sm">
        <caption className="sr-only">{name}</caption>
        <thead className="border-b">
          <tr>
            <th scope="col" className={cn(head, 'w-10 pl-3')}>
              <span aria-hidden>#</span>
              <span className="sr-only">Rank</span>
            </th>
            <th scope="col" className={cn(head, 'w-full text-start')}>
              Participant
            </th>
            <th scope="col" className={head}>
              <abbr title="Matches played" className="no-underline">
                P
              </abbr>
            </th>
            <th scope="col" className={head}>
              <abbr title={hasDraws ? 'Won, drawn, lost' : 'Won, lost'} className="no-underline">
                {hasDraws ? 'W–D–L' : 'W–L'}
              </abbr>
            </th>
            <th scope="col" className={cn(head, 'hidden @md:table-cell')}>
              Games
            </th>
            {shown.map((key) => (
              <th key={key} scope="col" className={cn(head, 'hidden @3xl:table-cell')}>
                <abbr title={tieBreak(key).sentence} className="no-underline">
                  {tieBreak(key).short}
                </abbr>
              </th>
            ))}
            <th scope="col" className={cn(head, 'pr-3')}>
              Pts
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => {
            const why = explainRank(row, rows[index + 1] ?? next ?? undefined, tiebreakers, ruling?.ties);
            const isChampion = champion === row.participantId;
            return (
              <tr
                key={row.participantId}
                data-participant={row.participantId}
                className={cn(
                  'border-b last:border-b-0',
                  follow === row.participantId && 'bg-accent-soft',
                  isChampion && 'bg-gold-soft',
                )}
              >
                <td className={cn(cell, 'pl-3', isChampion && 'text-gold')}>{row.rank}</td>
                <th scope="row" className="h-9 max-w-0 py-1.5 text-start font-normal">
                  <span className="flex items-center gap-2">
                    <span className="min-w-0 truncate font-medium">
                      <bdi>{row.name}</bdi>
                    </span>
                    {row.outcome === 'advanced' ? (
                      <Badge tone="accent" icon={MoveUpRight}>
                        Advances
                      </Badge>
                    ) : row.outcome === 'eliminated' ? (
                      <Badge icon={CircleMinus} className="max-sm:hidden">
                        Out
                      </Badge>
                    ) : null}
                  </span>
                  {why ? <span className="block text-xs text-muted">{why}</span> : null}
                </th>
                <td className={cell}>{row.played}</td>
                <td className={cn(cell, 'whitespace-nowrap')}>
                  {hasDraws ? `${row.wins}–${row.draws}–${row.losses}` : `${row.wins}–${row.losses}`}
                </td>
                <td className={cn(cell, 'hidden whitespace-nowrap @md:table-cell')}>
                  {row.gamesWon}–{row.gamesLost}
                </td>
                {shown.map((key) => (
                  <td key={key} className={cn(cell, 'hidden text-muted @3xl:table-cell')}>
                    {formatTieBreak(key, row.tiebreakers[key])}
                  </td>
                ))}
                <td className={cn(cell, 'pr-3 text-base')}>{row.points}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** The tie-breaks in the order they are applied, each in a sentence. */
export function TieBreakLegend({ tiebreakers }: { tiebreakers: string[] }) {
  if (tiebreakers.length === 0) return null;
  return (
    <details className="text-muted">
      <summary className="cursor-pointer py-1 font-medium">How ties are broken</summary>
      <ol className="mt-1 grid list-decimal gap-1 pl-5">
        {tiebreakers.map((key) => (
          <li key={key}>{tieBreak(key).sentence}</li>
        ))}
      </ol>
    </details>
  );
}
