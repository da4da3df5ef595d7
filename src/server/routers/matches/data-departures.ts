import { reinstate } from '@/domain/brackets/play/correction';
import { isDecided } from '@/domain/brackets/play/match-state';
import { eliminated } from '@/domain/brackets/play/outcomes';
import { type Change, changeTo } from '@/domain/brackets/play/patch';
import { apply } from '@/domain/brackets/play/progress';
import type { Bracket } from '@/domain/brackets/types';
import type { Tx } from '@/server/db';
import { type Refusal, refuse } from '@/server/errors';
import { type Origin, takeBulk } from '@/server/events/emit';
import type { LockedPlay } from './data-bracket';
import { saveChange, unchanged } from './data-changes';
import { correctedEvents, lostForfeits } from './results/data-corrections';
import { inBracket } from './rules';

/** What staff does to a participant that matters to the bracket. */
export type DepartureTrigger = 'disqualify' | 'withdraw' | 'reinstate';

/** For each participant who leaves a bracket or returns, all its matches, ranks and tie-breaks are worked out again. */
const maxWorkedOut = 20_000;

type Sized = Pick<Bracket, 'matches' | 'participants' | 'options' | 'stages'>;

/** How many participants can leave a bracket, or return, at once. */
export function mostDepartures({ matches, participants, options, stages }: Sized): number {
  const hasTable = stages.some(({ groups }) => groups.length > 0);
  const columns = 1 + (hasTable ? options.tiebreakers.length : 0);
  return Math.max(1, Math.floor(maxWorkedOut / (matches.length + participants.length * columns)));
}

function hasLeft(bracket: Bracket, participantId: string): boolean {
  return bracket.departures.some((one) => one.participantId === participantId);
}

const notDrawn = 'The bracket was drawn without this participant, so they cannot be reinstated.';

/** How many matches participants forfeit if they leave now. */
export function countForfeits({ bracket }: LockedPlay, ids: readonly string[]): number {
  const leaving = new Set<string | null>(ids);
  const open = bracket.matches.filter((match) => !isDecided(match));
  return open.filter(({ slots }) => slots.some(({ participantId }) => leaving.has(participantId))).length;
}

/** Separates the participants for whom the bracket allows it from the others. Only reinstating can be refused. */
export function checkDepartures(play: LockedPlay, trigger: DepartureTrigger, ids: readonly string[]) {
  const possible: string[] = [];
  const refused: { id: string; refusal: Refusal }[] = [];
  const drawn = new Set(play.bracket.participants.map(({ participantId }) => participantId));
  for (const id of ids) {
    if (trigger === 'reinstate' && !drawn.has(id)) {
      refused.push({ id, refusal: refuse('INVALID_STATE', { message: notDrawn }) });
      continue;
    }
    const correction = trigger === 'reinstate' && hasLeft(play.bracket, id) ? reinstate(play.bracket, id) : null;
    if (correction && !correction.allowed) refused.push({ id, refusal: refuse(correction.reason) });
    else possible.push(id);
  }
  return { possible, refused };
}

/**
 * Takes participants out of the bracket, or brings them back, after their state has changed. Who leaves forfeits their
 * open matches, and those that a correction opens later; once the tournament is over, results and ranks stay.
 * @throws PLAYED_PAST, AFFECTED_MATCH_IN_PROGRESS when bringing back one of several makes another impossible; QUOTA_EXCEEDED
 * where too many forfeits are taken back
 */
export async function applyDepartures(
  tx: Tx,
  by: Origin,
  before: LockedPlay,
  { trigger, ids, reason }: { trigger: DepartureTrigger; ids: readonly string[]; reason: string | null },
): Promise<void> {
  if (trigger !== 'reinstate') {
    const bracket = withDepartures(before, trigger, ids);
    if (bracket !== before.bracket) await saveChange(tx, by, before, changeTo(before.bracket, bracket), { reason });
    return;
  }
  const returns = returnAll(before.bracket, ids);
  const count = returns.reduce((sum, { corrected }) => sum + corrected.length, 0);
  await takeBulk(tx, by, before.tournament.projectId, count);
  let play = before;
  for (const { change, corrected } of returns) {
    play = await saveChange(tx, by, play, change, { corrected, events: correctedEvents(play, corrected) });
  }
}

/**
 * What bringing participants back changes, one after the other, and which forfeits are taken back.
 * @throws PLAYED_PAST, AFFECTED_MATCH_IN_PROGRESS
 */
function returnAll(before: Bracket, ids: readonly string[]): { change: Change; corrected: number[] }[] {
  let bracket = before;
  return ids.map((participantId) => {
    const correction = hasLeft(bracket, participantId) ? reinstate(bracket, participantId) : null;
    if (correction && !correction.allowed) throw refuse(correction.reason);
    const { bracket: after, patch } = correction ?? unchanged(bracket);
    // Results may have been corrected since: the bracket says whether they are out, and not what they were then.
    const now = eliminated(after).has(participantId) ? 'eliminated' : 'restored';
    const corrected = lostForfeits(bracket, patch);
    bracket = after;
    return { change: { bracket, patch: { ...patch, [now]: [...patch[now], participantId] } }, corrected };
  });
}

/** The bracket after participants have left it, one after the other. */
function withDepartures(play: LockedPlay, trigger: Exclude<DepartureTrigger, 'reinstate'>, ids: readonly string[]) {
  let { bracket } = play;
  const playing = new Set(bracket.participants.map(({ participantId }) => participantId));
  for (const { participantId } of bracket.departures) playing.delete(participantId);
  for (const participantId of ids) {
    if (!playing.delete(participantId)) continue;
    bracket = inBracket(() => apply(bracket, { type: trigger, participantId })).bracket;
  }
  return bracket;
}
