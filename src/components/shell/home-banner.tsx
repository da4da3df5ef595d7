import { LogoMark } from '@/components/shell/logo';

/** A bracket of eight that ends in the wreath; decoration alone. */
function BracketToWreath() {
  return (
    <div aria-hidden className="relative hidden h-28 w-80 shrink-0 md:block">
      <svg viewBox="0 0 320 112" fill="none" className="absolute inset-0 text-line-strong" stroke="currentColor">
        <title>Bracket</title>
        <path d="M0 8h72v16H0M0 40h72v16H0M0 56h0M0 72h72v16H0M0 104h72" />
        <path d="M72 16h56v32H72M72 80h56v24H72" />
        <path d="M128 32h56v60h-56" />
        <path d="M184 62h72" className="text-accent" stroke="currentColor" strokeWidth="2" />
      </svg>
      <LogoMark className="absolute top-8 right-0 size-15 text-accent" />
    </div>
  );
}

/** Who this is, in one line; the page's work begins right below. */
export function BrandStrip() {
  return (
    <div className="border-b bg-surface">
      <div className="mx-auto flex max-w-6xl items-center justify-between gap-8 px-4 py-7 sm:px-6 sm:py-9">
        <div>
          <h1 className="display max-w-xl text-2xl sm:text-3xl">Play today. Win your laurels.</h1>
          <p className="mt-2 text-balance text-muted sm:text-base">
            Esports tournaments with a schedule you can rely on: register, check in, play.
          </p>
        </div>
        <BracketToWreath />
      </div>
    </div>
  );
}
