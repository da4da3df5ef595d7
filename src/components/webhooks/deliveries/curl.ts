type Sent = { url: string; headers: Record<string, unknown>; body: string };

/** One word of a POSIX shell, whatever it holds. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Set by curl itself from what is sent. */
const automatic = new Set(['content-length', 'host', 'connection']);

/** The command that sends a stored request again by hand. Headers whose value is redacted stay, to be filled in. */
export function toCurl({ url, headers, body }: Sent): string {
  const lines = [`curl --request POST ${shellQuote(url)}`];
  for (const [name, value] of Object.entries(headers)) {
    if (automatic.has(name.toLowerCase())) continue;
    for (const each of Array.isArray(value) ? value : [value])
      lines.push(`  --header ${shellQuote(`${name}: ${each}`)}`);
  }
  lines.push(`  --data-raw ${shellQuote(body)}`);
  return lines.join(' \\\n');
}
