/** In place of a large bracket where no scripts run to load it. */
export function NeedsScripts({ slug }: { slug: string }) {
  return (
    <noscript>
      <p className="rounded border px-4 py-3">
        A bracket this large loads with JavaScript. Without it, read the{' '}
        <a href={`/tournaments/${slug}/standings`} className="font-medium text-accent underline underline-offset-4">
          standings
        </a>{' '}
        or the{' '}
        <a
          href={`/api/v1/tournaments/${slug}/matches`}
          className="font-medium text-accent underline underline-offset-4"
        >
          list of matches
        </a>{' '}
        in the API.
      </p>
    </noscript>
  );
}
