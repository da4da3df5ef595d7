import { LoaderCircle } from 'lucide-react';
import Link from 'next/link';
import type { ComponentProps, ReactNode } from 'react';
import { cn } from '@/components/ui/cn';

export type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger' | 'link';
export type ButtonSize = 'sm' | 'md' | 'lg' | 'icon';

const variants: Record<ButtonVariant, string> = {
  primary: 'bg-accent-fill text-on-accent hover:bg-accent-fill-hover border-transparent font-semibold',
  secondary: 'bg-surface text-ink border-line-strong hover:bg-hover',
  ghost: 'bg-transparent text-muted border-transparent hover:bg-hover hover:text-ink',
  danger: 'bg-danger-fill text-on-danger border-transparent hover:bg-danger-fill-hover font-semibold',
  link: 'h-auto border-0 px-0 text-accent underline decoration-1 underline-offset-4 hover:decoration-2',
};

const sizes: Record<ButtonSize, string> = {
  sm: 'h-8 gap-1.5 px-3 text-sm max-sm:h-11 [&_svg]:size-4',
  md: 'h-9 gap-2 px-4 text-sm max-sm:h-11 [&_svg]:size-4',
  lg: 'h-12 gap-2 px-6 text-base [&_svg]:size-5',
  icon: 'size-9 justify-center max-sm:size-11 [&_svg]:size-4',
};

/** The classes of a button, for other elements that should look like one. */
export function buttonClass({ variant = 'secondary', size = 'md' }: { variant?: ButtonVariant; size?: ButtonSize }) {
  const base =
    'relative inline-flex shrink-0 items-center justify-center rounded border font-medium whitespace-nowrap transition-colors select-none disabled:opacity-50 disabled:cursor-not-allowed aria-disabled:opacity-50 print:hidden';
  return cn(base, sizes[size], variants[variant]);
}

type ButtonStyle = { variant?: ButtonVariant; size?: ButtonSize; icon?: ReactNode };

/** A button. While `loading`, it keeps its width, ignores clicks and is announced as busy. */
export function Button({
  variant,
  size,
  icon,
  loading = false,
  disabled,
  className,
  children,
  type = 'button',
  onClick,
  ...rest
}: ComponentProps<'button'> & ButtonStyle & { loading?: boolean }) {
  return (
    <button
      type={type}
      disabled={disabled}
      aria-disabled={loading || undefined}
      aria-busy={loading || undefined}
      className={cn(buttonClass({ variant, size }), className)}
      {...rest}
      // Not `disabled` while loading, because the button would lose the focus.
      onClick={loading ? (event) => event.preventDefault() : onClick}
    >
      {loading ? (
        <>
          <span className="absolute inset-0 grid place-items-center">
            <LoaderCircle aria-hidden className="animate-turn" />
          </span>
          <span className="inline-flex items-center gap-2 opacity-0">
            {icon}
            {children}
          </span>
        </>
      ) : (
        <>
          {icon}
          {children}
        </>
      )}
    </button>
  );
}

/** A link that looks like a button. */
export function ButtonLink({
  variant,
  size,
  icon,
  className,
  children,
  ...rest
}: ComponentProps<typeof Link> & ButtonStyle) {
  return (
    <Link className={cn(buttonClass({ variant, size }), className)} {...rest}>
      {icon}
      {children}
    </Link>
  );
}
