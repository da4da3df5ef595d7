import { cn } from '@/components/ui/cn';

/** A gray placeholder in the size of what is loading, without animation. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={cn('block h-4 rounded bg-hover', className)} />;
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

/** A placeholder for text. */
export function SkeletonText({ lines = 3 }: { lines?: number }) {
  return (
    <span className="grid gap-2">
      {numbers(lines).map((line) => (
        <Skeleton key={line} className={line === lines - 1 ? 'w-3/5' : 'w-full'} />
      ))}
    </span>
  );
}

/** A placeholder for a table, with rows as high as the real ones. */
export function SkeletonTable({ rows = 8, label = 'Loading' }: { rows?: number; label?: string }) {
  return (
    <div role="status" aria-label={label} className="rounded border bg-surface">
      <div className="h-9 border-b" />
      {numbers(rows).map((row) => (
        <div key={row} className="flex h-9 items-center gap-6 border-b px-4 last:border-b-0 max-sm:h-16">
          <Skeleton className="h-3 w-2/5" />
          <Skeleton className="h-3 w-1/6" />
          <Skeleton className="ml-auto h-3 w-16" />
        </div>
      ))}
    </div>
  );
}
