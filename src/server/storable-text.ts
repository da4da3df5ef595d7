/** Whether a value contains text that PostgreSQL cannot store: NUL or half of a surrogate pair. */
export function holdsUnstorableText(body: unknown): boolean {
  // A list instead of recursion: a body may be nested more deeply than the call stack allows.
  const remaining: unknown[] = [body];
  while (remaining.length > 0) {
    const value = remaining.pop();
    if (typeof value === 'string' && /\0|\p{Surrogate}/u.test(value)) return true;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, item] of Object.entries(value)) remaining.push(key, item);
  }
  return false;
}
