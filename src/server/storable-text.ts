const isUnstorable = (text: string) => /\0|\p{Surrogate}/u.test(text);

/** Whether a value contains text that PostgreSQL cannot store: NUL or half of a surrogate pair. */
export function holdsUnstorableText(body: unknown): boolean {
  if (typeof body === 'string') return isUnstorable(body);
  // A list instead of recursion: a body may be nested more deeply than the call stack allows.
  const remaining: unknown[] = [body];
  const look = (value: unknown) => {
    if (typeof value === 'string') return isUnstorable(value);
    if (typeof value === 'object' && value !== null) remaining.push(value);
    return false;
  };
  while (remaining.length > 0) {
    const value = remaining.pop();
    // Lists have no names, and to make one of each place takes longer than to read the list.
    if (Array.isArray(value)) {
      if (value.some(look)) return true;
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) if (isUnstorable(key) || look(item)) return true;
    }
  }
  return false;
}
