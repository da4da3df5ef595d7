import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from '@/components/ui/cn';
import { CopyButton } from '@/components/ui/text/copy';

function Codes({ reason, requestId }: { reason?: string; requestId?: string }) {
  if (!reason && !requestId) return null;
  const all = [reason, requestId].filter(Boolean).join(' ');
  return (
    <p className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1 font-mono text-xs text-muted">
      {reason ? <span>{reason}</span> : null}
      {requestId ? <span className="break-all">{requestId}</span> : null}
      <CopyButton value={all} label="Copy code and request ID" />
    </p>
  );
}

/** An error inside a page or form: what happened, what to do, and the code to copy. */
export function ErrorNote({
  message,
  reason,
  requestId,
  action,
  className,
  children,
}: {
  message: string;
  reason?: string;
  requestId?: string;
  action?: ReactNode;
  className?: string;
  children?: ReactNode;
}) {
  return (
    <div role="alert" className={cn('flex gap-3 rounded border border-danger bg-danger-soft p-4', className)}>
      <TriangleAlert aria-hidden className="size-5 shrink-0 text-danger" />
      <div className="min-w-0 flex-1">
        <p className="font-medium text-ink">{message}</p>
        {children}
        <Codes reason={reason} requestId={requestId} />
      </div>
      {action}
    </div>
  );
}

/** Replaces a page, or a part of one, that could not be loaded. */
export function ErrorState({
  title,
  message,
  reason,
  requestId,
  action,
}: {
  title: string;
  message: ReactNode;
  reason?: string;
  requestId?: string;
  action?: ReactNode;
}) {
  return (
    <div role="alert" className="grid justify-items-start gap-2 rounded border border-line p-6 sm:p-8">
      <TriangleAlert aria-hidden className="size-6 text-danger" />
      <h2 className="display text-xl">{title}</h2>
      <div className="max-w-prose text-muted">{message}</div>
      <Codes reason={reason} requestId={requestId} />
      {action ? <div className="mt-3 flex flex-wrap gap-3">{action}</div> : null}
    </div>
  );
}
