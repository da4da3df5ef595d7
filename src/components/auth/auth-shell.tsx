import Link from 'next/link';
import type { ReactNode } from 'react';
import { LogoMark, Wordmark } from '@/components/shell/logo';
import { ButtonLink } from '@/components/ui/form/button';
import { ThemeToggle } from '@/components/ui/navigation/theme-toggle';

/** A bracket of eight without names, with the champion's path to the wreath highlighted. */
function BracketDrawing() {
  return (
    <div className="relative w-full max-w-xl">
      <svg aria-hidden viewBox="0 0 480 400" fill="none" className="w-full">
        <g stroke="var(--line-strong)">
          <path d="M0 30h110v50H0M0 130h110v50H0M0 230h110v50H0M0 330h110v50H0" />
          <path d="M110 55h110v100H110M110 255h110v100H110" />
          <path d="M220 105h110v200H220M330 205h60" />
        </g>
        <path d="M0 280h110v-25h110v50h110V205h60" stroke="var(--accent)" strokeWidth="3" />
      </svg>
      <LogoMark className="absolute top-[51.25%] right-0 size-[17%] -translate-y-1/2 text-accent" />
    </div>
  );
}

/** The layout of all pages for signing in and up, and for links from emails. */
export function AuthShell({ children }: { children: ReactNode }) {
  return (
    <div className="grid min-h-dvh lg:grid-cols-2">
      <div className="flex flex-col px-5 sm:px-10">
        <header className="flex h-16 items-center justify-between">
          <Link href="/" aria-label="Laurel, home" className="rounded">
            <Wordmark />
          </Link>
          <ThemeToggle />
        </header>
        <main id="main" className="mx-auto grid w-full max-w-sm flex-1 content-start gap-8 pt-8 pb-16 sm:pt-[12dvh]">
          {children}
        </main>
      </div>
      <aside className="hidden place-items-center overflow-hidden border-l bg-sunken p-12 lg:grid">
        <BracketDrawing />
      </aside>
    </div>
  );
}

/** The page's title with an optional sentence below it. */
export function AuthHeading({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <div className="grid gap-1.5">
      <h1 className="display text-3xl wrap-anywhere" dir="auto">
        {title}
      </h1>
      {children ? <p className="text-base text-muted">{children}</p> : null}
    </div>
  );
}

/** A link within a sentence. */
export function TextLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} className="text-accent underline underline-offset-4 hover:decoration-2">
      {children}
    </Link>
  );
}

/** For a link that leads to nothing: the page's title, a sentence on how to get one that works, and the way home. */
export function LinkNotFound({ title, children }: { title: string; children: string }) {
  return (
    <>
      <AuthHeading title={title}>{children}</AuthHeading>
      <ButtonLink href="/" className="justify-self-start">
        Go to the home page
      </ButtonLink>
    </>
  );
}
