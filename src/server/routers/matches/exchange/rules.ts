import { lotsOf } from '@/domain/brackets/draw/lots';
import type { RecordedMatch, Recording } from '@/domain/brackets/exchange/recording';
import type { GameReport, MatchResult } from '@/domain/brackets/play/results';
import { entryOrigins } from '@/domain/brackets/play/settle';
import { standings } from '@/domain/brackets/tables/standings';
import type { FormatOptions, Game, Match } from '@/domain/brackets/types';
import type { MatchRow, Play, StoredReport } from '@/server/routers/matches/data-bracket';
import type { FileMatch, LaurelFile } from './schema';

type FileBracket = NonNullable<LaurelFile['bracket']>;
type Ids = ReadonlyMap<string, string>;

const nobody: [null, null] = [null, null];

/** The id that a name within a file stands for. */
function resolve(ids: Ids, name: string): string {
  const found = ids.get(name);
  if (found === undefined) throw new UnknownParticipant(name);
  return found;
}

/** A file names somebody who is not among its participants. */
export class UnknownParticipant extends Error {
  constructor(name: string) {
    super(`“${name}” is not among the participants.`);
    this.name = 'UnknownParticipant';
  }
}

/** Options of a format with participants renamed. */
export function renameInOptions<T extends FormatOptions>(options: T, ids: Ids): T {
  if (!options.groupAssignments) return options;
  const groupAssignments = options.groupAssignments.map(({ participantId, group }) => {
    return { participantId: resolve(ids, participantId), group };
  });
  return { ...options, groupAssignments };
}

const winnerByScores = ({ scores }: Game) =>
  scores === null || scores[0] === scores[1] ? null : scores[0] > scores[1] ? 0 : 1;

function toFileGame(game: Game, names: readonly (string | null)[]): NonNullable<FileMatch['games']>[number] {
  const { scores, winner } = game;
  const isImplied = scores !== null && winner === winnerByScores(game);
  const scored = { scores: scores && ([scores[0], scores[1]] as [number, number]) };
  return isImplied ? scored : { ...scored, winner: winner === null ? null : (names[winner] ?? null) };
}

/** A match as a file has it; what has its default is left out, since a file may be at most as large as a request. */
export function toFileMatch(play: Play, row: MatchRow, engine: Match | undefined, names: Ids): FileMatch {
  const stage = play.stages.find(({ id }) => id === row.stageId);
  const name = (id: string | null) => (id === null ? null : resolve(names, id));
  const participants = [name(row.participantAId), name(row.participantBId)] as [string | null, string | null];
  const toFileReport = ({ by, games, winnerId, reportedAt }: StoredReport) => ({
    by: resolve(names, by),
    games: games.map((game) => toFileGame(game, participants)),
    winner: name(winnerId),
    reportedAt,
  });
  const needsSources = stage?.type === 'custom' || (engine !== undefined && entryOrigins([engine]).length > 0);
  const scores = [row.slotA.score, row.slotB.score] as const;
  const forfeitedBy = [row.slotA, row.slotB].flatMap(({ result }, at) =>
    row.decidedBy === 'forfeit' && result === 'forfeit' ? (participants[at] ?? []) : [],
  );
  return {
    number: row.number,
    ...(stage && stage.number > 1 ? { stage: stage.number } : {}),
    ...(row.groupNumber === null ? {} : { group: row.groupNumber }),
    bracket: row.bracket,
    round: row.round,
    ...(row.bestOf > 1 ? { bestOf: row.bestOf } : {}),
    participants,
    ...(needsSources ? { sources: [row.slotA.source, row.slotB.source] as FileMatch['sources'] } : {}),
    ...(stage?.type === 'custom' && row.winnerRank !== null ? { winnerRank: row.winnerRank } : {}),
    ...(stage?.type === 'custom' && row.loserRank !== null ? { loserRank: row.loserRank } : {}),
    status: row.status,
    ...(row.decidedBy ? { decidedBy: row.decidedBy, winner: name(row.winnerId) } : {}),
    ...(scores[0] !== null && scores[1] !== null ? { score: [scores[0], scores[1]] } : {}),
    ...(row.games.length > 0 ? { games: row.games.map((game) => toFileGame(game, participants)) } : {}),
    ...(forfeitedBy.length > 0 ? { forfeitedBy } : {}),
    ...(row.report ? { report: toFileReport(row.report) } : {}),
    ...(row.counterReport ? { counterReport: toFileReport(row.counterReport) } : {}),
    ...(row.scheduledAt ? { scheduledAt: row.scheduledAt } : {}),
    ...(row.startedAt ? { startedAt: row.startedAt } : {}),
    ...(row.completedAt ? { completedAt: row.completedAt } : {}),
  };
}

/** A draw as a file has it. `names` are the names within the file, by id. */
export function toFileBracket(play: Play, names: Ids) {
  const { bracket } = play;
  const named = (ids: readonly string[]) => ids.map((id) => resolve(names, id));
  const engine = new Map(bracket.matches.map((match) => [match.number, match]));
  return {
    randomSeed: bracket.randomSeed,
    participants: named(bracket.participants.map(({ participantId }) => participantId)),
    ...(bracket.stages.some(({ type }) => type === 'swiss' || type === 'round_robin') ? { lots: lotsOf(bracket) } : {}),
    stages: play.stages.map(({ number, type, name, groups }) => ({
      ...{ number, type, name },
      groups: groups.map(({ number: group, participantIds, ruling }) => ({
        number: group,
        participants: named(participantIds),
        ruling: ruling && { order: named(ruling.order), ties: ruling.ties?.map(named), reason: ruling.reason },
      })),
    })),
    departures: bracket.departures.map(({ participantId, type, stage, round }) => {
      return { participant: resolve(names, participantId), type, stage, round };
    }),
    matches: [...play.rows.values()].map((row) => toFileMatch(play, row, engine.get(row.number), names)),
  };
}

/** The final places known so far, as a file has them. */
export function toFileStandings({ bracket }: Play, names: Ids) {
  return standings(bracket).final.map(({ rank, participantId }) => ({
    rank,
    participant: resolve(names, participantId),
  }));
}

/** Games of a file, in the words of the bracket engine. */
export function toGames(
  games: FileMatch['games'] = [],
  participants: FileMatch['participants'] = nobody,
): GameReport[] {
  return games.map(({ scores = null, winner }) => {
    if (winner === undefined) return { scores };
    const at = winner === null ? null : participants.indexOf(winner);
    if (at === -1) throw new UnknownParticipant(winner ?? '');
    return { scores, winner: at === null ? null : at === 0 ? 0 : 1 };
  });
}

function resultOf(
  { decidedBy, score, games, winner, forfeitedBy, participants }: FileMatch,
  ids: Ids,
): MatchResult | null {
  if (decidedBy === null || decidedBy === 'bye' || decidedBy === 'departure') return null;
  if (forfeitedBy) return { type: 'forfeit', participantIds: forfeitedBy.map((name) => resolve(ids, name)) };
  const hasResult = decidedBy === 'result' || score !== undefined || games !== undefined || typeof winner === 'string';
  if (!hasResult) return null;
  return {
    type: 'played',
    games: toGames(games, participants),
    ...(score ? { score } : {}),
    ...(winner === undefined ? {} : { winnerId: winner === null ? null : resolve(ids, winner) }),
  };
}

/**
 * What a file says people decided, with the ids of this instance. Throws UnknownParticipant.
 * @param ids by their names within the file
 */
export function toRecording(
  { randomSeed, participants, lots, stages, departures, matches }: FileBracket,
  { format, options }: Pick<Recording, 'format' | 'options'>,
  ids: Ids,
): Recording {
  const known = (names: readonly string[]) => names.map((name) => resolve(ids, name));
  return {
    format,
    options,
    randomSeed,
    participantIds: known(participants),
    lots,
    stages: stages.map(({ number, type, groups }) => ({
      number,
      type,
      rulings: groups.flatMap(({ number: group, ruling }) =>
        ruling
          ? [{ group, ruling: { order: known(ruling.order), ties: ruling.ties?.map(known), reason: ruling.reason } }]
          : [],
      ),
    })),
    departures: departures.map(({ participant, type, stage, round }) => {
      return { participantId: resolve(ids, participant), type, stage, round };
    }),
    matches: [...matches]
      .sort((a, b) => a.number - b.number)
      .map((match): RecordedMatch => {
        const id = (name: string | null) => (name === null ? null : resolve(ids, name));
        const { number, stage = 1, bracket, round, sources = nobody, participants = nobody } = match;
        const { winnerRank = null, loserRank = null } = match;
        return {
          ...{ number, stage, bracket, round, sources, winnerRank, loserRank },
          participantIds: [id(participants[0]), id(participants[1])],
          result: resultOf(match, ids),
          status: match.status ?? 'pending',
        };
      }),
  };
}
