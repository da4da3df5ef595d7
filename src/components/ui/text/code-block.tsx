'use client';

import { useState } from 'react';
import { cn } from '@/components/ui/cn';
import { CopyButton } from '@/components/ui/text/copy';

/** Code with a copy button. Several samples, such as languages, are shown one at a time. */
export function CodeBlock({
  title,
  samples,
  className,
  wrap = false,
}: {
  title?: string;
  /** At least one. Labels are shown only when there are several. */
  samples: { label: string; code: string }[];
  className?: string;
  wrap?: boolean;
}) {
  const [selected, setSelected] = useState(0);
  const sample = samples[selected] ?? samples[0];
  if (!sample) return null;
  return (
    <figure className={cn('overflow-hidden rounded border bg-sunken', className)}>
      <figcaption className="flex min-h-9 flex-wrap items-center gap-x-3 border-b pr-1 pl-3">
        {title ? <span className="label text-muted">{title}</span> : null}
        {samples.length > 1 ? (
          <span
            className={cn(
              'flex gap-1',
              samples.length > 2 && 'max-sm:order-last max-sm:-ml-2 max-sm:w-full max-sm:pb-1',
            )}
          >
            {samples.map((each, index) => (
              <button
                key={each.label}
                type="button"
                aria-pressed={index === selected}
                onClick={() => setSelected(index)}
                className="rounded px-2 py-1 text-xs text-muted hover:text-ink aria-pressed:bg-hover aria-pressed:text-ink"
              >
                {each.label}
              </button>
            ))}
          </span>
        ) : null}
        <CopyButton value={sample.code} label="Copy code" className="ml-auto" />
      </figcaption>
      <pre
        // Focusable, so that the keyboard can scroll it.
        tabIndex={0}
        className={cn(
          'max-h-120 overflow-auto p-3 font-mono text-xs leading-5 text-ink',
          wrap && 'break-all whitespace-pre-wrap',
        )}
      >
        <code>{sample.code}</code>
      </pre>
    </figure>
  );
}
