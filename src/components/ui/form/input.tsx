'use client';

import type { ComponentProps, ReactNode } from 'react';
import { cn } from '@/components/ui/cn';
import { useFieldControl } from '@/components/ui/form/field';
import { useEarlyText } from '@/components/ui/form/use-early-text';

/** The classes that all text-like controls share. */
export const controlClass =
  'w-full min-w-0 rounded border border-line-strong bg-raised px-3 text-base text-ink transition-colors hover:border-muted focus-visible:border-accent focus-visible:outline-offset-0 disabled:bg-sunken disabled:text-faint aria-invalid:border-danger sm:text-sm';

/** A one-line text input. `prefix` and `suffix` are shown inside its border. */
export function Input({
  className,
  prefix,
  suffix,
  ref,
  ...rest
}: Omit<ComponentProps<'input'>, 'prefix'> & { prefix?: ReactNode; suffix?: ReactNode }) {
  const control = useFieldControl(rest);
  const input = useEarlyText(ref, rest.onChange);
  if (!prefix && !suffix) {
    return <input className={cn(controlClass, 'h-9 max-sm:h-11', className)} {...rest} {...control} ref={input} />;
  }
  return (
    <div
      className={cn(
        'flex h-9 items-center rounded border border-line-strong bg-raised text-muted has-[:focus-visible]:border-accent has-[:focus-visible]:outline-2 has-[:focus-visible]:outline-accent has-[:disabled]:bg-sunken has-[[aria-invalid]]:border-danger max-sm:h-11 [&_svg]:size-4',
        className,
      )}
    >
      {prefix ? <span className="shrink-0 pl-3 text-faint">{prefix}</span> : null}
      <input
        className="h-full w-full min-w-0 bg-transparent px-3 text-base text-ink outline-none sm:text-sm"
        {...rest}
        {...control}
        ref={input}
      />
      {suffix ? <span className="shrink-0 pr-3 text-faint">{suffix}</span> : null}
    </div>
  );
}

/** A multi-line text input that grows with its content in browsers that support it. */
export function Textarea({ className, rows = 4, ref, ...rest }: ComponentProps<'textarea'>) {
  const control = useFieldControl(rest);
  const textarea = useEarlyText(ref, rest.onChange);
  return (
    <textarea
      rows={rows}
      className={cn(controlClass, 'field-sizing-content max-h-96 min-h-20 py-2 leading-6', className)}
      {...rest}
      {...control}
      ref={textarea}
    />
  );
}
