import type { BracketData, BracketMatch, BracketPatch } from '@/components/brackets/types';

/** The newer of two states of a match; a patch that is late changes nothing. */
function newer<Shown extends BracketMatch>(shown: Shown, sent: BracketMatch | undefined): Shown {
  return sent && sent.version >= shown.version ? { ...shown, ...sent } : shown;
}

/** The bracket with what a live notice says has changed in it. Parts that did not change stay the same objects. */
export function patchBracket(bracket: BracketData, patch: BracketPatch): BracketData {
  const matches = new Map(patch.matches.map((match) => [match.id, match]));
  const tables = new Map(patch.tables.map(({ stageId, standings }) => [stageId, standings]));
  const isNewer = patch.version >= bracket.version;
  const stages = bracket.stages.map((stage) => {
    const rounds = stage.rounds.map((round) => {
      if (!round.matches.some(({ id }) => matches.has(id))) return round;
      return { ...round, matches: round.matches.map((match) => newer(match, matches.get(match.id))) };
    });
    const standings = isNewer ? (tables.get(stage.id) ?? stage.standings) : stage.standings;
    const isSame = standings === stage.standings && rounds.every((round, at) => round === stage.rounds[at]);
    return isSame ? stage : { ...stage, rounds, standings };
  });
  return { ...bracket, version: Math.max(bracket.version, patch.version), stages };
}

/** A match as a page shows it, with what a live notice says has changed in it. */
export function patchMatch<Shown extends BracketMatch>(match: Shown, patch: BracketPatch): Shown {
  return newer(
    match,
    patch.matches.find(({ id }) => id === match.id),
  );
}
