'use client';

import { type ComponentProps, useEffect, useRef } from 'react';

/**
 * A form whose fields show their own errors. Submitting it before React runs in the browser is not lost:
 * `earlySubmitScript` holds the page back, and the form submits once React is ready. Without JavaScript it
 * would post, so that no password ends up in an address.
 */
export function Form({ ref, ...rest }: ComponentProps<'form'>) {
  const own = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const form = own.current;
    if (!form) return;
    const submitted = form.dataset.state === 'submitted';
    form.dataset.state = 'ready';
    // In a microtask, because the effects of the components around the form come after this one.
    if (submitted) queueMicrotask(() => form.requestSubmit());
  }, []);
  return (
    <form
      noValidate
      method="post"
      suppressHydrationWarning
      {...rest}
      ref={(element) => {
        own.current = element;
        if (typeof ref === 'function') ref(element);
        else if (ref) ref.current = element;
      }}
    />
  );
}
