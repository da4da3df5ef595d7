'use client';

import { useViewerZone } from '@/components/ui/text/date-time';
import { formatInstant, zoneName } from '@/domain/time/zones';

/** A date as a fixture list shows it: weekday, day, month, and the time with its zone, all the viewer's. */
export function DayBlock({ value, organizerZone }: { value: string; organizerZone: string }) {
  const zone = useViewerZone();
  const at = new Date(value);
  const part = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone }).format(at);
  const organizers = organizerZone === zone ? [] : [`${formatInstant(value, organizerZone)} for the organizer`];
  return (
    <time
      dateTime={value}
      title={[...organizers, formatInstant(value, 'UTC')].join('\n')}
      className="relative z-1 grid w-20 shrink-0 content-start justify-items-start sm:w-24"
    >
      <span className="label text-muted">
        {part({ weekday: 'short' })} {part({ day: 'numeric' })} {part({ month: 'short' }).slice(0, 3)}
      </span>
      <span className="figure text-xl text-ink">{part({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })}</span>
      <span className="text-xs text-faint">{zoneName(at, zone)}</span>
    </time>
  );
}
