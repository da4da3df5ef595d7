const reported = new Map<string, number>();
const maxReported = 10_000;
const onceInMs = 60_000;

/**
 * Whether something was not reported within the last minute, so that a log line about it is worth writing: nobody
 * floods the log.
 */
export function isNews(what: string): boolean {
  const now = Date.now();
  if (now - (reported.get(what) ?? 0) < onceInMs) return false;
  if (reported.size >= maxReported) reported.clear();
  reported.set(what, now);
  return true;
}
