const told = new Map<string, number>();
const maxTold = 10_000;
const onceInMs = 60_000;

/** Whether something was not told within the last minute, so that a log line about it is worth writing: nobody floods the log. */
export function isNews(what: string): boolean {
  const now = Date.now();
  if (now - (told.get(what) ?? 0) < onceInMs) return false;
  if (told.size >= maxTold) told.clear();
  told.set(what, now);
  return true;
}
