import { cn } from '@/components/ui/cn';
import { countParticipants } from '@/domain/tournaments/words';

/** How many slots are left, as a bar with its figures; the number of participants once no one can register. */
export function Slots({
  taken,
  of,
  teamSize,
  registrationOver,
  className,
}: {
  taken: number;
  of: number;
  teamSize: number;
  /** Whether no one can register anymore. */
  registrationOver: boolean;
  className?: string;
}) {
  const left = Math.max(0, of - taken);
  if (registrationOver) {
    return <p className={cn('numerals w-28 text-xs text-muted', className)}>{countParticipants(taken, teamSize)}</p>;
  }
  return (
    <div className={cn('grid w-28 gap-1.5', className)}>
      <div aria-hidden className="h-1 overflow-hidden rounded-full bg-line">
        <div className="h-full rounded-full bg-accent" style={{ width: `${Math.min(100, (taken / of) * 100)}%` }} />
      </div>
      <p className="numerals text-xs whitespace-nowrap text-muted">
        {left > 0 ? (
          <>
            <strong className="font-semibold text-ink">{left.toLocaleString('en')}</strong> of {of.toLocaleString('en')}{' '}
            slots left
          </>
        ) : (
          <>All {of.toLocaleString('en')} slots taken</>
        )}
      </p>
    </div>
  );
}
