'use client';

import { CircleCheck, Info, TriangleAlert } from 'lucide-react';
import { Toaster as Sonner, toast } from 'sonner';
import { writeClipboard } from '@/components/ui/text/copy';
import { readError } from '@/trpc/errors';

/** Renders toasts: above the bottom bar on phones, in the corner elsewhere. Mounted once, in the root layout. */
export function Toaster() {
  return (
    <Sonner
      position="bottom-right"
      offset={20}
      mobileOffset={{ bottom: 72, left: 12, right: 12 }}
      gap={8}
      visibleToasts={4}
      duration={6_000}
      icons={{
        success: <CircleCheck aria-hidden className="size-5 text-accent" />,
        error: <TriangleAlert aria-hidden className="size-5 text-danger" />,
        info: <Info aria-hidden className="size-5 text-muted" />,
      }}
      toastOptions={{
        unstyled: true,
        classNames: {
          toast:
            'flex w-full items-start gap-3 rounded border border-line-strong bg-raised p-4 font-sans text-sm text-ink shadow',
          content: 'min-w-0 flex-1',
          title: 'font-medium',
          description: 'mt-0.5 text-muted',
          actionButton:
            'ml-auto h-8 shrink-0 rounded border border-line-strong px-3 text-sm font-medium hover:bg-hover order-last',
          cancelButton: 'h-8 shrink-0 rounded px-3 text-sm text-muted hover:bg-hover',
        },
      }}
    />
  );
}

/** Shows that an action succeeded. */
export function toastSuccess(message: string, description?: string): void {
  toast.success(message, { description });
}

/** Shows that an action succeeded, with an Undo button for eight seconds. */
export function toastUndo(message: string, undo: () => unknown): void {
  toast.success(message, { duration: 8_000, action: { label: 'Undo', onClick: () => void undo() } });
}

/** Shows the message of a failed request, with its error code and request ID to copy. */
export function toastError(thrown: unknown, title?: string): void {
  const error = readError(thrown);
  const codes = [error.reason, error.requestId].filter(Boolean).join(' ');
  toast.error(title ?? error.message, {
    duration: 12_000,
    description: (
      <>
        {title ? <span className="block">{error.message}</span> : null}
        <code className="font-mono text-xs break-all">{codes}</code>
      </>
    ),
    action: { label: 'Copy code', onClick: () => void writeClipboard(codes) },
  });
}
