import type { RequestResult } from '@/server/delivery/outbound/post';

/** Characters of a response, headers and body, that are always stored. */
export const alwaysKept = 1_024;
/** Characters of longer responses that a process stores for a project within an hour. */
export const keptPerHour = 16 * 1024 * 1024;
/**
 * One in which a credential has to be searched for counts so many times, and is kept once in so many milliseconds: in 16 KiB of
 * escapes that takes several milliseconds.
 */
const searchedCounts = 16;
const searchedEveryMs = 1_000;
const hourMs = 60 * 60_000;
const maxProjects = 10_000;

const used = new Map<string, { since: number; characters: number; searchedAt: number }>();

function mayKeep(projectId: string, size: number, searched: boolean, now: number): boolean {
  const known = used.get(projectId);
  const fresh = { since: now, characters: 0, searchedAt: Number.NEGATIVE_INFINITY };
  const hour = known && now - known.since < hourMs ? known : fresh;
  const counts = searched ? size * searchedCounts : size;
  if (hour.characters + counts > keptPerHour || (searched && now - hour.searchedAt < searchedEveryMs)) return false;
  hour.characters += counts;
  if (searched) hour.searchedAt = now;
  if (!known && used.size >= maxProjects) used.clear();
  used.set(projectId, hour);
  return true;
}

function sizeOf(headers: RequestResult['headers']): number {
  let size = 0;
  for (const name in headers) size += name.length + String(headers[name]).length;
  return size;
}

/**
 * A result as it is stored. Receivers decide how long their responses are, and attempts are kept for a month: past an
 * hourly allowance for each project, only the beginning of a long response is kept.
 * @param searched whether a credential has to be searched for in what is kept
 */
export function keptResponse(
  projectId: string,
  result: RequestResult,
  searched = false,
  now = performance.now(),
): RequestResult {
  const { headers, body } = result;
  const size = (body?.length ?? 0) + sizeOf(headers);
  if (size <= alwaysKept || mayKeep(projectId, size, searched, now)) return result;
  const wait = headers?.['retry-after'];
  return {
    ...result,
    // What the next attempt depends on stays.
    headers: typeof wait === 'string' && wait.length < 100 ? { 'retry-after': wait } : {},
    body: body?.slice(0, alwaysKept) ?? null,
    truncated: result.truncated || (body?.length ?? 0) > alwaysKept,
  };
}
