'use client';

import dynamic from 'next/dynamic';
import { useSyncExternalStore } from 'react';
import type { toast } from 'sonner';
import { writeClipboard } from '@/components/ui/text/copy';
import { readError } from '@/trpc/errors';

type Show = typeof toast;

// Visitors load the library with the first toast; what is shown until then waits.
const Toasts = dynamic(() => import('@/components/ui/overlay/toasts'), { ssr: false });
let isWanted = false;
let show: Show | null = null;
let waiting: ((show: Show) => void)[] = [];
const listeners = new Set<() => void>();

/** Loads what shows toasts, so that failures can be shown without a connection too. */
export function loadToasts(): void {
  isWanted = true;
  for (const listener of listeners) listener();
}

function withToasts(run: (show: Show) => void): void {
  if (show) {
    run(show);
    return;
  }
  waiting.push(run);
  loadToasts();
}

function start(ready: Show): void {
  show = ready;
  for (const run of waiting) run(ready);
  waiting = [];
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Where toasts appear. Mounted once, in the root layout. */
export function Toaster() {
  const wanted = useSyncExternalStore(
    subscribe,
    () => isWanted,
    () => false,
  );
  return wanted ? <Toasts onReady={start} /> : null;
}

/** Shows that an action succeeded. */
export function toastSuccess(message: string, description?: string): void {
  withToasts((toast) => toast.success(message, { description }));
}

/** Shows that an action succeeded, with an Undo button for eight seconds. */
export function toastUndo(message: string, undo: () => unknown): void {
  const action = { label: 'Undo', onClick: () => void undo() };
  withToasts((toast) => toast.success(message, { duration: 8_000, action }));
}

/** Takes all toasts away, where they would cover what opens. */
export function dismissToasts(): void {
  show?.dismiss();
}

/** Shows the message of a failed request, with its error code and request ID to copy. */
export function toastError(thrown: unknown, title?: string): void {
  const error = readError(thrown);
  const codes = [error.reason, error.requestId].filter(Boolean).join(' ');
  withToasts((toast) =>
    toast.error(title ?? error.message, {
      duration: 12_000,
      description: (
        <>
          {title ? <span className="block">{error.message}</span> : null}
          <code className="font-mono text-xs break-all">{codes}</code>
        </>
      ),
      action: { label: 'Copy code', onClick: () => void writeClipboard(codes) },
    }),
  );
}
