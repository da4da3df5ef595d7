const known = new Map<string, boolean>();

/** Whether `name` is an IANA time zone that this runtime knows (`Europe/Berlin`, `UTC`). Offsets like `+02:00` are not. */
export function isTimeZone(name: string): boolean {
  const before = known.get(name);
  if (before !== undefined) return before;
  const valid = /^[A-Za-z]/.test(name) && parses(name);
  if (known.size < 2_000) known.set(name, valid);
  return valid;
}

function parses(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
