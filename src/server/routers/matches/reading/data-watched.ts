import { turnOf } from '@/domain/network/address-ranges';
import { isVisibleOutside } from '@/domain/tournaments/visibility';
import { keep } from '@/server/compiled';
import { liveConnected, onDomainEvent } from '@/server/events/live';
import { BoundedCache } from '@/server/limits/bounded-cache';
import type { Play } from '@/server/routers/matches/data-bracket';
import { findLarge, type LargeDraw } from '@/server/routers/matches/data-size';
import { toBracket, toStandings } from '@/server/routers/matches/data-views';
import {
  type BracketOutput,
  bracket as bracketSchema,
  type StandingsOutput,
  standings as standingsSchema,
} from '@/server/routers/matches/schema';
import { hasWorker } from '@/server/worker/offload';
import { readWatched } from '@/server/worker/paced-reads';
import type { WorkerTurn } from '@/server/worker/thread';
import { BracketChanges, type LargeChange, maxPatchLength, readLargeChange } from './data-changed';
import { findPlayOf } from './data-play';

/** What is known of a tournament after its latest change. */
type Facts = {
  visibleOutside: boolean;
  slug: string | undefined;
  /** Counts what was seen to change. */
  revision: number;
  /** The patch for a page that knows this revision; null where there is no small draw. */
  unchanged: string | null;
};

/** A tournament as everyone who may see it sees it, after its latest change. */
export type WatchedView = Omit<Facts, 'unchanged'> & {
  /** Null before the start, of a large draw, and where others are kept instead. */
  bracket: BracketOutput | null;
  standings: StandingsOutput | null;
};

/** A draw that pages watch, as it was read last. A worker thread has what is null. */
type WatchedDraw = {
  view: Pick<WatchedView, 'bracket' | 'standings'>;
  changes: BracketChanges;
  /** By the revisions after which they say what changed. */
  patches: Map<number, Promise<string | null>>;
};

/** Characters of all watched draws that are kept, as JSON: about 64 MiB with their objects. */
const maxKept = 16 * 1024 * 1024;

/** By the id of the tournament. Where it is not kept, pages read everything again after the next change. */
const kept = new BoundedCache<WatchedDraw>(maxKept);

/** Whose turn it is to have a tournament read: a project, or an address, which `from` is. */
type Asker = ReturnType<typeof turnOf> & { from?: string };
const ofProject = (owner: string): Asker => ({ owner, caller: [] });
const ofAddress = (from: string): Asker => ({ ...turnOf(from), from });
const nameOf = ({ owner, caller }: Asker): string => [owner, ...caller].join(' ');

/** Reading takes at most this share of the time, however fast results come in; the first of them is read at once. */
const readingShare = 0.25;
const maxWaitMs = 700;
/** Revisions of a large draw after which a patch can still be made. */
const maxSeenElsewhere = 16;

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * One tournament that pages of this process watch. However many they are, each change is read once, by one statement, and
 * what it changed is found once.
 */
class WatchedTournament {
  /** Pages by the block of addresses that they are at. */
  private readonly watchers = new Map<string, number>();
  private facts: Facts | null = null;
  /** The read under way, whether it is of a large draw, and who takes the turn for it alone; null: all do. */
  private reading: { isLarge: boolean; alone: string | null; done: Promise<void> } | null = null;
  /** Turns that are waited for, by who takes them, and what to do when it has been read. */
  private readonly turns = new Map<string, Promise<void>>();
  private readonly onRead: (() => void)[] = [];
  private changed = true;
  /** Reads that have begun, and the latest of them that has finished. */
  private begun = 0;
  private finished = 0;
  private free = 0;
  /** What a worker thread reads, when it is large. */
  private large: LargeDraw | null = null;
  /** Of a large draw, what the worker thread saw at each of our revisions. */
  private readonly seenElsewhere = new Map<number, LargeChange>();
  private readonly stopListening: () => void;

  constructor(
    private readonly tournamentId: string,
    readonly projectId: string,
  ) {
    this.stopListening = onDomainEvent((notice) => {
      // The feed of a match is not part of the bracket.
      if (notice.type === 'feed.changed') return;
      const isOwn = notice.tournamentId === tournamentId || notice.aggregateId === tournamentId;
      if (isOwn || notice.type === 'live.resumed') this.changed = true;
    });
  }

  /** @param block of the page's address */
  addWatcher(block: string): void {
    this.watchers.set(block, (this.watchers.get(block) ?? 0) + 1);
  }

  /** @returns whether it was the last one */
  removeWatcher(block: string): boolean {
    const left = (this.watchers.get(block) ?? 0) - 1;
    if (left > 0) this.watchers.set(block, left);
    else this.watchers.delete(block);
    return this.watchers.size === 0;
  }

  /**
   * The tournament after every change that was noticed before this call.
   * @param asker who takes a turn to have it read; what is read for one is there for all
   */
  async current(asker: Asker): Promise<Facts> {
    if (this.facts && !this.changed && !this.reading) return this.facts;
    // A read that has begun already may have missed the latest change.
    const enough = this.changed ? this.begun + 1 : this.begun;
    while (!this.facts || this.finished < enough) {
      await wait(Math.min(maxWaitMs, Math.max(0, this.free - performance.now())));
      const large = hasWorker() ? await findLarge({ tournamentId: this.tournamentId }, 'read') : null;
      // Whoever has the first turn reads it for all, who go on together.
      const read = large ? this.read(large, asker) : this.takeTurn(asker);
      await Promise.race([read, new Promise<void>((resolve) => this.onRead.push(resolve))]);
    }
    return this.facts;
  }

  /** Reads it when it is the asker's turn, unless it has been read by then. */
  private takeTurn(asker: Asker): Promise<void> {
    const name = nameOf(asker);
    const waitedFor = this.turns.get(name);
    if (waitedFor) return waitedFor;
    const taken = readWatched(asker, async () => {
      this.turns.delete(name);
      if (!this.facts || this.changed) await this.read(null, asker);
    });
    this.turns.set(name, taken);
    taken.catch(() => this.turns.delete(name));
    return taken;
  }

  /**
   * Reads it once for all who ask meanwhile. Whoever comes alone, or with others of their block only, has a large one read in a turn of
   * their own: they could come and go all the time. Nobody else waits for that turn, which may be far behind others of theirs; nor does
   * the line in which draws are read here, when a large draw has become small.
   */
  private read(large: LargeDraw | null, asker: Asker): Promise<void> {
    const isLarge = large !== null;
    const { reading } = this;
    const isJoined = reading?.isLarge === isLarge && (reading.alone === null || reading.alone === nameOf(asker));
    if (reading && isJoined) return reading.done;
    const from = isLarge && this.watchers.size === 1 ? asker.from : undefined;
    const done = this.readNow(large, from).finally(() => {
      if (this.reading?.done === done) this.reading = null;
    });
    this.reading = { isLarge, alone: from === undefined ? null : nameOf(asker), done };
    return done;
  }

  /** @param from whose turn it takes; left out: that of all */
  private async readNow(large: LargeDraw | null, from: string | undefined): Promise<void> {
    this.changed = false;
    this.begun += 1;
    const number = this.begun;
    const begin = performance.now();
    try {
      const facts = large === null ? await this.readHere() : await this.readElsewhere(large, from);
      if (number < this.finished) return;
      this.large = large;
      this.facts = facts;
      this.finished = number;
      for (const goOn of this.onRead.splice(0)) goOn();
    } catch (error) {
      this.changed = true;
      throw error;
    } finally {
      const end = performance.now();
      // Most of what a turn of one's own takes may be waiting for it.
      if (from === undefined) this.free = end + (end - begin) * (1 / readingShare - 1);
    }
  }

  private get nextRevision(): number {
    return (this.facts?.revision ?? 0) + 1;
  }

  private async readHere(): Promise<Facts> {
    const found = await findPlayOf(this.tournamentId, null);
    const play = found?.play;
    if (!play) kept.delete(this.tournamentId);
    return {
      visibleOutside: found !== null && isVisibleOutside(found),
      slug: found?.slug,
      revision: this.nextRevision,
      unchanged: play ? this.keepDraw(play, this.nextRevision) : null,
    };
  }

  /** @returns the patch for a page that knows this revision */
  private keepDraw(play: Play, revision: number): string | null {
    const changes = kept.get(this.tournamentId)?.changes ?? new BracketChanges();
    // A thousand pages read it: it is checked and written as JSON once. The rows, which take as much memory, are not kept.
    const standings = keep(standingsSchema, toStandings(play));
    const bracket = keep(bracketSchema, toBracket(play, standings));
    const size = changes.note(bracket, revision);
    this.put(size, { view: { bracket, standings }, changes, patches: new Map() });
    return changes.patchSince(bracket, revision);
  }

  private put(size: number, value: WatchedDraw): void {
    // The last page may have left while it was read.
    if (this.watchers.size > 0) kept.put(this.tournamentId, { owner: this.projectId, size, value });
  }

  /** A large draw is not read in this thread: its readers ask the worker thread, too. */
  private async readElsewhere(large: LargeDraw, from: string | undefined): Promise<Facts> {
    const known = this.facts?.revision ?? 0;
    const change = await this.readChange(large, this.seenElsewhere.get(known) ?? null, from);
    const revision = this.nextRevision;
    this.seenElsewhere.set(revision, change);
    this.seenElsewhere.delete(revision - maxSeenElsewhere);
    const view = { bracket: null, standings: null };
    const patches: WatchedDraw['patches'] = new Map();
    // Most pages know what was read last, and so do not wait for a second piece. What was read meanwhile may be newer than this.
    if (known === (this.facts?.revision ?? 0)) patches.set(known, Promise.resolve(change.patch));
    this.put(maxPatchLength, { view, changes: new BracketChanges(), patches });
    return { visibleOutside: change.visibleOutside, slug: undefined, revision, unchanged: null };
  }

  private readChange(large: LargeDraw, since: LargeChange | null, ip?: string): Promise<LargeChange> {
    // Without an address, it counts for whoever created the project: one account can have draws in many, and pages watch them wherever
    // they are. A thread tells what changed since it read the draw itself: a long one stays in the one where there is always room for it.
    const asking: Pick<WorkerTurn, 'owner' | 'from'> = ip
      ? { owner: large.owner, from: { ip, use: 'read' } }
      : { owner: large.account };
    const turn = { ...asking, isLong: Boolean(large.isLong), caller: ['live'] };
    return readLargeChange(turn, { tournamentId: this.tournamentId, projectId: this.projectId, since });
  }

  /** What changed after a revision, as the JSON of a `BracketPatch`; null when a page has to read everything again. */
  async patchSince(revision: number): Promise<string | null> {
    const draw = kept.get(this.tournamentId);
    if (!draw) return this.facts?.revision === revision ? this.facts.unchanged : null;
    const patch = draw.patches.get(revision) ?? this.makePatch(draw, revision);
    draw.patches.set(revision, patch);
    return patch;
  }

  private async makePatch({ view, changes }: WatchedDraw, revision: number): Promise<string | null> {
    if (this.large !== null) {
      const since = this.seenElsewhere.get(revision) ?? null;
      return since && (await this.readChange(this.large, since)).patch;
    }
    return view.bracket && changes.patchSince(view.bracket, revision);
  }

  close(): void {
    this.stopListening();
    kept.delete(this.tournamentId);
  }
}

const watched = new Map<string, WatchedTournament>();

/** Ids of watched tournaments by the slug they had when a page began to watch. */
const idBySlug = new Map<string, string>();

/** What one page sees of a watched tournament. */
export type Watch = {
  /**
   * The tournament now, and what changed since this was last asked, as the JSON of a `BracketPatch`: null when
   * everything has to be read again.
   */
  next: () => Promise<{ visibleOutside: boolean; patch: string | null }>;
  close: () => void;
};

/**
 * Begins to watch a tournament for one page, until `close`.
 * @param ip where the page is: what it begins with takes turns of its network, and what changes those of the project
 */
export function watchTournament(found: { id: string; slug: string; projectId: string }, ip: string): Watch {
  const { id: tournamentId, slug, projectId } = found;
  const tournament = watched.get(tournamentId) ?? new WatchedTournament(tournamentId, projectId);
  watched.set(tournamentId, tournament);
  idBySlug.set(slug, tournamentId);
  const block = turnOf(ip).owner;
  tournament.addWatcher(block);
  let revision = 0;
  return {
    async next() {
      const facts = await tournament.current(revision === 0 ? ofAddress(ip) : ofProject(projectId));
      const since = revision;
      revision = facts.revision;
      return { visibleOutside: facts.visibleOutside, patch: await tournament.patchSince(since) };
    },
    close() {
      if (!tournament.removeWatcher(block)) return;
      tournament.close();
      watched.delete(tournamentId);
      idBySlug.delete(slug);
    },
  };
}

/**
 * What is known of a tournament because pages watch it, if anyone may see it: the answer for a thousand pages that read
 * again at once. Null when nobody watches it in this process, and while changes are not noticed.
 */
export async function watchedView(idOrSlug: string): Promise<WatchedView | null> {
  if (!liveConnected()) return null;
  const id = idBySlug.get(idOrSlug) ?? idOrSlug;
  const tournament = watched.get(id);
  const facts = await tournament?.current(ofProject(tournament.projectId));
  if (!facts?.visibleOutside || (idOrSlug !== id && idOrSlug !== facts.slug)) return null;
  const { unchanged: _, ...known } = facts;
  return { ...known, bracket: null, standings: null, ...kept.get(id)?.view };
}
