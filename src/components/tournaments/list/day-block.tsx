'use client';

import { useViewerZone } from '@/components/ui/text/date-time';
import { formatInstant, partsOf, zoneName } from '@/domain/time/zones';

/** Date and start time in the viewer's time zone, with the zone named. */
export function DayBlock({ value, organizerZone }: { value: string; organizerZone: string }) {
  const zone = useViewerZone();
  const at = new Date(value);
  const { weekday, day, month, time } = partsOf(at, zone);
  const organizerTime = organizerZone === zone ? [] : [`${formatInstant(value, organizerZone)} organizer’s time`];
  return (
    <time
      dateTime={value}
      title={[...organizerTime, formatInstant(value, 'UTC')].join('\n')}
      className="relative z-1 grid w-20 shrink-0 content-start justify-items-start sm:w-24"
    >
      <span className="label text-muted">
        {weekday} {day} {month}
      </span>
      <span className="figure text-xl text-ink">{time}</span>
      <span className="text-xs text-faint">{zoneName(at, zone)}</span>
    </time>
  );
}
