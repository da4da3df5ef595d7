'use client';

import { CircleCheck, Info, TriangleAlert } from 'lucide-react';
import { useEffect } from 'react';
import { Toaster as Sonner, toast } from 'sonner';

/** Renders toasts: above the bottom bar on phones, in the corner elsewhere. `onReady` gets the function that shows one. */
export default function Toasts({ onReady }: { onReady: (show: typeof toast) => void }) {
  useEffect(() => onReady(toast), [onReady]);
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
