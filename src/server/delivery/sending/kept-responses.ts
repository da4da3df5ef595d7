import type { RequestResult } from '@/server/delivery/outbound/post';
import { beforeEscapes } from '@/server/delivery/request/echoes';
import { storableBeginning } from '@/server/storable-text';

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
/**
 * Characters of responses with escapes in which a credential is searched for, of a project in a second: a kilobyte takes a tenth
 * of a millisecond, and without escapes a tenth of that.
 */
const escapedPerSecond = 16 * 1024;
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

const escaped = new Map<string, { since: number; characters: number }>();

/** Whether escapes of a project's responses may be undone now. A long response counts as what a second has. */
function mayUndo(projectId: string, size: number, now: number): boolean {
  const known = escaped.get(projectId);
  const second = known && now - known.since < 1_000 ? known : { since: now, characters: 0 };
  if (second.characters > 0 && second.characters + size > escapedPerSecond) return false;
  second.characters += size;
  if (!known && escaped.size >= maxProjects) escaped.clear();
  escaped.set(projectId, second);
  return true;
}

/** A result without what may be escaped, unless its escapes may be undone to search for a credential. */
function searchable(projectId: string, result: RequestResult, now: number): RequestResult {
  const { headers, body } = result;
  const plain = body === null ? null : beforeEscapes(body);
  const plainHeaders = Object.entries(headers ?? {}).filter(([name, value]) => {
    const text = `${name}${value}`;
    return beforeEscapes(text) === text;
  });
  const isPlain = plain === body && plainHeaders.length === Object.keys(headers ?? {}).length;
  if (isPlain || mayUndo(projectId, (body?.length ?? 0) + sizeOf(headers), now)) return result;
  return { ...result, headers: headers && Object.fromEntries(plainHeaders), body: plain, truncated: true };
}

function sizeOf(headers: RequestResult['headers']): number {
  let size = 0;
  for (const name in headers) size += name.length + String(headers[name]).length;
  return size;
}

function cutToAllowance(projectId: string, result: RequestResult, searched: boolean, now: number): RequestResult {
  const { headers, body } = result;
  const size = (body?.length ?? 0) + sizeOf(headers);
  if (size <= alwaysKept || mayKeep(projectId, size, searched, now)) return result;
  const wait = headers?.['retry-after'];
  return {
    ...result,
    // What the next attempt depends on stays.
    headers: typeof wait === 'string' && wait.length < 100 ? { 'retry-after': wait } : {},
    body: body && storableBeginning(body, alwaysKept),
    truncated: result.truncated || (body?.length ?? 0) > alwaysKept,
  };
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
  const cut = cutToAllowance(projectId, result, searched, now);
  return searched ? searchable(projectId, cut, now) : cut;
}
