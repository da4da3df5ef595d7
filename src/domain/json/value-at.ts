/** What stands at a dotted path; undefined where nothing stands. Own properties only; numbers step into lists. */
export function valueAt(data: unknown, path: string): unknown {
  let at: unknown = data;
  for (const step of path.split('.')) {
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, step)) return undefined;
    at = Reflect.get(at, step);
  }
  return at;
}
