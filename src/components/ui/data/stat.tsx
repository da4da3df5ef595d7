import type { ReactNode } from 'react';
import { cn } from '@/components/ui/cn';

/** A key figure with its label and an optional hint. To link it, wrap it in a link. */
export function Stat({
  label,
  value,
  hint,
  tone,
}: {
  label: ReactNode;
  value: ReactNode;
  hint?: ReactNode;
  tone?: 'accent' | 'danger' | 'live' | 'gold';
}) {
  const color = tone && { accent: 'text-accent', danger: 'text-danger', live: 'text-live', gold: 'text-gold' }[tone];
  return (
    <div className="min-w-0 px-5 py-4">
      <p className="text-muted">{label}</p>
      <p className={cn('figure mt-1 text-3xl', color)}>{value}</p>
      {hint ? <p className="mt-1 text-xs text-faint">{hint}</p> : null}
    </div>
  );
}

/** Key figures in a row with lines between them, two per row on phones. */
export function StatRow({ children }: { children: ReactNode }) {
  return (
    <div className="grid grid-cols-2 overflow-hidden rounded border bg-surface *:-mt-px *:-ml-px *:border-t *:border-l md:grid-flow-col md:auto-cols-fr md:grid-cols-none">
      {children}
    </div>
  );
}
