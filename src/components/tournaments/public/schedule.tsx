'use client';

import { Check } from 'lucide-react';
import { useServerNow } from '@/components/tournaments/use-server-now';
import { type Tournament, useTournament } from '@/components/tournaments/use-tournament';
import { cn } from '@/components/ui/cn';
import { Countdown } from '@/components/ui/text/countdown';
import { DateTime } from '@/components/ui/text/date-time';
import { phaseChanges } from '@/domain/tournaments/phase';
import { checkInWindow, registrationWindow } from '@/domain/tournaments/schedule';

/** `past` is the label once the moment has passed; `note` stands in for a missing time. */
type Step = { label: string; past: string; at: number | null; note?: string };

function stepsOf(tournament: Tournament): Step[] {
  const start = Date.parse(tournament.startDate);
  const registration = registrationWindow(tournament);
  const checkIn = checkInWindow(tournament);
  const steps: Step[] = [
    {
      label: 'Registration opens',
      past: 'Registration opened',
      at: registration.opensAt,
      note: 'When the tournament is published',
    },
    { label: 'Registration closes', past: 'Registration closed', at: registration.closesAt, note: 'At the start' },
  ];
  if (checkIn.opensAt !== null) {
    steps.push(
      { label: 'Check-in opens', past: 'Check-in opened', at: checkIn.opensAt },
      { label: 'Check-in closes', past: 'Check-in closed', at: checkIn.closesAt },
    );
  }
  if (tournament.teamSize > 1 && tournament.rosterLockAt) {
    steps.push({ label: 'Rosters lock', past: 'Rosters locked', at: Date.parse(tournament.rosterLockAt) });
  }
  steps.push({ label: 'Start', past: 'Start', at: start });
  // Anything that happens at the start is covered by the start itself.
  return steps.filter(({ label, at }) => label === 'Start' || at !== start).sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
}

/** The tournament's schedule: what has passed, and a countdown to what comes next. */
export function Schedule({ slug }: { slug: string }) {
  const tournament = useTournament(slug);
  const now = useServerNow(tournament.serverTime, phaseChanges(tournament));
  const steps = stepsOf(tournament);
  const isOver = ['COMPLETED', 'CANCELLED', 'IN_PROGRESS'].includes(tournament.status);
  const nextIndex = isOver ? -1 : steps.findIndex(({ at }) => at !== null && at > now);
  return (
    <ol className="border-l border-line-strong">
      {steps.map((step, index) => {
        const next = index === nextIndex;
        const done = step.at !== null && step.at <= now;
        return (
          <li
            key={step.label}
            aria-current={next ? 'step' : undefined}
            className={cn(
              'relative flex flex-wrap items-baseline gap-x-4 gap-y-0.5 py-2.5 pl-6',
              'before:absolute before:top-5 before:left-0 before:w-3.5 before:border-t before:border-line-strong',
              next && 'before:border-t-2 before:border-accent',
            )}
          >
            <span className={cn('w-40 font-medium', next ? 'text-ink' : 'text-muted')}>
              {done ? step.past : step.label}
              {done ? (
                <>
                  <Check aria-hidden className="ml-1.5 inline size-4 align-text-bottom text-accent" />
                  <span className="sr-only"> (done)</span>
                </>
              ) : null}
            </span>
            <span className="min-w-44 flex-1 text-muted">
              {step.at === null ? (
                step.note
              ) : (
                <DateTime value={new Date(step.at)} organizerZone={tournament.timezone} />
              )}
            </span>
            {next && step.at !== null ? (
              <span className="flex items-baseline gap-1.5 text-muted">
                in <Countdown to={new Date(step.at)} label={step.label} size="sm" className="text-accent" />
              </span>
            ) : null}
          </li>
        );
      })}
    </ol>
  );
}
