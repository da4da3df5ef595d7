'use client';

import { views } from '@/components/tournaments/desk/grid/views';
import type { DeskRow, Tournament } from '@/components/tournaments/desk/queries';
import { Progress } from '@/components/ui/data/progress';
import { Countdown } from '@/components/ui/text/countdown';
import { holdsSlot } from '@/domain/participants/statuses';
import { checkInWindow, nextWindowChange, phaseOf, registrationWindow } from '@/domain/tournaments/schedule';

type Deadline = { label: string; at: number };

/** The next opening, closing or start to count down to. */
export function nextDeadline(tournament: Tournament, now: number): Deadline | null {
  if (tournament.status !== 'PUBLISHED') return null;
  const checkIn = checkInWindow(tournament);
  const registration = registrationWindow(tournament);
  const turnOf = (word: string, span: ReturnType<typeof checkInWindow>): Deadline[] => {
    const at = nextWindowChange(span, now);
    return at === null ? [] : [{ label: `${word} ${phaseOf(span, now) === 'open' ? 'closes' : 'opens'} in`, at }];
  };
  const start = Date.parse(tournament.startDate);
  const turns = [
    ...turnOf('Check-in', checkIn),
    ...turnOf('Registration', registration),
    ...(start > now ? [{ label: 'Starts in', at: start }] : []),
  ];
  return turns.sort((a, b) => a.at - b.at)[0] ?? null;
}

/** Slots, check-ins, pending registrations, the waitlist and the next deadline in one line. */
export function Readiness({
  tournament,
  rows,
  complete,
}: {
  tournament: Tournament;
  rows: readonly DeskRow[];
  complete: boolean;
}) {
  const { currentParticipants: taken, maxParticipants: slots, serverTime } = tournament;
  const count = (view: keyof typeof views) => rows.filter(views[view].includes).length;
  const checkedIn = count('checkedIn');
  const held = rows.filter(holdsSlot).length;
  const waiting = [
    { label: 'awaiting approval', value: count('pending') },
    { label: 'on the waitlist', value: count('waitlisted') },
  ].filter(({ value }) => value > 0);
  const turn = nextDeadline(tournament, Date.parse(serverTime));
  return (
    <div className="flex flex-wrap items-end gap-x-8 gap-y-3 max-sm:grid max-sm:grid-cols-2 max-sm:gap-x-4">
      <Progress
        className="w-44 max-sm:w-auto xl:w-56"
        value={taken}
        max={slots}
        label={taken >= slots ? 'Full' : 'Slots taken'}
      />
      {complete && held > 0 && tournament.status === 'PUBLISHED' ? (
        <Progress
          className="w-44 max-sm:w-auto xl:w-56"
          value={checkedIn}
          max={held}
          label="Checked in"
          tone={tournament.checkInOpen ? 'live' : 'accent'}
        />
      ) : null}
      {complete
        ? waiting.map(({ label, value }) => (
            <p key={label} className="flex items-baseline gap-2 text-muted">
              <span className="figure text-xl text-ink">{value}</span> {label}
            </p>
          ))
        : null}
      {turn ? (
        <p className="flex items-baseline gap-2 max-sm:col-span-2 sm:ml-auto">
          <span className="text-muted">{turn.label}</span>
          <Countdown to={new Date(turn.at).toISOString()} label={turn.label} size="sm" />
        </p>
      ) : null}
    </div>
  );
}
