/** The first stop of the Tab key. The page's `<main>` has the id `main`. */
export function SkipLink() {
  return (
    <a
      href="#main"
      className="sr-only z-60 rounded bg-accent-fill px-4 py-2 font-semibold text-on-accent focus:not-sr-only focus:fixed focus:top-3 focus:left-3"
    >
      Skip to the content
    </a>
  );
}
