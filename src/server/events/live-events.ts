import { setImmediate } from 'node:timers/promises';
import { type EventNotice, onDomainEvent, resumed } from '@/server/events/live';
import { pause } from '@/server/jobs/embedded/database';
import { FairQueue } from '@/server/worker/fair-queue';

/** Kinds of notices that a feed keeps; whoever has not seen one that it drops reads everything again. */
const maxKinds = 200;

/** A kind of notice, and the latest of it; `at` and `otherAt` count notices. */
type Latest = {
  notice: EventNotice;
  at: number;
  /** When the latest notice of this kind about something else came; 0: none did. */
  otherAt: number;
};

/** Counts notices; what a reader has seen are those up to a number. */
let count = 0;

/** What happened lately to what one id names. However many streams follow it, each notice is kept once for all of them. */
class Feed {
  followers = 0;
  /** Wakes the streams that have read everything. */
  readonly asleep = new Set<() => void>();
  /** By kind, the oldest first. */
  private readonly latest = new Map<string, Latest>();
  /** The latest notice that is not kept. */
  private lostAt = 0;

  add(notice: EventNotice): void {
    const kind = `${notice.type} ${notice.tournamentId ?? ''}`;
    const before = this.latest.get(kind);
    const isSame = !before || before.notice.aggregateId === notice.aggregateId;
    this.latest.delete(kind);
    this.latest.set(kind, { notice, at: count, otherAt: isSame ? (before?.otherAt ?? 0) : before.at });
    const [oldest] = this.latest;
    if (oldest && this.latest.size > maxKinds) {
      this.latest.delete(oldest[0]);
      this.lostAt = oldest[1].at;
    }
    this.wake();
  }

  /** Nobody knows what was missed. */
  loseAll(): void {
    this.latest.clear();
    this.lostAt = count;
    this.wake();
  }

  private wake(): void {
    for (const wake of this.asleep) wake();
    this.asleep.clear();
  }

  /** One notice of each kind that came after a number; `aggregateId` is empty when several things are meant. */
  since(seen: number): Omit<Latest, 'otherAt'>[] {
    if (this.lostAt > seen) return [{ notice: resumed, at: this.lostAt }];
    return [...this.latest.values()].flatMap(({ notice, at, otherAt }) => {
      if (at <= seen) return [];
      return { notice: otherAt > seen ? { ...notice, aggregateId: '' } : notice, at };
    });
  }
}

const feeds = new Map<string, Feed>();
let listening = false;

function addToFeeds(notice: EventNotice): void {
  count += 1;
  if (notice.type === resumed.type) {
    for (const feed of feeds.values()) feed.loseAll();
    return;
  }
  const concerned = new Set([notice.tournamentId, notice.aggregateId, notice.projectId, notice.userId]);
  for (const id of concerned) if (id !== null) feeds.get(id)?.add(notice);
}

function join(id: string): Feed {
  if (!listening) onDomainEvent(addToFeeds);
  listening = true;
  const feed = feeds.get(id) ?? new Feed();
  feeds.set(id, feed);
  feed.followers += 1;
  return feed;
}

function leave(id: string, feed: Feed): void {
  feed.followers -= 1;
  if (feed.followers === 0) feeds.delete(id);
}

export type LiveEvents = {
  /** Follows one more tournament, project or user from now on, or no longer. */
  follow: (id: string) => void;
  unfollow: (id: string) => void;
  notices: AsyncGenerator<EventNotice, void>;
};

/**
 * Notices about tournaments, projects and users, from this call until `signal` aborts. Several of a kind that come before the
 * reader asks for the next are one, without `aggregateId` if they are about different things; after a gap it is `live.resumed`.
 * @param restMs how long to wait for more after what was read at once
 */
export function liveEvents(ids: readonly string[], signal: AbortSignal, restMs = 0): LiveEvents {
  const followed = new Map<string, Feed>();
  let seen = count;
  let wake: () => void = () => undefined;
  function follow(id: string): void {
    if (!signal.aborted && !followed.has(id)) followed.set(id, join(id));
  }
  function unfollow(id: string): void {
    const feed = followed.get(id);
    if (feed && followed.delete(id)) leave(id, feed);
  }
  function end(): void {
    for (const id of followed.keys()) unfollow(id);
    signal.removeEventListener('abort', end);
    wake();
  }
  for (const id of ids) follow(id);
  signal.addEventListener('abort', end, { once: true });

  async function sleep(): Promise<void> {
    const feedsHere = [...followed.values()];
    await new Promise<void>((resolve) => {
      wake = resolve;
      for (const { asleep } of feedsHere) asleep.add(resolve);
    });
    for (const { asleep } of feedsHere) asleep.delete(wake);
  }

  async function* read(): AsyncGenerator<EventNotice, void> {
    try {
      while (!signal.aborted) {
        const inOrder = [...followed.values()].flatMap((feed) => feed.since(seen)).sort((a, b) => a.at - b.at);
        // What concerns two ids that are followed is one notice.
        const batch = new Set(inOrder.map(({ notice }) => notice));
        seen = count;
        if (batch.size === 0) await sleep();
        for (const notice of batch) {
          if (signal.aborted) return;
          yield notice;
        }
        if (batch.size > 0 && restMs > 0) await pause(restMs, signal);
      }
    } finally {
      end();
    }
  }
  return { follow, unfollow, notices: read() };
}

/**
 * Streams that write a notice in a round of the event loop, in all and because of one project. A notice takes 0.07 milliseconds
 * for each stream, and thousands may follow a tournament; everything else that the process does waits for a round at most.
 */
const writing = new FairQueue({
  running: [8, 6],
  waiting: Number.POSITIVE_INFINITY,
  waitingOfOwner: Number.POSITIVE_INFINITY,
});

/** Resolves when it is the turn of a stream to write a notice. Projects take turns; meanwhile further notices become one. */
export function writeInTurn({ projectId }: EventNotice): Promise<void> {
  return writing.run({ owner: projectId ?? '' }, () => setImmediate());
}
