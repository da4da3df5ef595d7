import { emailField, nameField } from '@/domain/accounts/forms';
import { newId } from '@/domain/ids';
import { holdsSlot, type ParticipantState } from '@/domain/participants/statuses';
import { checkAnswers } from '@/domain/questions/answers';
import type { Tx } from '@/server/db';
import { reasons, refuse } from '@/server/errors';
import type { Origin } from '@/server/events/emit';
import { takeNow } from '@/server/limits/take-now';
import { letOthersIn } from '@/server/limits/thread-meter';
import { type LockedTournament, questionsOf } from '@/server/routers/participants/data';
import { addParticipants, chunks, type NewParticipant } from '@/server/routers/participants/data-additions';
import { findRostered, leaveUnaccepted } from '@/server/routers/participants/roster/data';
import { decide, type Facts } from '@/server/routers/participants/rules';
import { type ImportFile, type ImportRow, readImport } from './rules';
import { type ImportLine, type ImportOutput, maxImportLines } from './schema';

/** Lines whose answers are checked in one round of the event loop, and that are decided in one. */
const linesAtOnce = { checked: 4, decided: 50 };

/** Issues that are listed of a line: it is imported without any. */
const maxLineIssues = 10;
/** Characters of the reasons for a whole file. Past them, a line gets one. */
const maxFileIssues = 1_000_000;

type Account = { id: string; name: string; email: string };
/** A line with the participant that it creates; null when it creates none. */
type PlannedLine = ImportLine & {
  participant: NewParticipant | null;
};
export type ImportPlan = { file: ImportFile; lines: PlannedLine[] };

/** The addresses of everyone in the file, each once. */
function addressesOf(rows: readonly ImportRow[]): string[] {
  const addresses = new Set(rows.flatMap(({ email, members }) => [email, ...members.map((member) => member.email)]));
  return [...new Set([...addresses].map((address) => address.toLowerCase()))].filter(Boolean);
}

/** Reads the accounts and registrations of everyone with an address in the file, and who is on a roster already. */
async function readPeople(tx: Tx, tournamentId: string, emails: string[]) {
  const accounts = new Map<string, Account>();
  const states = new Map<string, ParticipantState & { id: string }>();
  const rostered = new Set<string>();
  for (const part of chunks(emails)) {
    // Suspended accounts cannot play, and anybody can sign up with an address that they do not confirm: both count as missing.
    const users = await tx.user.findMany({
      where: { email: { in: part }, suspendedAt: null, emailVerifiedAt: { not: null } },
      select: { id: true, name: true, email: true },
    });
    const among = { tournamentId, userId: { in: users.map(({ id }) => id) } };
    const participants = await tx.participant.findMany({
      where: among,
      select: { id: true, userId: true, registrationStatus: true, status: true },
    });
    for (const userId of await findRostered(tx, { tournamentId, userIds: users.map(({ id }) => id) }))
      rostered.add(userId);
    for (const user of users) accounts.set(user.email, user);
    for (const { userId, ...state } of participants) if (userId !== null) states.set(userId, state);
  }
  return { accounts, states, rostered };
}

/** The same for both, so that it does not tell which addresses have an account that is not confirmed. */
const noAccount =
  'no account with this email address, or it is not confirmed. Ask the player to sign up or to confirm the address.';

/** Messages for staff, where the usual ones speak to the player. */
const staffMessages: Partial<Record<keyof typeof reasons, string>> = {
  ALREADY_REGISTERED: 'Is already registered.',
  REGISTRATION_REJECTED: 'Was rejected. Undo the rejection on the desk instead.',
  TOURNAMENT_FULL: 'Every slot is taken, and there is no waitlist.',
};

type Context = Pick<LockedTournament, 'tournament' | 'facts'>;
type Checked = ReturnType<typeof checkAnswers>;

/** A file that was read, with its answers checked, for questions as they were. */
export type PreparedImport = {
  file: ImportFile;
  addresses: string[];
  /** By line. */
  checked: Checked[];
  customFieldsVersion: number;
  teams: boolean;
};

function requirePublished({ status }: Context['tournament']): void {
  if (status === 'PUBLISHED') return;
  const message = 'Participants can be imported into a published tournament before it starts.';
  throw refuse('INVALID_STATE', { message });
}

/** Checks the answers of lines, in many rounds of the event loop: patterns can take seconds to match with two thousand. */
export async function checkLines(
  definitions: Parameters<typeof checkAnswers>[0],
  rows: readonly Pick<ImportRow, 'answers'>[],
): Promise<Checked[]> {
  const checked: Checked[] = [];
  for (const { answers } of rows) {
    checked.push(checkAnswers(definitions, answers));
    if (checked.length % linesAtOnce.checked === 0) await letOthersIn();
  }
  return checked;
}

/**
 * Reads a file and checks its answers, before a transaction that locks the tournament: what waits for that has a connection of
 * the database, and this may take many seconds. What comes of an import says which addresses have an account, so they count
 * against the importer.
 * @throws INVALID_STATE, VALIDATION_FAILED when the file as a whole cannot be read, QUOTA_EXCEEDED
 */
export async function prepareImport(
  { tournament, facts: { teams } }: Context,
  { csv, askedById }: { csv: string; askedById: string },
): Promise<PreparedImport> {
  requirePublished(tournament);
  const definitions = questionsOf(tournament);
  const read = readImport(csv, { teams, definitions, maxLines: maxImportLines });
  if ('issues' in read) throw refuse('VALIDATION_FAILED', { issues: read.issues });
  const { file } = read;
  const addresses = addressesOf(file.rows);
  if (addresses.length > 0) await takeNow('importedAddresses', askedById, addresses.length);
  const { customFieldsVersion } = tournament;
  return { file, addresses, checked: await checkLines(definitions, file.rows), customFieldsVersion, teams };
}

/**
 * Decides for every line of a file, in order: a slot that one line takes counts for the next. An import needs no open
 * registration and no approval; everything else is as for a registration. Writes nothing.
 * @throws INVALID_STATE, also when the questions have changed since the file was read
 */
export async function planImport(
  tx: Tx,
  { tournament, facts }: Context,
  { file, addresses, checked, customFieldsVersion, teams }: PreparedImport,
): Promise<ImportPlan> {
  requirePublished(tournament);
  if (tournament.customFieldsVersion !== customFieldsVersion || facts.teams !== teams) {
    throw refuse('INVALID_STATE', { message: 'The tournament has changed while the file was read. Import it again.' });
  }
  const people = await readPeople(tx, tournament.id, addresses);
  const byStaff: Facts = { ...facts, registrationOpen: true, requiresApproval: false };
  const seen = new Map<string, number>();
  let slots = tournament.currentParticipants;
  let issuesLength = 0;

  /** Whether they have a registration of their own, which the decision already reports. */
  function isRegistered({ id }: Account): boolean {
    return (people.states.get(id)?.registrationStatus ?? 'cancelled') !== 'cancelled';
  }

  function planLine(row: ImportRow, { answers, issues: answerIssues }: Checked): PlannedLine {
    const issues: ImportLine['issues'] = [];
    const add = (meaning: string, message: string) => {
      const most = issuesLength < maxFileIssues ? maxLineIssues : 1;
      if (issues.length >= most) return;
      const issue = { column: file.headerOf(meaning), message };
      issues.push(issue);
      issuesLength += issue.column.length + issue.message.length;
    };
    const accountOf = (email: string) => people.accounts.get(email.toLowerCase());
    const account = accountOf(row.email);
    const state = account ? (people.states.get(account.id) ?? null) : null;
    const full = slots >= tournament.maxParticipants;
    const decision = decide('register', state, { ...byStaff, full });
    if (!row.email) add('email', 'Enter an email address.');
    else if (!emailField.safeParse(row.email).success) add('email', 'This is not an email address.');
    else if (!account) add('email', `There is ${noAccount}`);
    else if (seen.has(account.id)) add('email', `Is already on line ${seen.get(account.id)}.`);
    else if (decision.denial) {
      const { reason, message } = decision.denial;
      add('email', staffMessages[reason] ?? message ?? reasons[reason].message);
    }
    if (facts.teams) checkTeam(row, add, accountOf);
    for (const { path, message } of answerIssues) add(path.replace('customFields.', ''), message);

    const { line, email } = row;
    // Whose address it is, nobody learns by asking: a name is known once it is on the list, and its owner has a notice.
    const name = facts.teams ? row.team || null : null;
    const common = { line, email, name, issues, participantId: null };
    if (issues.length > 0 || !account || decision.denial) {
      return { ...common, outcome: null, participant: null };
    }
    const roster = facts.teams
      ? row.members.map((member) => ({ userId: accountOf(member.email)?.id ?? '', name: null, role: member.role }))
      : [];
    for (const { userId } of [...roster, { userId: account.id }]) seen.set(userId, line);
    if (holdsSlot(decision.to)) slots += 1;
    const outcome = decision.to.registrationStatus === 'approved' ? 'approved' : 'waitlisted';
    const previous = state && { registrationStatus: state.registrationStatus, status: state.status };
    const id = state?.id ?? newId('prt');
    const participant = {
      id,
      userId: account.id,
      name: name ?? account.name,
      to: decision.to,
      previous,
      seed: null,
      answers,
      roster,
    };
    return { ...common, outcome, participant };
  }

  function checkTeam(
    { team, members }: ImportRow,
    add: (meaning: string, message: string) => void,
    accountOf: (email: string) => Account | undefined,
  ): void {
    const named = nameField.safeParse(team);
    if (!named.success) add('team', named.error.issues[0]?.message ?? 'Enter another team name.');
    const { rosterMin, rosterMax } = tournament;
    if (members.length < rosterMin || members.length > rosterMax) {
      const wanted = rosterMin === rosterMax ? `${rosterMin}` : `${rosterMin} to ${rosterMax}`;
      add('members', `A roster has ${wanted} players, the captain included; this one has ${members.length}.`);
    }
    const here = new Set<string>();
    for (const { email, role } of members) {
      const account = accountOf(email);
      const column = role === 'captain' ? 'email' : role === 'player' ? 'members' : 'substitutes';
      if (!account && role !== 'captain') add(column, `${email}: there is ${noAccount}`);
      if (!account) continue;
      if (here.has(account.id)) add(column, `${email}: is listed twice.`);
      else if (seen.has(account.id) && role !== 'captain') {
        add(column, `${email}: is already on line ${seen.get(account.id)}.`);
      } else if (people.rostered.has(account.id) && !(role === 'captain' && isRegistered(account))) {
        add(column, `${email}: already plays in this tournament.`);
      }
      here.add(account.id);
    }
  }

  const lines: PlannedLine[] = [];
  for (const [at, row] of file.rows.entries()) {
    lines.push(planLine(row, checked[at] as Checked));
    if (lines.length % linesAtOnce.decided === 0) await letOthersIn();
  }
  return { file, lines };
}

/** The plan as the API returns it; with ids once it is `done`. */
export function presentImport({ file, lines }: ImportPlan, done: boolean): ImportOutput {
  const count = (outcome: ImportLine['outcome']) => lines.filter((line) => line.outcome === outcome).length;
  return {
    columns: file.columns,
    ignoredColumns: file.ignored,
    lines: lines.map(({ participant, ...line }) => ({
      ...line,
      name: done && participant ? participant.name : line.name,
      participantId: done ? (participant?.id ?? null) : null,
    })),
    totals: {
      lines: lines.length,
      approved: count('approved'),
      waitlisted: count('waitlisted'),
      refused: count(null),
    },
  };
}

/** Writes the participants of a plan that was made under the same lock, with their events and audit entries. */
export async function writeImport(tx: Tx, by: Origin, locked: LockedTournament, plan: ImportPlan): Promise<void> {
  const participants = plan.lines.flatMap(({ participant }) => (participant ? [participant] : []));
  const { id: tournamentId, projectId } = locked.tournament;
  for (const userIds of chunks(participants.flatMap(({ roster }) => roster.flatMap(({ userId }) => userId ?? [])))) {
    await leaveUnaccepted(tx, by, projectId, { tournamentId, userIds });
  }
  await addParticipants(tx, by, locked, participants, 'participant.import');
}
