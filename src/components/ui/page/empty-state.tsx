import type { ReactNode } from 'react';

/** Shown in place of an empty list: what goes here, and the action that adds the first one. */
export function EmptyState({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="flex flex-col items-start gap-x-8 gap-y-5 rounded border border-line px-6 py-8 sm:flex-row sm:items-center sm:px-8">
      <svg aria-hidden viewBox="0 0 96 72" className="w-24 shrink-0 text-line-strong" fill="none" stroke="currentColor">
        <path d="M1 9h30v18H1M1 45h30v18H1M31 18h20v36H31M51 36h20" />
        <path d="M71 28h24v16H71z" className="text-accent" stroke="currentColor" />
      </svg>
      <div className="grid min-w-0 max-w-full grid-cols-1 gap-1">
        <h2 className="display text-lg">{title}</h2>
        {children ? <div className="max-w-prose text-muted">{children}</div> : null}
        {action ? <div className="mt-3 flex flex-wrap gap-3 *:max-w-full *:whitespace-normal">{action}</div> : null}
      </div>
    </div>
  );
}
