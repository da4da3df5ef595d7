import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from '@/components/ui/cn';

export type Tone = 'neutral' | 'accent' | 'gold' | 'danger' | 'live';

const tones: Record<Tone, string> = {
  neutral: 'bg-hover text-muted',
  accent: 'bg-accent-soft text-accent',
  gold: 'bg-gold-soft text-gold',
  danger: 'bg-danger-soft text-danger',
  live: 'bg-live-soft text-live',
};

/** A state as icon and word. Gold is for winners, danger for losses and failures, live for what is happening now. */
export function Badge({
  tone = 'neutral',
  icon: Icon,
  className,
  children,
}: {
  tone?: Tone;
  icon?: LucideIcon;
  className?: string;
  children: ReactNode;
}) {
  return (
    <span
      className={cn(
        'inline-flex h-6 shrink-0 items-center gap-1.5 rounded px-2 text-xs font-medium whitespace-nowrap',
        tones[tone],
        className,
      )}
    >
      {Icon ? <Icon aria-hidden className="size-3.5 shrink-0" /> : null}
      {children}
    </span>
  );
}
