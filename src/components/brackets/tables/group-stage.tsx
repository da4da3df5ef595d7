'use client';

import { useRef, useState } from 'react';
import { FollowSelect } from '@/components/brackets/follow-select';
import type { MatchHref } from '@/components/brackets/knockout/knockout-tree';
import { isRoundOver } from '@/components/brackets/knockout/layout';
import { MatchCard } from '@/components/brackets/match-card';
import { GroupTable, TieBreakLegend } from '@/components/brackets/tables/group-table';
import type { BracketMatch, BracketRound, BracketStage } from '@/components/brackets/types';
import { useFollow } from '@/components/brackets/use-follow';
import { useMatchLinks } from '@/components/brackets/use-match-links';
import { Button } from '@/components/ui/form/button';
import { usePrinting } from '@/components/ui/page/use-printing';
import { groupName } from '@/domain/brackets/draw/groups';

type Props = { stage: BracketStage; href: MatchHref; onOpen: (match: number) => void };

/** The participants' results before each round of a Swiss stage: who meets with the same record. */
function recordsBefore(stage: BracketStage, round: number): Map<string, string> {
  const totals = new Map<string, { wins: number; losses: number }>();
  for (const { number, matches } of stage.rounds) {
    if (number >= round) continue;
    for (const { participantId, result } of matches.flatMap(({ slots }) => slots)) {
      if (participantId === null || result === null) continue;
      const total = totals.get(participantId) ?? { wins: 0, losses: 0 };
      if (result === 'win') total.wins++;
      else if (result !== 'draw') total.losses++;
      totals.set(participantId, total);
    }
  }
  return new Map([...totals].map(([id, { wins, losses }]) => [id, `${wins}–${losses}`]));
}

/** Rows of a table that are shown above the matches until someone asks for all. */
const firstShown = 64;

type MatchGroup = { title: string; matches: BracketMatch[] };

/** The matches of a round under headings: by group, or by record in a Swiss stage. */
function headed(stage: BracketStage, round: BracketRound): MatchGroup[] {
  const records = stage.type === 'swiss' ? recordsBefore(stage, round.number) : null;
  const groups = new Map<string, BracketMatch[]>();
  const single = (stage.standings?.groups.length ?? 0) < 2;
  for (const match of round.matches) {
    const first = match.slots.find(({ participantId }) => participantId !== null)?.participantId ?? '';
    const title = records
      ? round.number === 1
        ? ''
        : (records.get(first) ?? '0–0')
      : single || match.group === null
        ? ''
        : `Group ${groupName(match.group)}`;
    groups.set(title, [...(groups.get(title) ?? []), match]);
  }
  return [...groups].map(([title, matches]) => ({ title, matches }));
}

/** A stage with tables: groups, round robin or Swiss, one round of matches at a time. */
export function GroupStage({ stage, href, onOpen }: Props) {
  const area = useRef<HTMLDivElement>(null);
  useMatchLinks(area, onOpen);
  const [follow, setFollow] = useFollow();
  const [chosen, setChosen] = useState<string | null>(null);
  const [isAsked, setIsAsked] = useState(false);
  const isPrinting = usePrinting();
  const showsAll = isAsked || isPrinting;
  const keyOf = (round: BracketRound) => `${round.bracket}-${round.number}`;
  const round =
    stage.rounds.find((one) => keyOf(one) === chosen) ??
    stage.rounds.find((one) => !isRoundOver(one)) ??
    stage.rounds.at(-1);
  const tables = stage.standings?.groups ?? [];
  const tiebreakers = stage.standings?.tiebreakers ?? [];

  return (
    <div ref={area} className="mx-auto grid w-full max-w-276 grid-cols-1 gap-6">
      <div className="print:hidden">
        <FollowSelect matches={stage.rounds.flatMap(({ matches }) => matches)} value={follow} onChange={setFollow} />
      </div>
      <div className={tables.length > 1 ? 'grid grid-cols-1 gap-6 xl:grid-cols-2' : 'grid grid-cols-1'}>
        {tables.map((table) => (
          <section key={table.id} className="grid grid-cols-1 content-start gap-2">
            {tables.length > 1 ? <h3 className="display text-lg">Group {table.name}</h3> : null}
            <GroupTable
              name={tables.length > 1 ? `Group ${table.name}` : stage.name}
              rows={showsAll ? table.rows : table.rows.slice(0, firstShown)}
              next={showsAll ? null : table.rows[firstShown]}
              tiebreakers={tiebreakers}
              follow={follow}
              ruling={table.ruling}
            />
            {!showsAll && table.rows.length > firstShown ? (
              <Button className="justify-self-start print:hidden" onClick={() => setIsAsked(true)}>
                Show all {table.rows.length}
              </Button>
            ) : null}
            {table.ruling ? (
              <p className="text-muted">
                Decided by staff: <bdi className="text-ink">{table.ruling.reason}</bdi>
              </p>
            ) : null}
          </section>
        ))}
      </div>
      <TieBreakLegend tiebreakers={tiebreakers} />
      {stage.endedEarly ? (
        <p className="rounded border px-4 py-3 text-muted">
          The stage ended early: no pairing without a rematch was left.
        </p>
      ) : null}
      <div className="flex gap-1 overflow-x-auto [scrollbar-width:none] print:hidden">
        {stage.rounds.map((one) => (
          <button
            key={keyOf(one)}
            type="button"
            aria-pressed={one === round}
            onClick={() => setChosen(keyOf(one))}
            className="h-9 shrink-0 rounded px-3 font-medium whitespace-nowrap text-muted hover:bg-hover aria-pressed:bg-accent-soft aria-pressed:text-accent max-sm:h-11"
          >
            {one.name}
          </button>
        ))}
      </div>
      {round ? (
        <section aria-label={round.name} className="grid grid-cols-1 gap-4">
          {headed(stage, round).map(({ title, matches }) => (
            <div key={title} className="grid grid-cols-1 gap-2">
              {title ? <h3 className="figure text-base text-muted">{title}</h3> : null}
              <ol className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,15rem),1fr))] gap-3">
                {matches.map((match) => (
                  <li key={match.number}>
                    <MatchCard
                      match={match}
                      href={href(match)}
                      followed={match.slots.some(({ participantId }) => participantId === follow) ? follow : null}
                      champion={null}
                    />
                  </li>
                ))}
              </ol>
            </div>
          ))}
        </section>
      ) : null}
    </div>
  );
}
