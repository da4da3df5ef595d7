'use client';

import type { Tournament } from '@/components/tournaments/desk/queries';
import { Card } from '@/components/ui/data/card';
import { StatusBadge } from '@/components/ui/data/status-badge';
import { Countdown } from '@/components/ui/text/countdown';
import { DateTime, useViewerZone } from '@/components/ui/text/date-time';
import { formatInstant } from '@/domain/time/zones';
import {
  checkInWindow,
  nextWindowChange,
  phaseOf,
  registrationWindow,
  type Window,
} from '@/domain/tournaments/schedule';

function WindowRow({
  label,
  span,
  now,
  zone,
  isPublished,
  onChange,
}: {
  label: string;
  span: Window;
  now: number;
  zone: string;
  /** Whether the tournament is published and has not started. */
  isPublished: boolean;
  onChange: () => void;
}) {
  const phase = phaseOf(span, now);
  const nextChange = isPublished ? nextWindowChange(span, now) : null;
  const iso = (at: number) => new Date(at).toISOString();
  return (
    <li className="grid gap-1 px-5 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium">{label}</span>
        {isPublished ? <StatusBadge kind="window" status={phase} /> : null}
        {nextChange !== null ? (
          <span className="ml-auto flex items-baseline gap-2">
            <span className="text-muted">{phase === 'open' ? 'closes in' : 'opens in'}</span>
            <Countdown
              to={iso(nextChange)}
              size="sm"
              label={`${label} ${phase === 'open' ? 'closes' : 'opens'}`}
              onEnd={onChange}
            />
          </span>
        ) : null}
      </div>
      <p className="text-muted">
        {span.opensAt === null ? (
          phase === 'after' ? (
            'Never opened'
          ) : (
            <>
              Opens when an organizer opens it. Closes{' '}
              <DateTime value={iso(span.closesAt)} style="short" organizerZone={zone} />
            </>
          )
        ) : (
          <>
            <DateTime value={iso(span.opensAt)} style="short" organizerZone={zone} /> to{' '}
            <DateTime value={iso(span.closesAt)} style="short" organizerZone={zone} />
          </>
        )}
      </p>
    </li>
  );
}

/** Registration, check-in and start, each with a countdown to its next change. */
export function ScheduleCard({ tournament, onChange }: { tournament: Tournament; onChange: () => void }) {
  const viewerZone = useViewerZone();
  const now = Date.parse(tournament.serverTime);
  const isPublished = tournament.status === 'PUBLISHED';
  const { startDate, timezone } = tournament;
  const draft = tournament.status === 'DRAFT';
  const registration = draft && !tournament.registrationOpensAt ? null : registrationWindow(asPublished(tournament));
  return (
    <Card title="Schedule" description={`Time zone: ${timezone.replaceAll('_', ' ')}`} flush>
      <ul className="divide-y">
        {registration ? (
          <WindowRow
            label="Registration"
            span={registration}
            now={now}
            zone={timezone}
            isPublished={isPublished}
            onChange={onChange}
          />
        ) : (
          <li className="grid gap-1 px-5 py-3">
            <span className="font-medium">Registration</span>
            <p className="text-muted">Opens when you publish.</p>
          </li>
        )}
        <WindowRow
          label="Check-in"
          span={checkInWindow(tournament)}
          now={now}
          zone={timezone}
          isPublished={isPublished}
          onChange={onChange}
        />
        <li className="grid gap-1 px-5 py-3">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="font-medium">Start</span>
            {Date.parse(startDate) > now && (isPublished || draft) ? (
              <span className="ml-auto flex items-baseline gap-2">
                <span className="text-muted">in</span>
                <Countdown to={startDate} size="sm" label="The tournament starts" onEnd={onChange} />
              </span>
            ) : null}
          </div>
          <p className="text-muted">
            <DateTime value={startDate} organizerZone={timezone} />
            {formatInstant(startDate, timezone) === formatInstant(startDate, viewerZone) ? null : (
              <span className="block text-xs">{formatInstant(startDate, timezone)} in the tournament’s time zone</span>
            )}
          </p>
        </li>
      </ul>
    </Card>
  );
}

/** A draft as if published in time for its scheduled registration. */
function asPublished(tournament: Tournament): Tournament {
  if (tournament.publishedAt) return tournament;
  return { ...tournament, publishedAt: tournament.registrationOpensAt };
}
