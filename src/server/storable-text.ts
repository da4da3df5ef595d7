const isUnstorable = (text: string) => text.includes('\0') || !text.isWellFormed();

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
    // To make a list of the fields, or of the places of a list, takes longer than to read them.
    if (Array.isArray(value)) {
      if (value.some(look)) return true;
    } else if (typeof value === 'object' && value !== null) {
      const fields = value as Record<string, unknown>;
      for (const name in fields) if (isUnstorable(name) || look(fields[name])) return true;
    }
  }
  return false;
}

/** The beginning of a text, of at most `maxLength` UTF-16 units, without halves of a surrogate pair. */
export function storableBeginning(text: string, maxLength: number): string {
  const isPair = (text.codePointAt(maxLength - 1) ?? 0) > 0xffff;
  return text.slice(0, isPair ? maxLength - 1 : maxLength).toWellFormed();
}
