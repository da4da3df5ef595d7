/** Where to go after signing in: a path of this site, or `fallback` for anything else. */
export function returnPath(value: string | string[] | undefined, fallback = '/me'): string {
  const path = Array.isArray(value) ? value[0] : value;
  // Browsers read `//host` and `/\host` as another site, and drop tabs and line breaks before they look.
  if (!path || !/^\/(?![/\\])[^\s\\]*$/.test(path)) return fallback;
  return path;
}

/** A path with the given parameters, without the empty ones. */
export function pathWith(path: string, parameters: Record<string, string | undefined>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value) search.set(name, value);
  const query = search.toString();
  return query ? `${path}?${query}` : path;
}
