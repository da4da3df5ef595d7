import { isVisibleOutside } from '@/domain/tournaments/visibility';
import { liveConnected, onDomainEvent } from '@/server/events/live';
import { toBracket, toStandings } from '@/server/routers/matches/data-views';
import type { BracketOutput, MatchOutput, StandingsOutput } from '@/server/routers/matches/schema';
import { findPlayOf } from './data-play';

type Tables = NonNullable<BracketOutput['stages'][number]['standings']>;

/** What changed in a bracket that a page shows already. */
export type BracketPatch = {
  version: number;
  /** Whole, each in place of the match with its id. */
  matches: MatchOutput[];
  /** In place of the tables of their stages. */
  tables: { stageId: string; standings: Tables }[];
};

/** A tournament as everyone who may see it sees it, after its latest change. */
export type WatchedView = {
  visibleOutside: boolean;
  slug: string | undefined;
  /** Null before the start. */
  bracket: BracketOutput | null;
  standings: () => StandingsOutput | null;
  /** Counts what was seen to change. */
  revision: number;
};

/** Larger tables are read again rather than sent to every page. */
const maxTableRows = 200;
/** Reading takes at most this share of the time, however fast results come in; the first of them is read at once. */
const readingShare = 0.25;
const maxWaitMs = 700;

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Everything but matches and tables, which patches replace; a page with another shape reads everything again. */
function shapeOf({ stages, version: _, ...rest }: BracketOutput): string {
  const outlines = stages.map(({ rounds, standings, ...stage }) => ({
    ...stage,
    rounds: rounds.map(({ matches, ...round }) => ({ ...round, matches: matches.map(({ id }) => id) })),
    hasTable: standings !== undefined,
  }));
  return JSON.stringify([rest, outlines]);
}

const matchesOf = ({ stages }: BracketOutput) =>
  stages.flatMap(({ rounds }) => rounds.flatMap((round) => round.matches));

/**
 * One tournament that pages of this process watch. However many they are, each change is read once, by one statement, and
 * what it changed is found once.
 */
class WatchedTournament {
  watchers = 0;
  private view: WatchedView | null = null;
  private reading: Promise<WatchedView> | null = null;
  private changed = true;
  /** Reads that have begun, and the last of them that has finished. */
  private begun = 0;
  private finished = 0;
  private free = 0;
  private shape = '';
  private shapeAt = 0;
  /** Text and revision of every match and table, by id. */
  private readonly parts = new Map<string, { text: string; revision: number }>();
  private readonly patches = new Map<number, string | null>();
  private readonly stopListening: () => void;

  constructor(private readonly tournamentId: string) {
    this.stopListening = onDomainEvent((notice) => {
      // The feed of a match is not part of the bracket.
      if (notice.type === 'feed.changed') return;
      const isOwn = notice.tournamentId === tournamentId || notice.aggregateId === tournamentId;
      if (isOwn || notice.type === 'live.resumed') this.changed = true;
    });
  }

  /** The tournament after every change that was noticed before this call. */
  async current(): Promise<WatchedView> {
    if (this.view && !this.changed && !this.reading) return this.view;
    // A read that has begun already may have missed the latest change.
    const enough = this.changed ? this.begun + 1 : this.begun;
    while (!this.view || this.finished < enough) {
      this.reading ??= this.read().finally(() => {
        this.reading = null;
      });
      await this.reading;
    }
    return this.view;
  }

  private async read(): Promise<WatchedView> {
    await wait(Math.min(maxWaitMs, Math.max(0, this.free - performance.now())));
    this.changed = false;
    this.begun += 1;
    const begin = performance.now();
    try {
      const found = await findPlayOf(this.tournamentId, null);
      const play = found?.play ?? null;
      const bracket = play && toBracket(play);
      const revision = (this.view?.revision ?? 0) + 1;
      if (bracket) this.compare(bracket, revision);
      this.patches.clear();
      let standings: StandingsOutput | null = null;
      this.view = {
        visibleOutside: found !== null && isVisibleOutside(found),
        slug: found?.slug,
        bracket,
        standings: () => {
          standings ??= play && toStandings(play);
          return standings;
        },
        revision,
      };
      this.finished = this.begun;
      return this.view;
    } catch (error) {
      this.changed = true;
      throw error;
    } finally {
      const end = performance.now();
      this.free = end + (end - begin) * (1 / readingShare - 1);
    }
  }

  private compare(bracket: BracketOutput, revision: number): void {
    const shape = shapeOf(bracket);
    if (shape !== this.shape) {
      this.shapeAt = revision;
      this.parts.clear();
    }
    this.shape = shape;
    const note = (id: string, part: object) => {
      const text = JSON.stringify(part);
      if (this.parts.get(id)?.text !== text) this.parts.set(id, { text, revision });
    };
    for (const match of matchesOf(bracket)) note(match.id, match);
    for (const { id, standings } of bracket.stages) if (standings) note(id, standings);
  }

  /** What changed after a revision, as the JSON of a `BracketPatch`; null when a page has to read everything again. */
  patchSince(revision: number): string | null {
    const known = this.patches.get(revision);
    if (known !== undefined) return known;
    const patch = this.makePatch(revision);
    const text = patch && JSON.stringify(patch);
    this.patches.set(revision, text);
    return text;
  }

  private makePatch(revision: number): BracketPatch | null {
    const bracket = this.view?.bracket;
    if (!bracket || revision < this.shapeAt) return null;
    const isNew = ({ id }: { id: string }) => (this.parts.get(id)?.revision ?? 0) > revision;
    const tables = bracket.stages.flatMap((stage) =>
      stage.standings && isNew(stage) ? [{ stageId: stage.id, standings: stage.standings }] : [],
    );
    const rows = tables.flatMap(({ standings }) => standings.groups.flatMap((group) => group.rows)).length;
    if (rows > maxTableRows) return null;
    return { version: bracket.version, matches: matchesOf(bracket).filter(isNew), tables };
  }

  close(): void {
    this.stopListening();
  }
}

const watched = new Map<string, WatchedTournament>();

/** Ids of watched tournaments by the slug they had when a page began to watch. */
const idBySlug = new Map<string, string>();

/** What one page sees of a watched tournament. */
export type Watch = {
  /**
   * The tournament now, and what changed since this was last asked, as the JSON of a `BracketPatch`: null when everything has
   * to be read again.
   */
  next: () => Promise<{ visibleOutside: boolean; patch: string | null }>;
  close: () => void;
};

/** Begins to watch a tournament for one page, until `close`. */
export function watchTournament({ id: tournamentId, slug }: { id: string; slug: string }): Watch {
  const tournament = watched.get(tournamentId) ?? new WatchedTournament(tournamentId);
  watched.set(tournamentId, tournament);
  idBySlug.set(slug, tournamentId);
  tournament.watchers += 1;
  let revision = 0;
  return {
    async next() {
      const view = await tournament.current();
      const since = revision;
      revision = view.revision;
      return { visibleOutside: view.visibleOutside, patch: tournament.patchSince(since) };
    },
    close() {
      tournament.watchers -= 1;
      if (tournament.watchers > 0) return;
      tournament.close();
      watched.delete(tournamentId);
      idBySlug.delete(slug);
    },
  };
}

/**
 * What is known of a tournament because pages watch it, if anyone may see it: the answer for a thousand pages that read again
 * at once. Null when nobody watches it in this process, and while changes are not noticed.
 */
export async function watchedView(idOrSlug: string): Promise<WatchedView | null> {
  if (!liveConnected()) return null;
  const id = idBySlug.get(idOrSlug) ?? idOrSlug;
  const view = await watched.get(id)?.current();
  return view?.visibleOutside && (idOrSlug === id || idOrSlug === view.slug) ? view : null;
}
