'use client';

import { StatusBadge } from '@/components/ui/data/status-badge';
import { Countdown } from '@/components/ui/text/countdown';
import { DateTime } from '@/components/ui/text/date-time';
import { describeOutcome } from '@/components/webhooks/failures';
import { formatDuration } from '@/components/webhooks/format';
import type { DeliveryDetails } from '@/components/webhooks/types';
import { counted } from '@/domain/text/counted';

const timeBetween = (from: string, to: string) => formatDuration(Date.parse(to) - Date.parse(from));

/** The attempts of a delivery, oldest first, and when the next one follows. Selecting one shows its details. */
export function AttemptTimeline({
  delivery,
  selectedId,
  onSelect,
}: {
  delivery: DeliveryDetails;
  selectedId: string | undefined;
  onSelect: (id: string) => void;
}) {
  const { attempts, attemptCount, status, nextAttemptAt } = delivery;
  return (
    <nav aria-label="Attempts" className="min-w-0">
      <p className="label pb-2 text-muted">
        {attempts[0] && attempts[0].number > 1
          ? `Newest ${attempts.length} of ${counted(attemptCount, 'attempt')}`
          : counted(attempts.length, 'attempt')}
      </p>
      <ol className="grid max-h-96 gap-px overflow-y-auto rounded border bg-line lg:max-h-[70dvh]">
        {attempts.map((attempt, index) => {
          const previous = attempts[index - 1];
          return (
            <li key={attempt.id} className="bg-surface">
              <button
                type="button"
                aria-current={attempt.id === selectedId ? 'true' : undefined}
                onClick={() => onSelect(attempt.id)}
                className="grid w-full gap-1 border-l-2 border-transparent px-3 py-2.5 text-start hover:bg-hover aria-[current]:border-accent aria-[current]:bg-accent-soft focus-visible:-outline-offset-2"
              >
                <span className="flex items-center justify-between gap-2">
                  <span className="font-medium">Attempt {attempt.number}</span>
                  <StatusBadge kind="attempt" status={attempt.outcome} />
                </span>
                <span className="numerals text-xs text-muted">
                  {[describeOutcome(attempt), formatDuration(attempt.durationMs)].filter(Boolean).join(' · ')}
                </span>
                <span className="numerals text-xs text-muted">
                  {previous ? (
                    `${timeBetween(previous.startedAt, attempt.startedAt)} after attempt ${previous.number}`
                  ) : (
                    <DateTime value={attempt.startedAt} style="short" />
                  )}
                </span>
              </button>
            </li>
          );
        })}
        {status === 'pending' && nextAttemptAt ? (
          <li className="bg-surface px-3.5 py-2.5 text-muted">
            Next attempt in{' '}
            <Countdown to={nextAttemptAt} label="Next attempt" size="sm" thresholds={[]} ended="a moment" />
          </li>
        ) : null}
      </ol>
    </nav>
  );
}
