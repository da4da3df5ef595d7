'use client';

import { ChevronDown } from 'lucide-react';
import { counted } from '@/domain/text/counted';

/**
 * The error codes of an operation, each linked to its entry in the table of all error codes. The links are plain: a page
 * has a thousand of them.
 */
export function ErrorCodes({ codes }: { codes: { status: string; code: string; summary: string }[] }) {
  return (
    <details className="group">
      <summary className="flex min-h-9 cursor-pointer items-center gap-1 text-accent marker:content-none">
        {counted(codes.length, 'error code')}
        <ChevronDown aria-hidden className="size-4 group-open:rotate-180" />
      </summary>
      <ul className="divide-y">
        {codes.map(({ status, code, summary }) => (
          <li key={`${status} ${code}`} className="flex gap-4 py-2">
            <span className="figure w-9 shrink-0 text-muted">{status}</span>
            <span className="min-w-0">
              <a href={`/docs/api/errors#${code}`} className="font-mono text-xs wrap-anywhere text-ink hover:underline">
                {code}
              </a>
              <span className="block text-muted">{summary}</span>
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
