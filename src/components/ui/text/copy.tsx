'use client';

import { Check, Copy as CopyIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import { cn } from '@/components/ui/cn';

/**
 * Writes text to the clipboard. Browsers offer `navigator.clipboard` only on secure connections, which instances on a
 * venue's local network often lack, so there the older command is used. @throws when the browser supports neither.
 */
export async function writeClipboard(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  let written = false;
  const write = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    written = event.clipboardData !== null;
  };
  document.addEventListener('copy', write, { capture: true, once: true });
  document.execCommand('copy');
  document.removeEventListener('copy', write, { capture: true });
  if (!written) throw new Error('This browser cannot copy to the clipboard');
}

/** Copies a value and confirms it, visibly and to screen readers. */
export function CopyButton({
  value,
  label = 'Copy',
  className,
}: {
  value: string;
  label?: string;
  className?: string;
}) {
  const [copied, setCopied] = useState(false);

  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);

  return (
    <button
      type="button"
      title={label}
      aria-label={label}
      onClick={() => {
        writeClipboard(value).then(
          () => setCopied(true),
          () => setCopied(false),
        );
      }}
      className={cn(
        'relative inline-grid size-7 shrink-0 place-items-center rounded text-muted after:absolute after:-inset-1.5 hover:bg-hover hover:text-ink [&_svg]:size-4',
        className,
      )}
    >
      {copied ? <Check aria-hidden className="text-accent" /> : <CopyIcon aria-hidden />}
      <span role="status" className="sr-only">
        {copied ? 'Copied' : ''}
      </span>
    </button>
  );
}

/** A value with a button that copies it. */
export function Copy({ value, label, className }: { value: string; label?: string; className?: string }) {
  return (
    <span className={cn('inline-flex max-w-full items-center gap-1', className)}>
      <code className="truncate font-mono text-xs text-ink" title={value}>
        {value}
      </code>
      <CopyButton value={value} label={label ?? `Copy ${value}`} />
    </span>
  );
}
