import { BracketError } from '@/domain/brackets/bracket-error';
import { knockoutMatches } from '@/domain/brackets/draw/knockout';
import { isSame } from '@/domain/brackets/play/match-state';
import { entryOrigins, settle } from '@/domain/brackets/play/settle';
import { originOf } from '@/domain/brackets/play/settle-match';
import type { Bracket, Match, Origin, Source, Stage } from '@/domain/brackets/types';
import type { RecordedMatch } from './recording';

/** The place of the stage before that enters a slot; null where another match does. */
function entryOf(source: Source | null): Origin | null {
  const origin = source?.type === 'bye' ? source.of : source;
  return origin?.type === 'group' || origin?.type === 'standing' ? origin : null;
}

function placeOf(origin: Origin): string {
  return origin.type === 'group' ? `${origin.group}.${origin.rank}` : `${'rank' in origin ? origin.rank : 0}`;
}

/**
 * The bracket with a knockout seeded as it was recorded, where that was done by hand. Throws a BracketError
 * INVALID_RECORD unless the same places enter it.
 */
export function withRecordedEntries(bracket: Bracket, stage: Stage, recorded: readonly RecordedMatch[]): Bracket {
  const matches = bracket.matches.filter((match) => match.stage === stage.number);
  const given = new Map(
    recorded.flatMap(({ number, sources }) =>
      sources.flatMap((source, slot) => {
        const entry = entryOf(source);
        return entry ? [[`${number} ${slot}`, entry] as const] : [];
      }),
    ),
  );
  if (given.size === 0 || matches.length === 0) return bracket;
  const type = stage.type === 'double_elimination' ? stage.type : 'single_elimination';
  const firstNumber = matches[0]?.number ?? 1;
  const knockout = (entries: readonly Origin[]): Match[] =>
    knockoutMatches(bracket.options, { type, stage: stage.number, firstNumber, entries });
  const drawn = entryOrigins(matches);
  // The same knockout with its seeds instead of entries says which seed each recorded entry had.
  const seeds = knockout(drawn.map((_, at): Origin => ({ type: 'standing', rank: at + 1 })));
  const entered = new Map<number, Origin>();
  for (const { number, slots } of seeds) {
    for (const [slot, one] of slots.entries()) {
      const origin = originOf(one);
      const entry = given.get(`${number} ${slot}`);
      if (origin?.type === 'standing' && entry) entered.set(origin.rank, entry);
    }
  }
  const entries = drawn.flatMap((_, at) => entered.get(at + 1) ?? []);
  const places = (origins: readonly Origin[]) => origins.map(placeOf).sort();
  if (!isSame(places(entries), places(drawn))) {
    throw new BracketError('INVALID_RECORD', 'A knockout is entered by others than advance to it');
  }
  const others = bracket.matches.filter((match) => match.stage !== stage.number);
  return settle({ ...bracket, matches: [...others, ...knockout(entries)] }, stage.number - 1);
}
