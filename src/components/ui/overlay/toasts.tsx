'use client';

import { CircleCheck, Info, TriangleAlert } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Toaster as Sonner, toast, useSonner } from 'sonner';

const visibleToasts = 4;

/** Renders toasts: above the bottom bar on phones, in the corner elsewhere. `onReady` gets the function that shows one. */
export default function Toasts({ onReady }: { onReady: (show: typeof toast) => void }) {
  useEffect(() => onReady(toast), [onReady]);
  // The library hides the ones beyond, but Tab would still stop at each of them.
  const { toasts } = useSonner();
  useEffect(() => {
    for (const { id } of toasts.slice(visibleToasts)) toast.dismiss(id);
  }, [toasts]);

  // The library sends the focus back whenever it leaves the toasts, which Tab could then never pass. Here it goes back
  // after a press of a toast's button alone, which takes the toast away.
  const region = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let cameFrom: HTMLElement | null = null;
    function onFocus(event: FocusEvent) {
      event.stopPropagation();
      const from = event.relatedTarget;
      if (!(from instanceof Node && region.current?.contains(from)))
        cameFrom = from instanceof HTMLElement ? from : null;
    }
    function onClick({ target }: MouseEvent) {
      if (target instanceof Element && target.closest('button')) cameFrom?.focus({ preventScroll: true });
    }
    const element = region.current;
    element?.addEventListener('focusin', onFocus);
    element?.addEventListener('click', onClick);
    return () => {
      element?.removeEventListener('focusin', onFocus);
      element?.removeEventListener('click', onClick);
    };
  }, []);
  return (
    <div ref={region}>
      <Sonner
        position="bottom-right"
        offset={20}
        mobileOffset={{ bottom: 72, left: 12, right: 12 }}
        gap={8}
        visibleToasts={visibleToasts}
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
    </div>
  );
}
