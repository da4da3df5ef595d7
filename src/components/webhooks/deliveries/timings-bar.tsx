import { cn } from '@/components/ui/cn';
import { type Phase, type Timings, timingPhases } from '@/components/webhooks/deliveries/timings';
import { formatDuration } from '@/components/webhooks/format';

const phaseColors = ['bg-muted', 'bg-live', 'bg-ink', 'bg-accent', 'bg-line-strong'];

const colorOf = ({ index, failed }: Phase) => (failed ? 'bg-danger' : phaseColors[index]);

/** How long each phase of a request took and which one failed, as a bar with its figures below. */
export function TimingsBar({ timings, errorClass }: { timings: Timings; errorClass: string | null }) {
  const phases = timingPhases(timings, errorClass);
  const total = phases.reduce((sum, phase) => sum + phase.ms, 0);
  if (phases.length === 0) return null;
  return (
    <section aria-label="Timing" className="grid gap-2">
      <div aria-hidden className="flex h-3 gap-px overflow-hidden rounded bg-line">
        {phases.map((phase) => (
          <div
            key={phase.label}
            className={cn('min-w-0.5', colorOf(phase))}
            style={{ width: `${total > 0 ? (phase.ms / total) * 100 : 0}%` }}
          />
        ))}
      </div>
      <dl className="flex flex-wrap gap-x-6 gap-y-1 text-sm">
        {phases.map((phase) => (
          <div key={phase.label} className="flex items-center gap-2">
            <span aria-hidden className={cn('size-2.5 rounded-full', colorOf(phase))} />
            <dt className="text-muted">{phase.label}</dt>
            <dd className={cn('numerals font-medium', phase.failed && 'text-danger')}>
              {phase.failed ? `failed after ${formatDuration(phase.ms)}` : formatDuration(phase.ms)}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
