'use client';

import { BellOff, BellRing, ChevronDown, MapPin, Tv, UserX } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import type { DeskActions } from '@/components/matches/desk/use-desk-actions';
import type { Match, Station } from '@/components/matches/types';
import { Button } from '@/components/ui/form/button';
import { Menu, MenuChoices, MenuLabel } from '@/components/ui/overlay/menu';
import { Countdown } from '@/components/ui/text/countdown';
import { DateTime } from '@/components/ui/text/date-time';

const ForfeitDialog = dynamic(() =>
  import('@/components/matches/actions/forfeit-dialog').then((file) => file.ForfeitDialog),
);

const nowhere = 'none';

/** Until when the called players have time to show up, or that it is over. */
export function CallTime({ match, timeIsOver }: { match: Match; timeIsOver: boolean }) {
  const { number, showUpBy } = match;
  if (showUpBy === null) return null;
  if (timeIsOver) {
    return (
      <p className="font-medium text-danger">
        Time to show up ended <DateTime value={showUpBy} style="time" />
      </p>
    );
  }
  return (
    <p className="flex flex-wrap items-baseline gap-x-1.5 text-muted">
      Called, show up by <DateTime value={showUpBy} style="time" />
      <Countdown to={showUpBy} label={`M${number}: time to show up`} size="sm" className="text-ink" />
    </p>
  );
}

/** Where a match is played and whether its players were called, with one button for each. */
export function MatchPlace({
  match,
  stations,
  actions,
  queue,
  timeIsOver,
}: {
  match: Match;
  stations: readonly Station[];
  actions: DeskActions;
  /** Ids of the matches in the stream queue. */
  queue: readonly string[];
  /** Whether the called players have had their time to show up. */
  timeIsOver: boolean;
}) {
  const [noShow, setNoShow] = useState(false);
  const { assign, call } = actions;
  const { id, number, status, stationId, calledAt } = match;
  const isWaiting = status === 'ready' || status === 'scheduled';
  const isQueued = queue.includes(id);
  const assigning = assign.isPending && assign.variables.matchId === id;
  // The new station shows at once.
  const shown = assigning ? assign.variables.stationId : stationId;
  const name = stations.find((station) => station.id === shown)?.name;
  return (
    <>
      <fieldset aria-label={`Place of M${number}`} className="flex min-w-0 flex-wrap gap-2">
        {stations.length > 0 ? (
          <Menu
            align="start"
            trigger={
              <Button
                size="sm"
                className="max-w-full"
                aria-busy={assigning || undefined}
                icon={<MapPin aria-hidden />}
                aria-label={`Station of M${number}: ${name ?? 'none'}`}
              >
                <span className="truncate">{name ?? 'Assign station'}</span>
                <ChevronDown aria-hidden />
              </Button>
            }
          >
            <MenuLabel>Station</MenuLabel>
            <MenuChoices
              value={shown ?? nowhere}
              onValueChange={(value) => actions.assignTo(match, value === nowhere ? null : value)}
              options={[
                ...stations.map((station) => ({ value: station.id, label: <bdi>{station.name}</bdi> })),
                { value: nowhere, label: 'None' },
              ]}
            />
          </Menu>
        ) : null}
        {isWaiting ? (
          <Button
            size="sm"
            data-action="call"
            loading={call.isPending && call.variables.matchId === id}
            icon={calledAt === null ? <BellRing aria-hidden /> : <BellOff aria-hidden />}
            onClick={() => actions.toggleCall(match)}
          >
            {calledAt === null ? 'Call players' : 'Take call back'}
          </Button>
        ) : null}
        {timeIsOver ? (
          <Button size="sm" data-action="no-show" icon={<UserX aria-hidden />} onClick={() => setNoShow(true)}>
            No-show
          </Button>
        ) : null}
        <Button
          size="sm"
          variant="ghost"
          data-action="stream"
          aria-pressed={isQueued}
          icon={<Tv aria-hidden />}
          onClick={() =>
            isQueued
              ? actions.setQueue(
                  queue,
                  queue.filter((one) => one !== id),
                  `M${number} left the stream queue`,
                )
              : actions.setQueue(queue, [...queue, id], `M${number} is in the stream queue`)
          }
        >
          {isQueued ? 'In stream queue' : 'Stream'}
        </Button>
      </fieldset>
      {noShow ? <ForfeitDialog match={match} noShow onClose={() => setNoShow(false)} /> : null}
    </>
  );
}
