/** Caps on the attempts of one subscription; `burst` is the most in one second. */
export type RateCaps = { perMinute?: number; perHour?: number; perDay?: number; burst?: number };

/** Attempts started in the span of `spanMs` that begins at `startsAt` (milliseconds of Unix time). */
export type RateBucket = { spanMs: number; startsAt: number; started: number };

/** Each cap counts over a sliding window, in spans fine enough that little of the cap is lost to their edges. */
const windows = {
  burst: { windowMs: 1_000, spanMs: 100 },
  perMinute: { windowMs: 60_000, spanMs: 1_000 },
  perHour: { windowMs: 3_600_000, spanMs: 60_000 },
  perDay: { windowMs: 86_400_000, spanMs: 900_000 },
} as const;

const cappedWindows = (caps: RateCaps) =>
  (Object.keys(windows) as (keyof typeof windows)[]).flatMap((name) => {
    const cap = caps[name];
    return typeof cap === 'number' ? [{ ...windows[name], cap }] : [];
  });

/** Where attempts that start at `now` are counted, for each cap that is set. */
export function bucketsAt(caps: RateCaps, now: number): { spanMs: number; startsAt: number; forgetBefore: number }[] {
  return cappedWindows(caps).map(({ windowMs, spanMs }) => ({
    spanMs,
    startsAt: now - (((now % spanMs) + spanMs) % spanMs),
    forgetBefore: now - windowMs - spanMs,
  }));
}

/**
 * How many attempts may start at `now`, and if none, in how many milliseconds one may. A span counts as long as any of it
 * lies in the window: in no window of that length do more start than the cap says.
 */
export function allowance(caps: RateCaps, buckets: readonly RateBucket[], now: number): { free: number; inMs: number } {
  let free = Number.POSITIVE_INFINITY;
  let inMs = 0;
  for (const { windowMs, spanMs, cap } of cappedWindows(caps)) {
    const counted = buckets
      .filter((bucket) => bucket.spanMs === spanMs && bucket.startsAt + spanMs + windowMs > now)
      .sort((a, b) => a.startsAt - b.startsAt);
    let used = counted.reduce((sum, bucket) => sum + bucket.started, 0);
    free = Math.min(free, Math.max(cap - used, 0));
    for (const bucket of counted) {
      if (used < cap) break;
      used -= bucket.started;
      inMs = Math.max(inMs, bucket.startsAt + spanMs + windowMs - now);
    }
  }
  return { free, inMs };
}

/** A subscription's queue as the database sees it. Times are milliseconds from now; past ones are negative. */
export type QueueView = {
  /** Why nothing is sent; null: it is. */
  heldBy: 'paused' | 'disabled' | 'breaker' | null;
  /** Until a probe may go; null while the breaker is closed. */
  probeInMs: number | null;
  /** Until the end of a Retry-After; null without one. */
  holdInMs: number | null;
  /** Until the caps allow another attempt. */
  capInMs: number;
  /** Until the first pending delivery is due; null when none is pending. */
  pendingInMs: number | null;
  /** Whether a delivery that can still be sent is held. */
  held: boolean;
  /** Whether anything is pending that nobody has a request under way for. */
  unclaimed: boolean;
};

/**
 * Until the queue is to be looked at again; null: when something new comes. A paused or disabled subscription waits for its
 * owner, an open breaker for its probe.
 */
export function nextLookInMs(view: QueueView): number | null {
  const gates = Math.max(view.holdInMs ?? 0, view.capInMs);
  if (view.heldBy === null) return view.pendingInMs === null ? null : Math.max(view.pendingInMs, gates);
  if (view.heldBy !== 'breaker' || !(view.held || view.pendingInMs !== null)) return null;
  return Math.max(view.probeInMs ?? 0, gates);
}

/** Failures in a row from which a receiver shares its slots with others that fail, so that those which hang delay no other. */
const failingFrom = 3;

/** Which slots a receiver uses. @param streak failures in a row so far */
export const laneOf = (streak: number): 'steady' | 'failing' => (streak < failingFrom ? 'steady' : 'failing');

/** What to do with a queue now: send what is due, send one probe, or nothing yet. */
export function nextMove(view: QueueView): 'send' | 'probe' | 'rest' {
  const inMs = nextLookInMs(view);
  if (inMs === null || inMs > 0) return 'rest';
  return view.heldBy === null ? 'send' : 'probe';
}

/** Whether deliveries stand in the wrong place: pending though held back, or held though nothing holds them. */
export function isMisplaced(view: QueueView): boolean {
  return view.heldBy === null ? view.held : view.unclaimed;
}

/**
 * How many requests may be under way, so that a failing receiver is not tried more often than its breaker allows: should all
 * of them fail, they open it exactly.
 * @param threshold failures in a row that open the breaker; null: there is none
 * @param streak failures in a row so far
 */
export function roomUnderBreaker(parallel: number, threshold: number | null, streak: number): number {
  if (threshold === null) return parallel;
  return Math.min(parallel, Math.max(threshold - streak, 0));
}
