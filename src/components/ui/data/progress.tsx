import { cn } from '@/components/ui/cn';

/** A progress bar with its figures: slots taken, rows done. */
export function Progress({
  value,
  max,
  label,
  unit,
  tone = 'accent',
  className,
}: {
  value: number;
  max: number;
  label: string;
  unit?: string;
  tone?: 'accent' | 'live';
  className?: string;
}) {
  const share = max > 0 ? Math.min(1, Math.max(0, value / max)) : 0;
  return (
    <div className={cn('grid gap-1.5', className)}>
      <div className="flex items-baseline justify-between gap-4">
        <span className="text-muted">{label}</span>
        <span className="figure shrink-0 text-base">
          {value.toLocaleString('en')} <span className="font-normal text-faint">of {max.toLocaleString('en')}</span>
          {unit ? <span className="font-normal text-faint"> {unit}</span> : null}
        </span>
      </div>
      <div
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={max}
        aria-valuenow={Math.min(value, max)}
        className="h-1.5 overflow-hidden rounded-full bg-line"
      >
        <div
          className={cn('h-full rounded-full transition-[width]', tone === 'live' ? 'bg-live' : 'bg-accent')}
          style={{ width: `${share * 100}%` }}
        />
      </div>
    </div>
  );
}
