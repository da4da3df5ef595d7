/**
 * Turns a name into part of a public address: `Winter Cup №3` → `winter-cup-no3`.
 * @param rules.maxLength the most characters that are kept of the name
 * @param rules.fallback used when the name leaves fewer than three characters: alone, or in front of them. Without it
 *   the slug may be that short, or empty.
 */
export function slugify(name: string, rules: { maxLength: number; fallback?: string }): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, rules.maxLength)
    .replace(/^-+|-+$/g, '');
  if (rules.fallback === undefined || slug.length >= 3) return slug;
  return slug ? `${rules.fallback}-${slug}` : rules.fallback;
}
