import { BracketError } from '@/domain/brackets/bracket-error';
import { type CustomMatch, generateCustom } from '@/domain/brackets/draw/custom-tree';
import type { TreeRef } from '@/domain/brackets/draw/tree';
import { MAX_MATCHES } from '@/domain/brackets/options';
import type { Bracket, Origin, Source } from '@/domain/brackets/types';
import type { RecordedMatch, Recording } from './recording';

/** Most matches of a tree that lie behind each other. */
const maxDepth = 100;

const invalid = (message: string) => new BracketError('INVALID_TREE', message);

/** Where somebody would come from, also when nobody does. */
function originIn(source: Source | null): Origin | null {
  return source?.type === 'bye' ? source.of : source;
}

function refOf({ number }: RecordedMatch, source: Source | null): TreeRef {
  const origin = originIn(source);
  switch (origin?.type) {
    case 'seed':
      return { seed: origin.seed };
    case 'winner':
      return { winner: String(origin.match) };
    case 'loser':
      return { loser: String(origin.match) };
    default:
      if (source?.type === 'bye') return { bye: true };
      throw invalid(`Match ${number} does not say where its participants come from`);
  }
}

/** Draws the tree that a recording gives as edges. Throws what `generateCustom` throws. */
export function recordedTree({ format, options, participantIds, randomSeed, stages, matches }: Recording): Bracket {
  if (format !== 'single_elimination' || stages.length > 1)
    throw invalid('A tree given as edges is a stage of its own');
  if (matches.length > MAX_MATCHES) throw invalid(`A tree can have at most ${MAX_MATCHES} matches`);
  const tree = matches.map((match): CustomMatch => {
    const { bracket, round, winnerRank, loserRank, sources } = match;
    return {
      key: String(match.number),
      slots: [refOf(match, sources[0]), refOf(match, sources[1])],
      bracket,
      round,
      ...(winnerRank === null ? {} : { winnerRank }),
      ...(loserRank === null ? {} : { loserRank }),
    };
  });
  checkDepth(matches);
  const { bestOf, bestOfOverrides } = options;
  const bracket = generateCustom(tree, { bestOf, bestOfOverrides }, participantIds, randomSeed);
  if (bracket.matches.length < tree.length) throw invalid('A match can never have a participant');
  return bracket;
}

/** Throws unless every match comes after those that feed it, and not too many lie behind each other. */
function checkDepth(matches: readonly RecordedMatch[]) {
  const depths = new Map<number, number>();
  for (const { number, sources } of matches) {
    let depth = 1;
    for (const source of sources) {
      const origin = originIn(source);
      if (origin?.type !== 'winner' && origin?.type !== 'loser') continue;
      const before = depths.get(origin.match);
      if (before === undefined) throw invalid(`Match ${number} must come after the matches that feed it`);
      depth = Math.max(depth, before + 1);
    }
    if (depth > maxDepth) throw invalid(`At most ${maxDepth} matches can lie behind each other`);
    depths.set(number, depth);
  }
}
