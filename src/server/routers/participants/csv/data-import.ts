import { emailField, nameField } from '@/domain/accounts/forms';
import { newId } from '@/domain/ids';
import { holdsSlot, type ParticipantState } from '@/domain/participants/statuses';
import { checkAnswers } from '@/domain/questions/answers';
import type { Tx } from '@/server/db';
import { reasons, refuse } from '@/server/errors';
import { audit, emit, type NewEvent, type Origin } from '@/server/events/emit';
import { questionsOf, type TournamentContext } from '@/server/routers/participants/data';
import type { LockedTournament } from '@/server/routers/participants/data-transitions';
import { decide, type Facts } from '@/server/routers/participants/rules';
import { participantEvent, registrationEvent } from '@/server/routers/tournaments/data';
import { type ImportFile, type ImportRow, readImport } from './rules';
import { type ImportLine, type ImportOutput, importLimit } from './schema';

type Account = { id: string; name: string; email: string };
type Planned = ImportLine & {
  entrant: {
    id: string;
    userId: string;
    name: string;
    to: ParticipantState;
    previous: ParticipantState | null;
    answers: Record<string, unknown>;
    roster: { userId: string; role: 'captain' | 'player' | 'substitute' }[];
  } | null;
};
export type ImportPlan = { file: ImportFile; lines: Planned[]; slots: number };

const chunkSize = 500;
function chunks<T>(items: T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / chunkSize) }, (_, at) =>
    items.slice(at * chunkSize, (at + 1) * chunkSize),
  );
}

/** What stands about everyone whom the file names, by address and by user. */
async function readPeople(tx: Tx, tournamentId: string, rows: ImportRow[]) {
  const addresses = new Set(rows.flatMap(({ email, members }) => [email, ...members.map((member) => member.email)]));
  const emails = [...new Set([...addresses].map((address) => address.toLowerCase()))].filter(Boolean);
  const accounts = new Map<string, Account>();
  const standings = new Map<string, ParticipantState & { id: string }>();
  const rostered = new Set<string>();
  for (const part of chunks(emails)) {
    // Whoever is suspended cannot play, and looks like an address without an account.
    const users = await tx.user.findMany({
      where: { email: { in: part }, suspendedAt: null },
      select: { id: true, name: true, email: true },
    });
    const among = { tournamentId, userId: { in: users.map(({ id }) => id) } };
    const entrants = await tx.participant.findMany({
      where: among,
      select: { id: true, userId: true, registrationStatus: true, status: true },
    });
    const members = await tx.rosterMember.findMany({ where: among, select: { userId: true } });
    for (const user of users) accounts.set(user.email, user);
    for (const { userId, ...standing } of entrants) standings.set(userId, standing);
    for (const { userId } of members) rostered.add(userId);
  }
  return { accounts, standings, rostered };
}

/** What staff read where a player would read of themselves. */
const toStaff: Partial<Record<keyof typeof reasons, string>> = {
  ALREADY_REGISTERED: 'Is registered already.',
  REGISTRATION_REJECTED: 'Was rejected. Take that back on the entrants page instead.',
  TOURNAMENT_FULL: 'Every slot is taken, and there is no waitlist.',
};

/**
 * Decides about every line of a file, in order: the slots that earlier lines take count for the later ones. Staff who
 * import open the window and approve; everything else is as for a registration. Writes nothing.
 * @throws VALIDATION_FAILED when the file as a whole cannot be read
 */
export async function planImport(
  tx: Tx,
  { tournament, facts }: Pick<LockedTournament, 'tournament' | 'facts'>,
  csv: string,
): Promise<ImportPlan> {
  if (!facts.beforeStart) {
    const message = 'Entrants are imported into a published tournament, before it starts.';
    throw refuse('INVALID_STATE', { message });
  }
  const definitions = questionsOf(tournament);
  const read = readImport(csv, { teams: facts.teams, definitions, mostLines: importLimit });
  if ('issues' in read) throw refuse('VALIDATION_FAILED', { issues: read.issues });
  const { file } = read;
  const people = await readPeople(tx, tournament.id, file.rows);
  const byStaff: Facts = { ...facts, registrationOpen: true, requiresApproval: false };
  const seen = new Map<string, number>();
  let slots = tournament.currentParticipants;

  /** Whether they registered by themselves, which is said of them already. */
  function isIn({ id }: Account): boolean {
    return (people.standings.get(id)?.registrationStatus ?? 'cancelled') !== 'cancelled';
  }

  function look(row: ImportRow): Planned {
    const issues: ImportLine['issues'] = [];
    const add = (meaning: string, message: string) => issues.push({ column: file.headerOf(meaning), message });
    const accountOf = (email: string) => people.accounts.get(email.toLowerCase());
    const account = accountOf(row.email);
    const standing = account ? (people.standings.get(account.id) ?? null) : null;
    const full = slots >= tournament.maxParticipants;
    const decision = decide('register', standing, { ...byStaff, full });
    if (!row.email) add('email', 'Give an e-mail address.');
    else if (!emailField.safeParse(row.email).success) add('email', 'This is no e-mail address.');
    else if (!account) add('email', 'No account that can play has this address.');
    else if (seen.has(account.id)) add('email', `Stands on line ${seen.get(account.id)} already.`);
    else if (decision.refused !== undefined) {
      add('email', toStaff[decision.refused] ?? decision.message ?? reasons[decision.refused].message);
    }
    if (facts.teams) lookAtTeam(row, add, accountOf);
    const { answers, issues: wrong } = checkAnswers(definitions, row.answers);
    for (const { path, message } of wrong) add(path.replace('customFields.', ''), message);

    const { line, email } = row;
    const name = facts.teams ? row.team || null : (account?.name ?? null);
    const common = { line, email, name, issues, participantId: null };
    if (issues.length > 0 || !account || decision.refused !== undefined) {
      return { ...common, outcome: null, entrant: null };
    }
    const roster = facts.teams
      ? row.members.map((member) => ({ userId: accountOf(member.email)?.id ?? '', role: member.role }))
      : [];
    for (const { userId } of [...roster, { userId: account.id }]) seen.set(userId, line);
    if (holdsSlot(decision.to)) slots += 1;
    const outcome = decision.to.registrationStatus === 'approved' ? 'approved' : 'waitlisted';
    const previous = standing && { registrationStatus: standing.registrationStatus, status: standing.status };
    const id = standing?.id ?? newId('prt');
    const entrant = { id, userId: account.id, name: name ?? account.name, to: decision.to, previous, answers, roster };
    return { ...common, outcome, entrant };
  }

  function lookAtTeam(
    { team, members }: ImportRow,
    add: (meaning: string, message: string) => void,
    accountOf: (email: string) => Account | undefined,
  ): void {
    const named = nameField.safeParse(team);
    if (!named.success) add('team', named.error.issues[0]?.message ?? 'Give the team another name.');
    const { rosterMin, rosterMax } = tournament;
    if (members.length < rosterMin || members.length > rosterMax) {
      const wanted = rosterMin === rosterMax ? `${rosterMin}` : `${rosterMin} to ${rosterMax}`;
      add('members', `A roster has ${wanted} players, the captain included; this one has ${members.length}.`);
    }
    const here = new Set<string>();
    for (const { email, role } of members) {
      const account = accountOf(email);
      const column = role === 'captain' ? 'email' : role === 'player' ? 'members' : 'substitutes';
      if (!account && role !== 'captain') add(column, `${email}: no account that can play has this address.`);
      if (!account) continue;
      if (here.has(account.id)) add(column, `${email}: is listed twice.`);
      else if (seen.has(account.id) && role !== 'captain') {
        add(column, `${email}: stands on line ${seen.get(account.id)} already.`);
      } else if (people.rostered.has(account.id) && !(role === 'captain' && isIn(account))) {
        add(column, `${email}: plays in this tournament already.`);
      }
      here.add(account.id);
    }
  }

  const lines = file.rows.map(look);
  return { file, lines, slots };
}

/** The plan, or what was done, as the caller reads it. */
export function presentImport({ file, lines }: ImportPlan, done: boolean): ImportOutput {
  const count = (outcome: ImportLine['outcome']) => lines.filter((line) => line.outcome === outcome).length;
  return {
    columns: file.columns,
    ignoredColumns: file.ignored,
    lines: lines.map(({ entrant, ...line }) => ({ ...line, participantId: done ? (entrant?.id ?? null) : null })),
    totals: {
      lines: lines.length,
      approved: count('approved'),
      waitlisted: count('waitlisted'),
      refused: count(null),
    },
  };
}

type Entering = NonNullable<Planned['entrant']>;

async function insert(tx: Tx, by: Origin, tournament: TournamentContext, entrants: Entering[], teams: boolean) {
  const rows = entrants.map(({ id, userId, name, to, answers }, place) => ({
    ...{ id, userId, name, place, answers },
    standing: to.registrationStatus,
  }));
  const written = await tx.$executeRaw`
    INSERT INTO "participant" AS p ("id", "tournamentId", "type", "userId", "name", "registrationStatus", "waitlistOrder",
      "customFields", "customFieldsVersion", "decidedById", "registeredAt", "approvedAt", "updatedAt")
    SELECT e."id", ${tournament.id}, ${teams ? 'team' : 'individual'}::"participant_type", e."userId", e."name", e."standing",
      CASE WHEN e."standing" = 'waitlisted' THEN nextval('participant_waitlist_order') END,
      e."answers", ${tournament.customFieldsVersion}, ${by.actor.id}, clock_timestamp(),
      CASE WHEN e."standing" = 'approved' THEN clock_timestamp() END, clock_timestamp()
    FROM (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r("id" text, "userId" text, "name" text,
        "place" int, "answers" jsonb, "standing" "registration_status") ORDER BY "place"
    ) e
    ON CONFLICT ("tournamentId", "userId") DO UPDATE SET
      "type" = EXCLUDED."type", "name" = EXCLUDED."name", "registrationStatus" = EXCLUDED."registrationStatus",
      "status" = EXCLUDED."status", "seed" = NULL, "waitlistOrder" = EXCLUDED."waitlistOrder",
      "customFields" = EXCLUDED."customFields", "customFieldsVersion" = EXCLUDED."customFieldsVersion",
      "decidedById" = EXCLUDED."decidedById", "registeredAt" = EXCLUDED."registeredAt", "approvedAt" = EXCLUDED."approvedAt",
      "checkedInAt" = NULL, "cancelledAt" = NULL, "statusReason" = NULL, "standingBefore" = NULL, "teamId" = NULL,
      "updatedAt" = EXCLUDED."updatedAt", "version" = p."version" + 1
    WHERE p."registrationStatus" = 'cancelled'`;
  // Under the tournament's lock nobody else writes entrants, so this is a fault of ours and not a race.
  if (written !== entrants.length) throw new Error('An import did not write what it planned');
  await tx.rosterMember.createMany({
    data: entrants.flatMap(({ id, roster }) =>
      roster.map((member) => ({ ...member, participantId: id, tournamentId: tournament.id })),
    ),
  });
}

function eventsOf(
  { id, userId, name, to, previous }: Entering,
  tournament: TournamentContext,
  teams: boolean,
): NewEvent[] {
  const type = teams ? 'team' : 'individual';
  const row = { id, userId, name, type, ...to, tournamentId: tournament.id, seed: null } as const;
  const registered = participantEvent('participant.registered', tournament.projectId, row, previous);
  if (to.registrationStatus !== 'waitlisted') return [registered];
  return [registered, participantEvent('participant.waitlisted', tournament.projectId, row, previous)];
}

/** Writes what a plan made under this lock lets in, with its events and audit rows. */
export async function writeImport(tx: Tx, by: Origin, locked: LockedTournament, plan: ImportPlan): Promise<void> {
  const { tournament, facts } = locked;
  const entrants = plan.lines.flatMap(({ entrant }) => (entrant ? [entrant] : []));
  for (const part of chunks(entrants)) {
    await insert(tx, by, tournament, part, facts.teams);
    await emit(tx, by, ...part.flatMap((entrant) => eventsOf(entrant, tournament, facts.teams)));
    const acts = part.map(({ id }) => ({
      projectId: tournament.projectId,
      action: 'participant.import',
      targetType: 'participant',
      targetId: id,
      details: { tournamentId: tournament.id },
    }));
    await audit(tx, by, ...acts);
  }
  if (plan.slots === tournament.currentParticipants) return;
  const after = { ...tournament, currentParticipants: plan.slots };
  await tx.tournament.update({
    where: { id: tournament.id },
    data: { currentParticipants: plan.slots },
    select: { id: true },
  });
  if (!facts.full && plan.slots >= tournament.maxParticipants) {
    await emit(tx, by, registrationEvent('registration.full', after));
  }
}
