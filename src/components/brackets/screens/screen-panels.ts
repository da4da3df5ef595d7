import { blocksOf } from '@/components/brackets/knockout/layout';
import { isBye, isOver, shownStatus } from '@/components/brackets/match-words';
import type { BracketData, BracketMatch, BracketStage } from '@/components/brackets/types';
import { isBeingPlayed } from '@/domain/matches/play';
import { onStream, streamQueue } from '@/domain/matches/stations';

type Listed = { match: BracketMatch; roundName: string };

/** One picture of a screen that cycles. */
export type Panel =
  | { id: string; kind: 'matches'; title: string; matches: Listed[] }
  | { id: string; kind: 'tree'; title: string; stage: BracketStage; isLast: boolean }
  | { id: string; kind: 'table'; title: string; stage: BracketStage; group: number };

const maxMatches = 9;

const inOrder = (a: Listed, b: Listed) =>
  (a.match.scheduledAt ?? '9').localeCompare(b.match.scheduledAt ?? '9') || a.match.number - b.match.number;

/**
 * What a screen shows in turn: the stream, called matches, live matches, those to come, the current stage, its tables,
 * the last results.
 */
export function panelsOf(bracket: BracketData, now = Date.now()): Panel[] {
  const all = bracket.stages.flatMap(({ rounds }) =>
    rounds.flatMap(({ name, matches }) => matches.map((match) => ({ match, roundName: name }))),
  );
  const played = all.filter(({ match }) => !isBye(match));
  const within = (...statuses: ReturnType<typeof shownStatus>[]) =>
    played.filter(({ match }) => statuses.includes(shownStatus(match))).sort(inOrder);
  // Whether a reported match has been played is not known before its result is confirmed, so it stays where it was.
  const toPlay = within('scheduled', 'ready', 'reported');
  const results = played
    .filter(({ match }) => isOver(match))
    .sort((a, b) => (b.match.completedAt ?? '').localeCompare(a.match.completedAt ?? ''));
  // A match has a stream by itself or by its station; with neither, the stream queue says what is shown.
  const stations = played.flatMap(({ match: { stationId: id, streamUrl } }) =>
    id && streamUrl ? [{ id, streamUrl }] : [],
  );
  const matches = played.map(({ match }) => match);
  const live = onStream(matches, stations, now);
  const waiting = streamQueue(matches).filter((match) => match.number !== live?.number && !isBeingPlayed(match));
  const stream = [...(live ? [live] : []), ...waiting].flatMap((one) => {
    const listed = played.find(({ match }) => match === one);
    return listed ? [{ ...listed, roundName: one === live ? listed.roundName : `Next · ${listed.roundName}` }] : [];
  });
  const called = toPlay.filter(({ match }) => match.showUpBy !== null);
  const lists: Panel[] = [
    { id: 'stream', kind: 'matches', title: live ? 'On stream' : 'Next on stream', matches: stream.slice(0, 3) },
    { id: 'called', kind: 'matches', title: 'Called to play', matches: called.slice(0, maxMatches) },
    { id: 'live', kind: 'matches', title: 'Live now', matches: within('in_progress', 'disputed').slice(0, maxMatches) },
    { id: 'next', kind: 'matches', title: 'Up next', matches: toPlay.slice(0, maxMatches) },
  ];
  const stages = bracket.stages.flatMap((stage, index): Panel[] => {
    if (stage.rounds.length === 0) return [];
    const isLast = index === bracket.stages.length - 1;
    const { standings } = stage;
    if (!standings) {
      if (blocksOf(stage).length === 0) return [];
      return [{ id: `tree ${stage.id}`, kind: 'tree', title: stage.name, stage, isLast }];
    }
    // Tables of a stage that is over make way for the stage after it.
    const over = all.filter(({ match }) => match.stageId === stage.id).every(({ match }) => isOver(match));
    if (over && !isLast) return [];
    return standings.groups.map(({ id, name }, group) => ({
      ...{ id: `table ${id}`, kind: 'table' as const, stage, group },
      title: standings.groups.length > 1 ? `Group ${name}` : stage.name,
    }));
  });
  const last: Panel = { id: 'results', kind: 'matches', title: 'Results', matches: results.slice(0, maxMatches) };
  return [...lists, ...stages, last].filter((panel) => panel.kind !== 'matches' || panel.matches.length > 0);
}
