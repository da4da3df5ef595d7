/**
 * Characters that an excerpt is made from: for all of a long text, such as one of brackets or line breaks alone, the
 * expressions below would take a quarter of a second.
 */
const readLength = 2_000;

/** The beginning of a Markdown text as plain text of at most `limit` characters, for page descriptions. */
export function plainExcerpt(markdown: string, limit = 160): string {
  const text = markdown
    .slice(0, readLength)
    .replace(/```[\s\S]*?```/g, ' ')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s*(?:[-+*]|\d+\.)\s+/gm, '')
    .replace(/[#>*_`~|]+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return text.length > limit ? `${text.slice(0, limit - 1).trimEnd()}…` : text;
}
