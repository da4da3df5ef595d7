import { createHash, createHmac } from 'node:crypto';
import { generate } from '@/domain/brackets/draw/generate';
import { withLots } from '@/domain/brackets/draw/lots';
import { matchesAtMost } from '@/domain/brackets/options';
import { isDecided } from '@/domain/brackets/play/match-state';
import type { Bracket, DecidedBy } from '@/domain/brackets/types';
import { isBeingPlayed } from '@/domain/matches/play';
import { fillStations } from '@/domain/matches/stations';
import { checkInEnd, owesCheckIn } from '@/domain/participants/check-in';
import { bySeed, drawOrder } from '@/domain/participants/seeding';
import { inWords } from '@/domain/tournaments/rules';
import { formatOptions } from '@/domain/tournaments/settings';
import type { Tx } from '@/server/db';
import { howToGoBack, refuse } from '@/server/errors';
import { type NewEvent, type Origin, record, takeBulk } from '@/server/events/emit';
import { type Play, readPlay } from '@/server/routers/matches/data-bracket';
import { withoutReport } from '@/server/routers/matches/data-changes';
import { newPlay, writePlay } from '@/server/routers/matches/data-draw';
import { matchEvent } from '@/server/routers/matches/data-events';
import { inBracket } from '@/server/routers/matches/rules';
import { uncountFeeds } from '@/server/routers/matches/stats/data-feed';
import { lockForParticipants } from '@/server/routers/participants/data';
import { writeSeeds } from '@/server/routers/participants/data-seeds';
import { transitionParticipants } from '@/server/routers/participants/data-transitions';
import { lockTournament, settingsSelect } from '@/server/routers/tournaments/data';
import { registrationEvent, tournamentEvent, updatedEvent } from '@/server/routers/tournaments/data-events';
import { requireSmallHere } from '@/server/worker/small-here';

export const drawSelect = { ...settingsSelect, randomSeed: true, drawSeed: true, lotSecret: true } as const;
export type DrawnTournament = Awaited<ReturnType<typeof lockForDraw>>['row'];

export type DrawParticipant = {
  id: string;
  name: string;
  seed: number | null;
  registeredAt: Date;
  approvedAt: Date | null;
  status: 'registered' | 'checked_in' | 'active';
};

export type Draw = {
  /** In seed order. */
  participants: DrawParticipant[];
  notCheckedIn: DrawParticipant[];
  randomSeed: string;
  drawHash: string;
  bracket: Bracket;
};

export function lockForDraw(tx: Tx, tournamentId: string) {
  return lockTournament(tx, tournamentId, drawSelect);
}

/** Who holds a slot, in seed order; seeds that were set by hand or by a draw go before the others. */
async function readPlayers(tx: Tx, tournament: Pick<DrawnTournament, 'id' | 'randomSeed' | 'drawSeed'>) {
  const rows = await tx.participant.findMany({
    where: {
      tournamentId: tournament.id,
      registrationStatus: 'approved',
      status: { in: ['registered', 'checked_in', 'active'] },
    },
    select: { id: true, name: true, seed: true, registeredAt: true, approvedAt: true, status: true },
  });
  const players = (rows as DrawParticipant[]).sort(bySeed);
  const { drawSeed, randomSeed } = tournament;
  if (drawSeed === null) return players;
  // Drawing again keeps the seeds that were set by hand; seeds that a draw gave are drawn again too.
  const isFixed = ({ seed }: DrawParticipant) => seed !== null && randomSeed === null;
  const byId = new Map(players.map((player) => [player.id, player]));
  const rest = players.filter((player) => !isFixed(player)).map(({ id }) => id);
  return [...players.filter(isFixed), ...drawOrder(rest, drawSeed).flatMap((id) => byId.get(id) ?? [])];
}

/** What a participant draws lots with. Who knew it before the start could register several accounts and keep the best lot. */
const lotOf = (secret: string, participantId: string) =>
  createHmac('sha256', secret).update(participantId).digest('hex').slice(0, 32);

/**
 * The draw as the start would make it now.
 * @throws NOT_ENOUGH_PARTICIPANTS, FORMAT_NOT_PLAYABLE, OVERLOADED when it has become large (`requireSmallHere`)
 */
export async function computeDraw(tx: Tx, tournament: DrawnTournament, removeNoShows: boolean): Promise<Draw> {
  const players = await readPlayers(tx, tournament);
  const end = checkInEnd(tournament);
  const isMissing = (player: DrawParticipant) => player.status === 'registered' && owesCheckIn(player, end);
  const notCheckedIn = players.filter(isMissing);
  const participants = removeNoShows ? players.filter((player) => !isMissing(player)) : players;
  const randomSeed = tournament.drawSeed ?? tournament.randomSeed ?? tournament.id;
  const seeds = participants.map(({ id }) => id);
  const options = formatOptions.parse(tournament.formatOptions);
  // Of a Swiss, one round is drawn.
  const most = tournament.format === 'swiss' ? seeds.length : matchesAtMost(tournament.format, options, seeds.length);
  requireSmallHere(most);
  const drawn = inBracket(() => generate(tournament.format, options, seeds, randomSeed));
  const lots = seeds.map((id) => lotOf(tournament.lotSecret, id));
  const bracket = { ...drawn, participants: withLots(seeds, lots) };
  const facts = JSON.stringify([bracket.format, bracket.options, seeds, randomSeed]);
  const drawHash = createHash('sha256').update(facts).digest('hex').slice(0, 32);
  return { participants, notCheckedIn, randomSeed, drawHash, bracket };
}

/** A draw as rows that are not stored. `newMatchId` names its matches. */
export function playOf(
  tournamentId: string,
  { bracket, participants }: Draw,
  newMatchId?: (number: number) => string,
): Play {
  const names = Object.fromEntries(participants.map(({ id, name }) => [id, name]));
  const ids = newMatchId && { stage: (number: number) => `draw_stage_${number}`, match: newMatchId };
  return newPlay(tournamentId, bracket, names, ids);
}

/** The matches of a draw that are reported by an event. */
const isCreated = ({ decidedBy }: { decidedBy: DecidedBy | null }) => decidedBy !== 'bye';

/** Counts the matches of a draw that is about to be stored. @throws QUOTA_EXCEEDED */
function takeDraw(tx: Tx, by: Origin, projectId: string, { bracket }: Draw): Promise<void> {
  return takeBulk(tx, by, projectId, bracket.matches.filter(isCreated).length);
}

/** Stores a draw. @returns the events about its matches */
async function storeDraw(tx: Tx, projectId: string, tournamentId: string, draw: Draw): Promise<NewEvent[]> {
  const play = playOf(tournamentId, draw);
  const stations = await tx.station.findMany({
    where: { tournamentId },
    orderBy: [{ position: 'asc' }, { id: 'asc' }],
    select: { id: true, streamUrl: true, autoAssign: true },
  });
  const free = fillStations(play.rows.values(), stations, Date.now());
  const rows = new Map(
    [...play.rows].map(([number, row]) => [number, { ...row, stationId: free.get(number) ?? null }]),
  );
  await writePlay(tx, { ...play, rows });
  const names = new Map(play.stages.map(({ id, name }) => [id, name]));
  return [...rows.values()]
    .filter(isCreated)
    .map((row) => matchEvent('match.created', { projectId, row, stage: names.get(row.stageId) ?? '' }, {}));
}

/**
 * Starts a published tournament: draws the bracket, and makes everyone who plays active.
 * @throws INVALID_STATE, NOT_ENOUGH_PARTICIPANTS, FORMAT_NOT_PLAYABLE, DRAW_CHANGED
 */
export async function startTournament(
  tx: Tx,
  by: Origin,
  tournamentId: string,
  { removeNoShows = false, drawHash }: { removeNoShows?: boolean; drawHash?: string } = {},
): Promise<DrawnTournament> {
  const { row, now } = await lockForDraw(tx, tournamentId);
  if (row.status !== 'PUBLISHED') {
    throw refuse('INVALID_STATE', { message: `The tournament is ${inWords(row.status)}, not published.` });
  }
  const draw = await computeDraw(tx, row, removeNoShows);
  if (drawHash !== undefined && drawHash !== draw.drawHash) throw refuse('DRAW_CHANGED');
  await takeDraw(tx, by, row.projectId, draw);

  if (removeNoShows && draw.notCheckedIn.length > 0) {
    const locked = await lockForParticipants(tx, row.id);
    // The start itself ends check-in, and nobody moves up into a slot that it frees.
    const facts = { beforeStart: true, checkInOver: true };
    const ids = draw.notCheckedIn.map(({ id }) => id);
    const unpromoted = { ...locked, facts: { ...locked.facts, beforeStart: false } };
    await transitionParticipants(tx, by, unpromoted, {
      trigger: 'mark_no_show',
      ids,
      staff: by.actor.type === 'user',
      facts,
    });
  }
  const ids = draw.participants.map(({ id }) => id);
  await writeSeeds(tx, row.id, ids);
  await tx.$executeRaw`
    UPDATE "participant" SET "status" = 'active', "version" = "version" + 1, "updatedAt" = clock_timestamp()
    WHERE "id" = ANY(${ids})`;
  const wasOpen = row.registrationAnnounced === 'opened';
  const started = await tx.tournament.update({
    where: { id: row.id },
    data: {
      status: 'IN_PROGRESS',
      startedAt: now,
      version: { increment: 1 },
      ...(wasOpen ? { registrationAnnounced: 'closed' as const } : {}),
    },
    select: drawSelect,
  });
  const created = await storeDraw(tx, row.projectId, row.id, draw);
  const closed = wasOpen ? [registrationEvent('registration.closed', started)] : [];
  await record(tx, by, [tournamentEvent('tournament.started', started), ...closed, ...created], {
    projectId: row.projectId,
    action: 'tournament.start',
    targetType: 'tournament',
    targetId: row.id,
    details: { participants: ids.length, removeNoShows, randomSeed: draw.randomSeed },
  });
  return started;
}

/**
 * Whether nothing was played since the draw. Reports go with their matches, and so do disputes of matches that staff never
 * started: two sides of one match could keep staff from drawing again.
 */
function isUntouched(play: Play): boolean {
  return [...play.rows.values()].every((row) => {
    const isOpen = !isDecided(row) || row.decidedBy === 'bye' || row.decidedBy === 'departure';
    return isOpen && !isBeingPlayed({ ...row, ...withoutReport(row) });
  });
}

/**
 * Draws with a new random seed: before the start what the start will make, afterwards the bracket itself while nothing
 * is played.
 * @throws INVALID_STATE once something was played
 */
export async function drawAgain(
  tx: Tx,
  by: Origin,
  tournamentId: string,
  { drawSeed, removeNoShows }: { drawSeed: string; removeNoShows: boolean },
): Promise<{ tournament: DrawnTournament; draw: Draw }> {
  const { row } = await lockForDraw(tx, tournamentId);
  const isRunning = row.status === 'IN_PROGRESS';
  if (row.status !== 'PUBLISHED' && row.status !== 'DRAFT' && !isRunning) {
    throw refuse('INVALID_STATE', { message: `The tournament is ${inWords(row.status)}.` });
  }
  const before = isRunning ? await readPlay(tx, row.id) : null;
  if (before?.stages.some(({ type }) => type === 'custom')) {
    throw refuse('INVALID_STATE', { message: 'The bracket was imported as it is, so it cannot be drawn again.' });
  }
  if (before && !isUntouched(before)) {
    throw refuse('INVALID_STATE', { message: `Somebody has played already. ${howToGoBack}` });
  }
  const draw = await computeDraw(tx, { ...row, drawSeed }, removeNoShows && !isRunning);
  if (before) await takeDraw(tx, by, row.projectId, draw);
  const tournament = await tx.tournament.update({
    where: { id: row.id },
    data: { drawSeed, version: { increment: 1 } },
    select: drawSelect,
  });
  const events: NewEvent[] = [updatedEvent(tournament, ['draw'])];
  if (before) {
    await uncountFeeds(
      tx,
      tournament,
      [...before.rows.values()].map(({ id }) => id),
    );
    await tx.bracket.delete({ where: { tournamentId: row.id }, select: { version: true } });
    await writeSeeds(
      tx,
      row.id,
      draw.participants.map(({ id }) => id),
    );
    events.push(...(await storeDraw(tx, row.projectId, row.id, draw)));
    await tx.bracket.update({
      where: { tournamentId: row.id },
      data: { version: before.version + 1 },
      select: { version: true },
    });
  }
  await record(tx, by, events, {
    projectId: row.projectId,
    action: 'tournament.draw',
    targetType: 'tournament',
    targetId: row.id,
    details: { randomSeed: drawSeed },
  });
  return { tournament, draw };
}
