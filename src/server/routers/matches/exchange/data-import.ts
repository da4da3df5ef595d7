import { BracketError } from '@/domain/brackets/bracket-error';
import { restore } from '@/domain/brackets/exchange/restore';
import { isDecided } from '@/domain/brackets/play/match-state';
import { eliminated, isComplete } from '@/domain/brackets/play/outcomes';
import { apply } from '@/domain/brackets/play/progress';
import { decidedMatch } from '@/domain/brackets/play/results';
import type { Bracket, Match } from '@/domain/brackets/types';
import { newId } from '@/domain/ids';
import { holdsSlot, type ParticipantState } from '@/domain/participants/statuses';
import type { Tx } from '@/server/db';
import { type Issue, refuse } from '@/server/errors';
import type { MatchRow, Play, StoredReport } from '@/server/routers/matches/data-bracket';
import { mostDepartures } from '@/server/routers/matches/data-departures';
import { newPlay } from '@/server/routers/matches/data-draw';
import { writeRosters } from '@/server/routers/participants/roster/data';
import type { RestorableState } from '@/server/routers/participants/rules';
import type { TournamentSettings } from '@/server/routers/tournaments/data-settings';
import { renameInOptions, toGames, toRecording, UnknownParticipant } from './rules';
import type { FileMatch, FileParticipant, LaurelFile } from './schema';

type Ids = ReadonlyMap<string, string>;

/** A participant of a file, as it will be stored. */
export type ImportedParticipant = FileParticipant &
  ParticipantState & { participantId: string; standingBefore: RestorableState | null };

export type ImportPlan = {
  settings: TournamentSettings;
  status: LaurelFile['tournament']['status'];
  participants: ImportedParticipant[];
  /** Null: the tournament has not started. */
  play: Play | null;
};

function refuseFile(issues: Issue[]) {
  return refuse('VALIDATION_FAILED', { message: issues[0]?.message, issues: issues.slice(0, 100) });
}

/** Runs what reads a file; a sentence says what is wrong with it. @throws VALIDATION_FAILED */
function reading<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnknownParticipant) throw refuseFile([{ path, message: error.message }]);
    if (error instanceof BracketError) throw refuseFile([{ path, message: `${error.message}.` }]);
    throw error;
  }
}

/** @throws VALIDATION_FAILED when names within the file or seeds are given twice, or a roster does not fit */
function nameParticipants({ participants }: LaurelFile, { teamSize, rosterMax }: TournamentSettings): Ids {
  const ids = new Map<string, string>();
  const seeds = new Set<number>();
  const issues = participants.flatMap(({ id, seed, roster }, at): Issue[] => {
    const path = `participants.${at}`;
    const found: Issue[] = [];
    if (ids.has(id)) found.push({ path: `${path}.id`, message: `The id “${id}” is used twice.` });
    if (seed !== null && seeds.has(seed)) found.push({ path: `${path}.seed`, message: `Seed ${seed} is given twice.` });
    if (seed !== null) seeds.add(seed);
    ids.set(id, newId('prt'));
    if (roster && roster.length > 0 && teamSize === 1) {
      found.push({ path: `${path}.roster`, message: 'Only teams have a roster.' });
    } else if (roster && roster.length > rosterMax) {
      const message = `A roster has at most ${rosterMax} players; this one has ${roster.length}.`;
      found.push({ path: `${path}.roster`, message });
    }
    if (roster && roster.filter(({ role }) => role === 'captain').length > 1) {
      found.push({ path: `${path}.roster`, message: 'A roster has one captain.' });
    }
    return found;
  });
  if (issues.length > 0) throw refuseFile(issues);
  return ids;
}

/** The state of a participant of a tournament that has started, as its bracket has it. */
function stateInPlay(id: string, bracket: Bracket, out: ReadonlySet<string>): ParticipantState {
  const registrationStatus = 'approved';
  const departure = bracket.departures.find(({ participantId }) => participantId === id);
  if (departure) return { registrationStatus, status: departure.type === 'withdrawn' ? 'withdrew' : 'disqualified' };
  return { registrationStatus, status: out.has(id) ? 'eliminated' : 'active' };
}

/** Staff may disqualify somebody once the tournament is over; earlier files do not name them among the departures. */
function withLateDepartures({ participants }: LaurelFile, ids: Ids, bracket: Bracket): Bracket {
  if (!isComplete(bracket)) return bracket;
  const known = new Set(bracket.participants.map(({ participantId }) => participantId));
  for (const { participantId } of bracket.departures) known.delete(participantId);
  const late = participants.flatMap(({ id, status }) => {
    const participantId = ids.get(id) ?? '';
    return status === 'disqualified' && known.has(participantId) ? [participantId] : [];
  });
  const most = mostDepartures(bracket);
  if (late.length > most) {
    const message = `Besides those among the departures, at most ${most} ${most === 1 ? 'participant' : 'participants'} can be disqualified.`;
    throw refuseFile([{ path: 'participants', message }]);
  }
  return late.reduce((before, participantId) => apply(before, { type: 'disqualify', participantId }).bracket, bracket);
}

function toParticipants(file: LaurelFile, ids: Ids, bracket: Bracket | null): ImportedParticipant[] {
  const seeds = new Map(bracket?.participants.map(({ participantId, seed }) => [participantId, seed]));
  const out = bracket ? eliminated(bracket) : new Set<string>();
  const issues: Issue[] = [];
  const participants = file.participants.map((one, at): ImportedParticipant => {
    const participantId = ids.get(one.id) ?? '';
    const seed = seeds.get(participantId) ?? null;
    if (bracket && seed !== null) {
      const state = stateInPlay(participantId, bracket, out);
      const before = { registrationStatus: 'approved', status: 'active', seed, running: true } as const;
      const standingBefore = state.status === 'disqualified' ? before : null;
      return { ...one, ...state, seed, participantId, standingBefore };
    }
    const isPlaying = one.status === 'active' || one.status === 'eliminated';
    if (isPlaying || (bracket && holdsSlot(one))) {
      const message = `${one.name} is ${isPlaying ? one.status : 'approved'} and not in the bracket.`;
      issues.push({ path: `participants.${at}.status`, message });
    }
    const before = { registrationStatus: 'approved', status: 'registered', seed: null, running: false } as const;
    const isOut = one.status === 'disqualified' || one.status === 'no_show';
    return { ...one, seed: bracket ? null : one.seed, participantId, standingBefore: isOut ? before : null };
  });
  const taken = participants.filter(holdsSlot).length;
  if (taken > file.tournament.maxParticipants) {
    const message = `${taken} participants have a slot, more than maxParticipants.`;
    issues.push({ path: 'tournament.maxParticipants', message });
  }
  if (issues.length > 0) throw refuseFile(issues);
  return participants;
}

type FileReport = NonNullable<FileMatch['report']>;

/** A report of a file, once the engine has tried it as when it was made. */
function toReport(
  bracket: Bracket,
  match: Match,
  report: FileReport,
  { ids, file }: { ids: Ids; file: FileMatch },
): StoredReport {
  const side = ids.get(report.by);
  if (!side || !match.slots.some(({ participantId }) => participantId === side))
    throw new UnknownParticipant(report.by);
  const winner = report.winner === null ? null : (ids.get(report.winner) ?? null);
  const result = { type: 'played', games: toGames(report.games, file.participants), winnerId: winner } as const;
  const { games, winnerId } = decidedMatch(bracket, match, result);
  const reportedAt = new Date(report.reportedAt).toISOString();
  return { by: side, userId: null, games, winnerId, reportedAt, firstReportedAt: reportedAt };
}

/** The row of a match with what a file says about it beside its result. */
function withFacts(
  row: MatchRow,
  match: Match,
  file: FileMatch | undefined,
  bracket: Bracket,
  { ids, confirmBy }: { ids: Ids; confirmBy: string | null },
): MatchRow {
  if (!file) return row;
  const iso = (time: string | undefined) => (time === undefined ? null : new Date(time).toISOString());
  const times = { scheduledAt: iso(file.scheduledAt), startedAt: iso(file.startedAt) };
  if (isDecided(match)) {
    const completedAt = match.decidedBy === 'bye' ? null : (iso(file.completedAt) ?? row.completedAt);
    return { ...row, ...times, completedAt };
  }
  const { status } = match;
  if (status !== 'in_progress' && status !== 'disputed') {
    const isScheduled = status !== 'pending' && times.scheduledAt !== null;
    return { ...row, ...times, status: isScheduled ? 'scheduled' : status === 'pending' ? status : 'ready' };
  }
  const read = (given: FileReport | undefined) => (given ? toReport(bracket, match, given, { ids, file }) : null);
  const [report, counterReport] = [read(file.report), read(file.counterReport)];
  const waits = status === 'in_progress' && report && !counterReport;
  return {
    ...row,
    ...times,
    report,
    counterReport,
    confirmBy: waits ? confirmBy : null,
  };
}

/**
 * Reads a file without writing anything: names its participants, and plays its results again.
 * @param settings of the tournament, complete
 * @throws VALIDATION_FAILED
 */
export function planImport(file: LaurelFile, settings: TournamentSettings, tournamentId: string): ImportPlan {
  const ids = nameParticipants(file, settings);
  const formatOptions = reading('tournament.formatOptions', () => renameInOptions(settings.formatOptions, ids));
  const statusInFile = file.tournament.status;
  if (file.bracket === null) {
    if (statusInFile === 'IN_PROGRESS' || statusInFile === 'COMPLETED') {
      throw refuseFile([{ path: 'bracket', message: 'A tournament that has started has a bracket.' }]);
    }
    return {
      settings: { ...settings, formatOptions },
      status: statusInFile,
      participants: toParticipants(file, ids, null),
      play: null,
    };
  }
  const { bracket: given } = file;
  const recording = reading('bracket', () =>
    toRecording(given, { format: settings.format, options: formatOptions }, ids),
  );
  const bracket = withLateDepartures(
    file,
    ids,
    reading('bracket', () => restore(recording)),
  );
  const participants = toParticipants(file, ids, bracket);
  const names = Object.fromEntries(participants.map(({ participantId, name }) => [participantId, name]));
  const play = newPlay(tournamentId, bracket, names);
  const files = new Map(given.matches.map((match) => [match.number, match]));
  const engine = new Map(bracket.matches.map((match) => [match.number, match]));
  const confirmBy = new Date(Date.now() + settings.autoConfirmMinutes * 60_000).toISOString();
  const status = statusInFile === 'CANCELLED' ? statusInFile : isComplete(bracket) ? 'COMPLETED' : 'IN_PROGRESS';
  // A file can have a report for each of thousands of matches. Of those that wait for an answer, silence confirms one for each
  // participant, as many as played at a time; staff decide further ones.
  let confirmations = status === 'IN_PROGRESS' ? participants.length : 0;
  const rows = reading('bracket.matches', () =>
    [...play.rows].map(([number, row]): [number, MatchRow] => {
      const match = engine.get(number);
      if (!match) return [number, row];
      const facts = { ids, confirmBy: confirmations > 0 ? confirmBy : null };
      const imported = withFacts(row, match, files.get(number), bracket, facts);
      if (imported.confirmBy !== null) confirmations -= 1;
      return [number, imported];
    }),
  );
  return {
    settings: { ...settings, formatOptions },
    status,
    participants,
    play: { ...play, rows: new Map(rows) },
  };
}

/** Writes the participants of a new tournament in a few statements; nobody of them has an account. */
export async function writeParticipants(
  tx: Tx,
  { tournamentId, isTeam, decidedById }: { tournamentId: string; isTeam: boolean; decidedById: string | null },
  participants: readonly ImportedParticipant[],
): Promise<void> {
  const rows = participants.map(({ participantId, roster: _roster, id: _id, ...one }, place) => ({
    ...one,
    id: participantId,
    place,
  }));
  await tx.$executeRaw`
    INSERT INTO "participant" ("id", "tournamentId", "type", "name", "registrationStatus", "status", "seed", "waitlistOrder",
      "standingBefore", "decidedById", "registeredAt", "approvedAt", "checkedInAt", "updatedAt")
    SELECT e."id", ${tournamentId}, ${isTeam ? 'team' : 'individual'}::"participant_type", e."name", e."registrationStatus",
      e."status", e."seed", CASE WHEN e."registrationStatus" = 'waitlisted' THEN nextval('participant_waitlist_order') END,
      e."standingBefore", ${decidedById}, coalesce(e."registeredAt", clock_timestamp()),
      CASE WHEN e."registrationStatus" = 'approved' THEN coalesce(e."registeredAt", clock_timestamp()) END,
      e."checkedInAt", clock_timestamp()
    FROM (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r("id" text, "name" text, "place" int,
        "registrationStatus" "registration_status", "status" "participant_status", "seed" int, "standingBefore" jsonb,
        "registeredAt" timestamptz, "checkedInAt" timestamptz) ORDER BY "place"
    ) e`;
  const players = participants.flatMap(({ participantId, roster }) =>
    (roster ?? []).map(({ name, role }) => ({ participantId, name, role })),
  );
  await writeRosters(tx, tournamentId, players);
}
