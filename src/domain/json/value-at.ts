/** The value at a dotted path; undefined where there is none. Reads own properties only; numbers index lists. */
export function valueAt(data: unknown, path: string): unknown {
  let at: unknown = data;
  for (const step of path.split('.')) {
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, step)) return undefined;
    at = Reflect.get(at, step);
  }
  return at;
}
