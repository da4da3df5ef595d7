import { hash, randomUUID } from 'node:crypto';
import { isVisibleOutside } from '@/domain/tournaments/visibility';
import { BoundedCache } from '@/server/limits/bounded-cache';
import type { BracketOutput, MatchOutput } from '@/server/routers/matches/schema';
import { offload } from '@/server/worker/offload';
import { findDrawn } from './data-drawn';

type Tables = NonNullable<BracketOutput['stages'][number]['standings']>;

/** What changed in a bracket that a page shows already. */
export type BracketPatch = {
  version: number;
  /** Whole, each in place of the match with its id. */
  matches: MatchOutput[];
  /** In place of the tables of their stages. */
  tables: { stageId: string; standings: Tables }[];
  /** Whether tables changed that are too large to be sent to every page: they have to be read again, and nothing else. */
  hasOtherTables: boolean;
};

/** Tables with more rows together are read again rather than sent to every page. */
const maxTableRows = 64;

/**
 * Characters of the longest patch. A thousand pages cost as many copies of one, faster than their connections take them; a page
 * that reads the bracket again gets bytes that all of them share, in its turn.
 */
export const maxPatchLength = 32_768;

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

/** What a text is compared by: the texts of a bracket take as much memory as all that is made of it. */
const digestOf = (text: string): string => hash('sha256', text, 'base64');

/** What changed in a bracket from one time that it was seen to the next. */
export class BracketChanges {
  private shape = '';
  private shapeAt = 0;
  /** Digest and revision of every match and table, by id. */
  private readonly parts = new Map<string, { digest: string; revision: number }>();

  /**
   * Notes what is not as it was.
   * @param revision counts how often the bracket was seen
   * @returns how many characters it has as JSON, about
   */
  note(bracket: BracketOutput, revision: number): number {
    const shapeText = shapeOf(bracket);
    const shape = digestOf(shapeText);
    if (shape !== this.shape) {
      this.shapeAt = revision;
      this.parts.clear();
    }
    this.shape = shape;
    let size = shapeText.length;
    const compare = (id: string, part: object) => {
      const text = JSON.stringify(part);
      size += text.length;
      const digest = digestOf(text);
      if (this.parts.get(id)?.digest !== digest) this.parts.set(id, { digest, revision });
    };
    for (const match of matchesOf(bracket)) compare(match.id, match);
    for (const { id, standings } of bracket.stages) if (standings) compare(id, standings);
    return size;
  }

  /** What changed after a revision, as the JSON of a `BracketPatch`; null when a page has to read everything again. */
  patchSince(bracket: BracketOutput, revision: number): string | null {
    if (revision < this.shapeAt) return null;
    const isNew = ({ id }: { id: string }) => (this.parts.get(id)?.revision ?? 0) > revision;
    const tables = bracket.stages.flatMap((stage) =>
      stage.standings && isNew(stage) ? [{ stageId: stage.id, standings: stage.standings }] : [],
    );
    const rows = tables.flatMap(({ standings }) => standings.groups.flatMap((group) => group.rows)).length;
    const hasOtherTables = rows > maxTableRows;
    const patch: BracketPatch = {
      version: bracket.version,
      matches: matchesOf(bracket).filter(isNew),
      tables: hasOtherTables ? [] : tables,
      hasOtherTables,
    };
    const text = JSON.stringify(patch);
    return text.length > maxPatchLength ? null : text;
  }
}

type Seen = { name: string; changes: BracketChanges; revision: number; last: WeakRef<BracketOutput> | null };

/** Large draws that pages watch, with so many matches together: about 20 MiB. The project with most of them makes room first. */
const seen = new BoundedCache<Seen>(65_536);

export type LargeChange = {
  visibleOutside: boolean;
  /** Of who counts the revisions; another one does not know what this one saw. */
  name: string;
  revision: number;
  patch: string | null;
};

type Watched = { tournamentId: string; projectId: string; since: Pick<LargeChange, 'name' | 'revision'> | null };

/** A large draw as pages watch it, and what changed since a revision that this has returned before. */
export const readLargeChange = offload('large-change', async ({ tournamentId, projectId, since }: Watched) => {
  const found = await findDrawn(tournamentId, null);
  const bracket = found?.drawn?.bracket() ?? null;
  const one = seen.get(tournamentId) ?? {
    name: randomUUID(),
    changes: new BracketChanges(),
    revision: 0,
    last: null,
  };
  if (bracket && one.last?.deref() !== bracket) {
    one.revision += 1;
    one.last = new WeakRef(bracket);
    one.changes.note(bracket, one.revision);
    seen.put(tournamentId, { owner: projectId, size: matchesOf(bracket).length, value: one });
  }
  const isKnown = bracket !== null && since?.name === one.name;
  const change: LargeChange = {
    visibleOutside: found !== null && isVisibleOutside(found),
    name: one.name,
    revision: one.revision,
    patch: isKnown ? one.changes.patchSince(bracket, since.revision) : null,
  };
  return change;
});
