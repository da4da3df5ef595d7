/** The path to go to after signing in: `value` if it is a path of this site, otherwise `fallback`. */
export function returnPath(value: string | string[] | undefined, fallback = '/me'): string {
  const path = Array.isArray(value) ? value[0] : value;
  // Browsers treat `//host` and `/\host` as another site, and ignore tabs and line breaks. Whatever else is not ASCII
  // would have to be encoded to stand in a header.
  if (!path || !/^\/(?![/\\])[!-[\]-~]*$/.test(path)) return fallback;
  return path;
}

/** A path with query parameters, without empty ones. */
export function pathWith(path: string, parameters: Record<string, string | undefined>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value) search.set(name, value);
  const query = search.toString();
  return query ? `${path}?${query}` : path;
}
