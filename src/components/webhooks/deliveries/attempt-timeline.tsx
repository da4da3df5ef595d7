'use client';

import { StatusBadge } from '@/components/ui/data/status-badge';
import { Countdown } from '@/components/ui/text/countdown';
import { DateTime } from '@/components/ui/text/date-time';
import { describeOutcome, formatDuration } from '@/components/webhooks/failures';
import type { DeliveryDetails } from '@/components/webhooks/types';
import { counted } from '@/domain/text/counted';

const span = (from: string, to: string) => formatDuration(Date.parse(to) - Date.parse(from));

/** The attempts of a delivery in their order, and what comes next; choosing one shows it. */
export function AttemptTimeline({
  delivery,
  chosen,
  onChoose,
}: {
  delivery: DeliveryDetails;
  chosen: string | undefined;
  onChoose: (id: string) => void;
}) {
  const { attempts, status, nextAttemptAt } = delivery;
  return (
    <nav aria-label="Attempts" className="min-w-0">
      <p className="label pb-2 text-muted">{counted(attempts.length, 'attempt')}</p>
      <ol className="grid max-h-96 gap-px overflow-y-auto rounded border bg-line lg:max-h-[70dvh]">
        {attempts.map((attempt, index) => {
          const before = attempts[index - 1];
          return (
            <li key={attempt.id} className="bg-surface">
              <button
                type="button"
                aria-current={attempt.id === chosen ? 'true' : undefined}
                onClick={() => onChoose(attempt.id)}
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
                  {before ? (
                    `${span(before.startedAt, attempt.startedAt)} after the one before`
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
