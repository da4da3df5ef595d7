'use client';

import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { serverNow } from '@/domain/time/server-clock';
import { formatInstant, formatRelative } from '@/domain/time/zones';

const ZoneContext = createContext<string | null>(null);
const LastZoneContext = createContext<string | null>(null);

/** Sets the time zone of all times below it: the viewer's setting, or null for the browser's zone. */
export function ViewerZone({ zone, children }: { zone: string | null; children: ReactNode }) {
  return <ZoneContext value={zone}>{children}</ZoneContext>;
}

/** The browser's time zone, which the server does not know. */
export const browserZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

/** Sets the zone that the server renders where it does not know the viewer's: what the browser said last, or null. */
export function LastZone({ zone, children }: { zone: string | null; children: ReactNode }) {
  return <LastZoneContext value={zone}>{children}</LastZoneContext>;
}

const never = () => () => undefined;

/** The viewer's time zone. During hydration the one that the server rendered: from the cookie, or UTC. */
export function useViewerZone(): string {
  const chosen = useContext(ZoneContext);
  const last = useContext(LastZoneContext);
  const browser = useSyncExternalStore(never, browserZone, () => last ?? 'UTC');
  return chosen ?? browser;
}

type Instant = string | Date;
const toIso = (value: Instant) => (typeof value === 'string' ? value : value.toISOString());

/** An instant in the viewer's time zone, which is named. Hovering shows it in UTC and in the organizer's zone. */
export function DateTime({
  value,
  style = 'full',
  organizerZone,
  className,
}: {
  value: Instant;
  style?: 'full' | 'short' | 'date' | 'time';
  organizerZone?: string;
  className?: string;
}) {
  const zone = useViewerZone();
  const iso = toIso(value);
  const title = [
    organizerZone && organizerZone !== zone ? `${formatInstant(iso, organizerZone)} for the organizer` : null,
    formatInstant(iso, 'UTC'),
  ];
  return (
    <time dateTime={iso} title={title.filter(Boolean).join('\n')} className={className}>
      {formatInstant(iso, zone, style)}
    </time>
  );
}

/** `3 hours ago` by the server's clock, kept current. Hovering shows the exact time. */
export function RelativeTime({ value, className }: { value: Instant; className?: string }) {
  const zone = useViewerZone();
  const iso = toIso(value);
  const [now, setNow] = useState<number | null>(null);

  useEffect(() => {
    setNow(serverNow());
    const timer = setInterval(() => setNow(serverNow()), 30_000);
    return () => clearInterval(timer);
  }, []);

  return (
    <time dateTime={iso} title={formatInstant(iso, zone)} className={className}>
      {now === null ? formatInstant(iso, zone, 'short') : formatRelative(Date.parse(iso), now)}
    </time>
  );
}
