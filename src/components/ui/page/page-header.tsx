import { ChevronLeft } from 'lucide-react';
import Link from 'next/link';
import type { ReactNode } from 'react';

/** The title of a page with its actions. `badges` go beside the title, `meta` below it. A bracket arm closes it off. */
export function PageHeader({
  title,
  back,
  badges,
  description,
  meta,
  actions,
  tabs,
}: {
  title: ReactNode;
  back?: { href: string; label: string };
  badges?: ReactNode;
  description?: ReactNode;
  meta?: ReactNode;
  actions?: ReactNode;
  /** LinkTabs, in place of the bracket arm. */
  tabs?: ReactNode;
}) {
  return (
    <header className={tabs ? 'mb-8 print:mb-4' : 'bracket-rule mb-8 pb-5'}>
      {back ? (
        <Link href={back.href} className="mb-2 inline-flex items-center gap-1 text-muted hover:text-ink print:hidden">
          <ChevronLeft aria-hidden className="size-4 shrink-0" />
          {back.label}
        </Link>
      ) : null}
      <div className="flex flex-wrap items-start justify-between gap-x-8 gap-y-4">
        <div className="min-w-0 max-w-3xl">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
            <h1 className="display min-w-0 text-left text-2xl wrap-anywhere sm:text-3xl" dir="auto">
              {title}
            </h1>
            {badges}
          </div>
          {description ? <div className="mt-1.5 max-w-prose text-muted sm:text-base">{description}</div> : null}
          {meta ? <div className="mt-2 flex flex-wrap items-center gap-x-5 gap-y-1 text-muted">{meta}</div> : null}
        </div>
        {actions ? <div className="flex flex-wrap items-center gap-2 sm:pt-1 print:hidden">{actions}</div> : null}
      </div>
      {tabs ? <div className="mt-5 print:hidden">{tabs}</div> : null}
    </header>
  );
}
