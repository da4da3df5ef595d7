/** PostgreSQL stores neither NUL nor half a surrogate pair; better a 400 here than a failure in the middle of a write. */
export function holdsUnstorableText(body: unknown): boolean {
  // A list of what is left to look at: a body may be nested deeper than calls can be.
  const left: unknown[] = [body];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === 'string' && /\0|\p{Surrogate}/u.test(value)) return true;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, item] of Object.entries(value)) left.push(key, item);
  }
  return false;
}
