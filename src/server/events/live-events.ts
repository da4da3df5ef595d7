import { setImmediate } from 'node:timers/promises';
import { turnOf } from '@/domain/network/address-ranges';
import { type EventNotice, onDomainEvent, resumed } from '@/server/events/live';
import { pause } from '@/server/jobs/embedded/database';
import { FairQueue } from '@/server/worker/fair-queue';
import { gateOf } from '@/server/worker/thread-share';

/** Kinds of notices that a feed keeps; whoever has not seen one that it drops reads everything again. */
const maxKinds = 200;

/**
 * Ids that a stream follows besides those that it begins with. The one followed longest ago makes room for another, so that
 * nobody who registers for ever more tournaments makes a stream that costs more than others.
 */
export const maxFollowed = 200;

/** The latest notice of a kind; `at` and `otherAt` count notices. */
type Latest = {
  notice: EventNotice;
  at: number;
  /** When the latest notice of this kind about something else came; 0: none did. */
  otherAt: number;
};

/** A stream that follows a feed. */
type Follower = {
  feed: Feed;
  /** Tells the stream that the feed has something new, because of a project. */
  tell: (projectId: string | null) => void;
};

/** Counts notices; what a reader has seen are those up to a number. */
let count = 0;

/** What happened lately to what one id names. However many streams follow it, each notice is kept once for all of them. */
class Feed {
  followers = 0;
  /** Those that have read everything. They hear once that there is something new, until they have read it. */
  readonly upToDate = new Set<Follower>();
  /** One of each kind, the oldest first. */
  private readonly latest: Latest[] = [];
  /** The latest notice that is not kept. */
  private lostAt = 0;

  add(notice: EventNotice): void {
    const { type, tournamentId } = notice;
    const index = this.latest.findLastIndex(
      (each) => each.notice.type === type && each.notice.tournamentId === tournamentId,
    );
    const before = index === -1 ? undefined : this.latest.splice(index, 1)[0];
    const isSame = !before || before.notice.aggregateId === notice.aggregateId;
    this.latest.push({ notice, at: count, otherAt: isSame ? (before?.otherAt ?? 0) : before.at });
    if (this.latest.length > maxKinds) this.lostAt = this.latest.shift()?.at ?? this.lostAt;
    this.tellAll(notice.projectId);
  }

  /** Nobody knows what was missed. */
  loseAll(): void {
    this.latest.length = 0;
    this.lostAt = count;
    this.tellAll(null);
  }

  private tellAll(projectId: string | null): void {
    for (const { tell } of this.upToDate) tell(projectId);
    this.upToDate.clear();
  }

  /** One notice of each kind that came after a number; `aggregateId` is empty when several things are meant. */
  since(seen: number): Omit<Latest, 'otherAt'>[] {
    if (this.lostAt > seen) return [{ notice: resumed, at: this.lostAt }];
    const firstNew = this.latest.findLastIndex(({ at }) => at <= seen) + 1;
    return this.latest.slice(firstNew).map(({ notice, at, otherAt }) => {
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

function leave(id: string, follower: Follower): void {
  const { feed } = follower;
  feed.upToDate.delete(follower);
  feed.followers -= 1;
  if (feed.followers === 0) feeds.delete(id);
}

/** Feeds that streams read in a round of the event loop, in all and because of one project: hundreds of streams may wake at once. */
const reading = new FairQueue({
  running: [100, 75],
  waiting: Number.POSITIVE_INFINITY,
  waitingOfOwner: Number.POSITIVE_INFINITY,
});

export type LiveEvents = {
  /** Follows one more tournament, project or user from now on, `maxFollowed` at most, or no longer. */
  follow: (id: string) => void;
  /** @returns whether it was followed */
  unfollow: (id: string) => boolean;
  notices: AsyncGenerator<EventNotice, void>;
};

/**
 * Notices about tournaments, projects and users, from this call until `signal` aborts. Several of a kind that come before the
 * reader asks for the next are one, without `aggregateId` if they are about different things; after a gap it is `live.resumed`.
 * @param restMs how long to wait for more after what was read at once
 */
export function liveEvents(ids: readonly string[], signal: AbortSignal, restMs = 0): LiveEvents {
  const followed = new Map<string, Follower>();
  /** Those whose feeds may have something new. */
  const withNews = new Set<Follower>();
  /** The project that the latest news is because of. */
  let owner = '';
  let seen = count;
  let wake: () => void = () => undefined;
  function follow(id: string): void {
    if (signal.aborted || followed.has(id)) return;
    const isFull = followed.size >= ids.length + maxFollowed;
    const oldest = isFull ? [...followed.keys()].find((key) => !ids.includes(key)) : undefined;
    if (oldest !== undefined) unfollow(oldest);
    const follower: Follower = {
      feed: join(id),
      tell(projectId) {
        withNews.add(follower);
        owner = projectId ?? '';
        wake();
      },
    };
    followed.set(id, follower);
    follower.tell(null);
  }
  function unfollow(id: string): boolean {
    const follower = followed.get(id);
    if (!follower) return false;
    followed.delete(id);
    withNews.delete(follower);
    leave(id, follower);
    return true;
  }
  function end(): void {
    for (const id of followed.keys()) unfollow(id);
    signal.removeEventListener('abort', end);
    wake();
  }
  for (const id of ids) follow(id);
  signal.addEventListener('abort', end, { once: true });

  /** What came since it was asked last. What concerns two ids that are followed is one notice. */
  function takeNew(): Set<EventNotice> {
    const readNow = [...withNews];
    withNews.clear();
    for (const follower of readNow) follower.feed.upToDate.add(follower);
    const inOrder = readNow.flatMap(({ feed }) => feed.since(seen)).sort((one, other) => one.at - other.at);
    const batch = new Set(inOrder.map(({ notice }) => notice));
    seen = count;
    return batch;
  }

  async function* read(): AsyncGenerator<EventNotice, void> {
    try {
      while (!signal.aborted) {
        if (withNews.size === 0) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          continue;
        }
        // Feeds that tell it something meanwhile are read too.
        await reading.run({ owner, weight: withNews.size }, () => setImmediate());
        const batch = takeNew();
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

/**
 * Notices in a round of the event loop for the streams of all, of a block and of a network, which count as what these take of the
 * thread: hundreds of streams to one network, of tournaments that its own account changes all the time, would take all of it. What a
 * notice takes is known; as a larger part of a round, a venue's would count what others do in it.
 */
const receiving = new FairQueue({
  running: [64, 16, 8],
  gate: gateOf(0.02, 1 / 64, 0.3),
  waiting: Number.POSITIVE_INFINITY,
  waitingOfOwner: Number.POSITIVE_INFINITY,
});

/**
 * Resolves when it is the turn of a stream to an address to write a notice. Projects and networks take turns; meanwhile further notices
 * become one.
 */
export async function writeInTurn({ projectId }: EventNotice, address: string): Promise<void> {
  await writing.run({ owner: projectId ?? '' }, () => setImmediate());
  await receiving.run(turnOf(address), () => setImmediate());
}
