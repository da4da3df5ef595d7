'use client';

import { ChevronDown } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { cn } from '@/components/ui/cn';

/** A form section that most people leave alone: collapsed to a one-line summary, and opened when it has errors. */
export function CollapsibleSection({
  title,
  description,
  summary,
  hasErrors,
  children,
}: {
  title: string;
  description: ReactNode;
  summary: ReactNode;
  hasErrors: boolean;
  children: ReactNode;
}) {
  const [opened, setOpened] = useState(false);
  const id = useId();
  const open = opened || hasErrors;
  return (
    <section className="grid gap-x-12 gap-y-4 border-t py-6 lg:grid-cols-[16rem_minmax(0,1fr)]">
      <h2 className="display text-lg">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={id}
          onClick={() => setOpened(!open)}
          className="flex min-h-9 w-full items-center justify-between gap-3 text-start max-sm:min-h-11"
        >
          {title}
          <ChevronDown
            aria-hidden
            className={cn('size-5 shrink-0 text-muted transition-transform', open && 'rotate-180')}
          />
        </button>
      </h2>
      <div id={id} className="grid max-w-2xl gap-5">
        {open ? (
          <>
            <div className="text-muted">{description}</div>
            {children}
          </>
        ) : (
          <p className="text-muted lg:leading-9">{summary}</p>
        )}
      </div>
    </section>
  );
}
