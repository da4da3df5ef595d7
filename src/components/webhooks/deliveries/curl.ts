type StoredRequest = { url: string; headers: Record<string, unknown>; body: string };

/** Quotes any text as one word for a POSIX shell. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Headers that curl sets itself. */
const automaticHeaders = new Set(['content-length', 'host', 'connection']);

/** The curl command that repeats a stored request. Redacted headers are included, to be filled in by hand. */
export function toCurl({ url, headers, body }: StoredRequest): string {
  const lines = [`curl --request POST ${shellQuote(url)}`];
  for (const [name, value] of Object.entries(headers)) {
    if (automaticHeaders.has(name.toLowerCase())) continue;
    for (const each of Array.isArray(value) ? value : [value])
      lines.push(`  --header ${shellQuote(`${name}: ${each}`)}`);
  }
  lines.push(`  --data-raw ${shellQuote(body)}`);
  return lines.join(' \\\n');
}
