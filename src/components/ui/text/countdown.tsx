'use client';

import { useEffect, useRef, useState } from 'react';
import { cn } from '@/components/ui/cn';
import { useViewerZone } from '@/components/ui/text/date-time';
import { observeServerTime, serverNow } from '@/domain/time/server-clock';
import { formatInstant, formatRemaining } from '@/domain/time/zones';

let clockSynced = false;

/** Reads the server's time once per page load, because a page that made no request yet does not know it. */
async function syncServerClock(): Promise<void> {
  if (clockSynced) return;
  clockSynced = true;
  const sentAt = Date.now();
  try {
    const response = await fetch('/healthz', { method: 'HEAD', cache: 'no-store' });
    observeServerTime(response.headers.get('date'), sentAt, Date.now());
  } catch {
    clockSynced = false;
  }
}

const count = (value: number, unit: string) => `${value} ${unit}${value === 1 ? '' : 's'} left`;

function formatTimeLeft(seconds: number): string {
  if (seconds >= 3_600) return count(Math.round(seconds / 3_600), 'hour');
  if (seconds >= 60) return count(Math.round(seconds / 60), 'minute');
  return count(seconds, 'second');
}

/**
 * The time left until `to`, by the server's clock. Screen readers hear only the thresholds (in seconds left) and the end.
 * When it reaches zero while mounted, `onEnd` is called once and `ended` is shown instead.
 */
export function Countdown({
  to,
  label,
  thresholds = [3_600, 600, 60],
  ended = 'Now',
  onEnd,
  size = 'md',
  className,
}: {
  to: string | Date;
  /** What it counts down to, for screen readers: "Check-in closes". */
  label: string;
  thresholds?: number[];
  ended?: string;
  onEnd?: () => void;
  size?: 'sm' | 'md' | 'lg';
  className?: string;
}) {
  const iso = typeof to === 'string' ? to : to.toISOString();
  const target = Date.parse(iso);
  const zone = useViewerZone();
  const [left, setLeft] = useState(() => target - serverNow());
  const [spoken, setSpoken] = useState('');
  const latest = useRef({ onEnd, thresholds, label, ended });
  useEffect(() => {
    latest.current = { onEnd, thresholds, label, ended };
  });

  useEffect(() => {
    void syncServerClock();
    let before = Math.ceil((target - serverNow()) / 1000);
    let timer: ReturnType<typeof setTimeout>;

    function tick() {
      const rest = target - serverNow();
      const seconds = Math.ceil(rest / 1000);
      setLeft(rest);
      const crossed = latest.current.thresholds.filter((mark) => before > mark && seconds <= mark).at(-1);
      if (crossed !== undefined) setSpoken(`${latest.current.label}: ${formatTimeLeft(crossed)}`);
      if (before > 0 && seconds <= 0) {
        setSpoken(`${latest.current.label}: ${latest.current.ended}`);
        latest.current.onEnd?.();
      }
      before = seconds;
      // Fires just after the next whole second, so that no digit is skipped.
      if (rest > 0) timer = setTimeout(tick, (rest % 1000) + 5);
    }
    tick();
    return () => clearTimeout(timer);
  }, [target]);

  return (
    <>
      <time
        role="timer"
        dateTime={iso}
        title={formatInstant(iso, zone)}
        aria-label={`${label} ${formatInstant(iso, zone)}`}
        suppressHydrationWarning
        className={cn('figure whitespace-nowrap', { sm: 'text-sm', md: 'text-xl', lg: 'text-4xl' }[size], className)}
      >
        {left <= 0 ? ended : formatRemaining(left)}
      </time>
      <span role="status" aria-live="polite" className="sr-only">
        {spoken}
      </span>
    </>
  );
}
