import { lotsOf } from '@/domain/brackets/draw/lots';
import { stageName } from '@/domain/brackets/names';
import type { Bracket } from '@/domain/brackets/types';
import { newId } from '@/domain/ids';
import type { Tx } from '@/server/db';
import type { MatchRow, Play, StageRow } from './data-bracket';
import { insertMatches, newRow } from './data-changes';

/** How the rows of a draw that is not stored are named. */
type Ids = { stage: (number: number) => string; match: (number: number) => string };
const stored: Ids = { stage: () => newId('stg'), match: () => newId('mat') };

/**
 * A bracket as rows that are not stored yet.
 * @param names of participants, by id
 */
export function newPlay(tournamentId: string, bracket: Bracket, names: Play['names'], ids: Ids = stored): Play {
  const stages = bracket.stages.map((stage): StageRow => {
    return { ...stage, id: ids.stage(stage.number), name: stageName(stage) };
  });
  const stageIds = new Map(stages.map(({ number, id }) => [number, id]));
  const now = new Date().toISOString();
  const rows = bracket.matches.map((match): [number, MatchRow] => {
    const stageId = stageIds.get(match.stage) ?? '';
    return [match.number, newRow(match, { id: ids.match(match.number), tournamentId, stageId }, now)];
  });
  const facts = { tournamentId, format: bracket.format, version: 1 };
  return { ...facts, bracket, stages, rows: new Map(rows), stations: [], names };
}

/** Writes a new draw: bracket, stages and matches. */
export async function writePlay(tx: Tx, { tournamentId, bracket, stages, rows }: Play): Promise<void> {
  const { format, options, randomSeed, participants, departures } = bracket;
  const json = (value: unknown) => JSON.parse(JSON.stringify(value));
  await tx.bracket.create({
    data: {
      ...{ tournamentId, format, randomSeed, options: json(options), departures: json(departures) },
      participantIds: participants.map(({ participantId }) => participantId),
      lots: participants.some(({ lot }) => lot !== undefined) ? lotsOf(bracket) : [],
    },
    select: { version: true },
  });
  await tx.stage.createMany({
    data: stages.map(({ id, number, type, name, groups, endedEarly }) => {
      return { id, tournamentId, number, type, name, groups: json(groups), endedEarly };
    }),
  });
  await insertMatches(tx, [...rows.values()]);
}
