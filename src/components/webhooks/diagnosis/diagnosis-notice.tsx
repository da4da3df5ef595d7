import {
  Ban,
  CircleCheck,
  CircleDashed,
  CirclePause,
  Clock,
  HeartPulse,
  Hourglass,
  type LucideIcon,
  MailX,
  TriangleAlert,
  Unplug,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from '@/components/ui/cn';
import { Countdown } from '@/components/ui/text/countdown';
import type { Diagnosis } from '@/components/webhooks/diagnosis/diagnosis';

const styles: Record<Diagnosis['kind'], { icon: LucideIcon; tone: 'danger' | 'neutral' | 'accent' }> = {
  disabled: { icon: Ban, tone: 'danger' },
  breaker_open: { icon: Unplug, tone: 'danger' },
  failing: { icon: TriangleAlert, tone: 'danger' },
  retry_after: { icon: Hourglass, tone: 'neutral' },
  undelivered: { icon: MailX, tone: 'danger' },
  delayed: { icon: Clock, tone: 'neutral' },
  paused: { icon: CirclePause, tone: 'neutral' },
  health_check_failing: { icon: HeartPulse, tone: 'danger' },
  new: { icon: CircleDashed, tone: 'neutral' },
  healthy: { icon: CircleCheck, tone: 'accent' },
};

const toneClasses = { danger: 'text-danger', neutral: 'text-muted', accent: 'text-accent' };

/** The diagnosis as icon and words in one line, for a table. */
export function DiagnosisLabel({ diagnosis }: { diagnosis: Diagnosis }) {
  const { icon: Icon, tone } = styles[diagnosis.kind];
  return (
    <span className={cn('inline-flex items-center gap-1.5 font-medium', toneClasses[tone])}>
      <Icon aria-hidden className="size-4 shrink-0" />
      {diagnosis.title}
    </span>
  );
}

/** The diagnosis with its explanation, what happens next, and `actions` that help. `about` names the webhook. */
export function DiagnosisNotice({
  diagnosis,
  about,
  actions,
}: {
  diagnosis: Diagnosis;
  about?: ReactNode;
  actions?: ReactNode;
}) {
  const { icon: Icon, tone } = styles[diagnosis.kind];
  return (
    <div
      className={cn(
        'flex gap-3 rounded border p-4',
        tone === 'danger' ? 'border-danger bg-danger-soft' : 'border-line bg-surface',
      )}
    >
      <Icon aria-hidden className={cn('mt-0.5 size-5 shrink-0', toneClasses[tone])} />
      <div className="flex min-w-0 flex-1 flex-wrap items-start justify-between gap-x-6 gap-y-3 xl:flex-nowrap">
        <div className="min-w-0 max-w-prose">
          {about}
          <p className="font-medium text-ink">
            {diagnosis.title}
            {diagnosis.countdown ? (
              <span className="ml-3 font-normal whitespace-nowrap text-muted">
                {diagnosis.countdown.label}{' '}
                <Countdown
                  to={diagnosis.countdown.at}
                  label={diagnosis.countdown.label}
                  size="sm"
                  thresholds={[]}
                  ended="now"
                />
              </span>
            ) : null}
          </p>
          <p className="mt-0.5 text-muted">{diagnosis.explanation}</p>
        </div>
        {actions ? <div className="xl:shrink-0">{actions}</div> : null}
      </div>
    </div>
  );
}
