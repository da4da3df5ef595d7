import { hour } from '@/domain/time/durations';
import { isBeingPlayed, isOnlyReported } from './play';

/** What decides where a match is played, and when. Times are ISO 8601. */
export type StationMatch = {
  number: number;
  status: 'pending' | 'ready' | 'scheduled' | 'in_progress' | 'disputed' | 'completed' | 'forfeited';
  stationId: string | null;
  streamPosition: number | null;
  scheduledAt: string | null;
  calledAt: string | null;
  /** Null: nobody has reported a result. */
  report: object | null;
  startedAt: string | null;
};

export type StationFacts = { id: string; streamUrl: string | null; autoAssign: boolean };

const isOpen = ({ status }: StationMatch) => status !== 'completed' && status !== 'forfeited';
const isWaiting = ({ status }: StationMatch) => status === 'ready' || status === 'scheduled';

/** Whether a match has a time that is too far off to keep a station for it; staff may still call or start it earlier. */
export function isForLater({ scheduledAt }: Pick<StationMatch, 'scheduledAt'>, now: number): boolean {
  return scheduledAt !== null && Date.parse(scheduledAt) > now + hour;
}

/** Whether a match can be played at a station now. */
const isForNow = (match: StationMatch, now: number) =>
  match.status !== 'pending' && (isBeingPlayed(match) || match.calledAt !== null || !isForLater(match, now));

/**
 * Where a match stands in the order of play: running, called, due, without a time, later, waiting for participants. A
 * report alone does not change its place.
 */
function turnOf(match: StationMatch, now: number): [rank: number, at: string] {
  const { scheduledAt, calledAt, startedAt } = match;
  if (isBeingPlayed(match)) return [0, startedAt ?? ''];
  if (match.status === 'pending') return [5, ''];
  if (calledAt !== null) return [1, calledAt];
  if (scheduledAt === null) return [3, ''];
  return [Date.parse(scheduledAt) <= now ? 2 : 4, scheduledAt];
}

/** Sorts by the order of play; `now` in milliseconds. */
function inTurn<T extends StationMatch>(matches: readonly T[], now: number): T[] {
  const turns = new Map(matches.map((match) => [match, turnOf(match, now)]));
  return [...matches].sort((a, b) => {
    const [rankA, atA] = turns.get(a) ?? [0, ''];
    const [rankB, atB] = turns.get(b) ?? [0, ''];
    return rankA - rankB || (atA < atB ? -1 : atA > atB ? 1 : a.number - b.number);
  });
}

/**
 * What is left to play at a station: the match whose turn it is, null while none of them has both participants or all are
 * for later than in an hour, and those that wait for it, in order.
 */
export function matchesAt<T extends StationMatch>(
  stationId: string,
  matches: readonly T[],
  now: number,
): { current: T | null; queue: T[] } {
  const open = inTurn(
    matches.filter((match) => match.stationId === stationId && isOpen(match)),
    now,
  );
  const [first, ...rest] = open;
  return first && isForNow(first, now) ? { current: first, queue: rest } : { current: null, queue: open };
}

/** The matches of the stream queue that are not over, in its order. */
export function streamQueue<T extends StationMatch>(matches: readonly T[]): T[] {
  const queued = matches.filter((match) => match.streamPosition !== null && isOpen(match));
  return queued.sort((a, b) => (a.streamPosition ?? 0) - (b.streamPosition ?? 0));
}

/**
 * The match on stream: the first in the order of play that runs or was called at a station with a stream. Without such a
 * station, the first of the stream queue that runs.
 */
export function onStream<T extends StationMatch>(
  matches: readonly T[],
  stations: readonly Pick<StationFacts, 'id' | 'streamUrl'>[],
  now: number,
): T | null {
  const streams = new Set(stations.flatMap(({ id, streamUrl }) => (streamUrl === null ? [] : [id])));
  if (streams.size === 0) return streamQueue(matches).find(isBeingPlayed) ?? null;
  const there = matches.filter(
    (match) =>
      match.stationId !== null &&
      streams.has(match.stationId) &&
      (isBeingPlayed(match) || ((isWaiting(match) || isOnlyReported(match)) && match.calledAt !== null)),
  );
  return inTurn(there, now)[0] ?? null;
}

/**
 * Which waiting matches the free stations take, by number. A station takes matches by itself when `autoAssign` is set and
 * nothing is left to play there now; it takes none for later than in an hour, or two sides that agree on a time weeks
 * ahead would keep it from the others. Stations with a stream take what the stream queue has next, the others
 * what is next in the order of play and not in the stream queue; the queue holds nothing back where no station has a stream.
 */
export function fillStations(
  matches: Iterable<StationMatch>,
  stations: readonly StationFacts[],
  now: number,
): Map<number, string> {
  const taken = new Map<number, string>();
  if (!stations.some(({ autoAssign }) => autoAssign)) return taken;
  const all = [...matches];
  const waiting = all.filter((match) => match.stationId === null && isWaiting(match) && isForNow(match, now));
  const hasStream = stations.some(({ streamUrl }) => streamUrl !== null);
  const forStream = streamQueue(waiting);
  const others = inTurn(hasStream ? waiting.filter(({ streamPosition }) => streamPosition === null) : waiting, now);
  for (const { id, streamUrl, autoAssign } of stations) {
    if (!autoAssign || matchesAt(id, all, now).current !== null) continue;
    const next = (streamUrl === null ? others : forStream).shift();
    if (next) taken.set(next.number, id);
  }
  return taken;
}
