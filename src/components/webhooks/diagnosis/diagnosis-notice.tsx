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
  breaker: { icon: Unplug, tone: 'danger' },
  failing: { icon: TriangleAlert, tone: 'danger' },
  held: { icon: Hourglass, tone: 'neutral' },
  missed: { icon: MailX, tone: 'danger' },
  late: { icon: Clock, tone: 'neutral' },
  paused: { icon: CirclePause, tone: 'neutral' },
  unhealthy: { icon: HeartPulse, tone: 'danger' },
  fine: { icon: CircleCheck, tone: 'accent' },
  new: { icon: CircleDashed, tone: 'neutral' },
};

const toneClasses = { danger: 'text-danger', neutral: 'text-muted', accent: 'text-accent' };

/** A verdict as icon and words in one line, for a row. */
export function DiagnosisLabel({ verdict }: { verdict: Diagnosis }) {
  const { icon: Icon, tone } = styles[verdict.kind];
  return (
    <span className={cn('inline-flex items-center gap-1.5 font-medium', toneClasses[tone])}>
      <Icon aria-hidden className="size-4 shrink-0" />
      {verdict.title}
    </span>
  );
}

/** How a receiver fares and why, with what happens next and what one can do. `about` names the receiver. */
export function DiagnosisNotice({
  verdict,
  about,
  actions,
}: {
  verdict: Diagnosis;
  about?: ReactNode;
  actions?: ReactNode;
}) {
  const { icon: Icon, tone } = styles[verdict.kind];
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
            {verdict.title}
            {verdict.countdown ? (
              <span className="ml-3 font-normal whitespace-nowrap text-muted">
                {verdict.countdown.label}{' '}
                <Countdown
                  to={verdict.countdown.at}
                  label={verdict.countdown.label}
                  size="sm"
                  thresholds={[]}
                  ended="now"
                />
              </span>
            ) : null}
          </p>
          <p className="mt-0.5 text-muted">{verdict.explanation}</p>
        </div>
        {actions ? <div className="xl:shrink-0">{actions}</div> : null}
      </div>
    </div>
  );
}
