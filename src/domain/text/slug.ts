/** No slugs of projects and tournaments: `/dashboard/new` and `/dashboard/:project/tournaments/new` are pages of their own. */
export const pageSlugs: readonly string[] = ['new'];

/**
 * Turns a name into part of a public address: `Winter Cup №3` → `winter-cup-no3`.
 * @param rules.maxLength the most characters that are kept of the name
 * @param rules.fallback used when the name leaves fewer than three characters, or the address of a page: alone, or in front of
 *   them. Without it the slug may be that short, or empty.
 * @param rules.pages addresses of pages, which are no slugs
 */
export function slugify(
  name: string,
  rules: { maxLength: number; fallback?: string; pages?: readonly string[] },
): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, rules.maxLength)
    .replace(/^-+|-+$/g, '');
  if (rules.fallback === undefined || (slug.length >= 3 && !rules.pages?.includes(slug))) return slug;
  return slug ? `${rules.fallback}-${slug}` : rules.fallback;
}
