import type { ReactNode } from 'react';
import { cn } from '@/components/ui/cn';

/** A titled box within a page, not around a whole page. `flush` lets tables and lists reach its edges. */
export function Card({
  title,
  description,
  action,
  flush = false,
  className,
  children,
}: {
  title?: ReactNode;
  description?: ReactNode;
  action?: ReactNode;
  flush?: boolean;
  className?: string;
  children?: ReactNode;
}) {
  return (
    <section className={cn('min-w-0 rounded border bg-surface', className)}>
      {title || action ? (
        <header className={cn('flex items-start gap-4 px-5 pt-4', flush && 'border-b pb-3')}>
          <div className="min-w-0 flex-1">
            <h2 className="display text-lg">{title}</h2>
            {description ? <p className="mt-0.5 text-muted">{description}</p> : null}
          </div>
          {action ? <div className="flex shrink-0 items-center gap-2">{action}</div> : null}
        </header>
      ) : null}
      <div className={flush ? undefined : 'px-5 py-4'}>{children}</div>
    </section>
  );
}

/** Labels and values in two columns. */
export function Facts({ items }: { items: { label: string; value: ReactNode }[] }) {
  return (
    <dl className="divide-y">
      {items.map((item) => (
        <div key={item.label} className="flex items-baseline justify-between gap-6 py-2.5 first:pt-0 last:pb-0">
          <dt className="shrink-0 text-muted">{item.label}</dt>
          <dd className="min-w-0 text-end font-medium">{item.value}</dd>
        </div>
      ))}
    </dl>
  );
}
