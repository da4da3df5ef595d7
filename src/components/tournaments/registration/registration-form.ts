import { z } from 'zod';
import { rosterSizeText } from '@/components/tournaments/registration/roster-size-text';
import type { Registration, RegistrationForm } from '@/components/tournaments/use-tournament';
import { nameField } from '@/domain/accounts/forms';
import { checkAnswers } from '@/domain/questions/answers';

/** The value of a question's input: its text, or whether the box is checked. */
export type InputValue = string | boolean;

/** One row of the roster form; `out` is a team member who does not play in this tournament. */
export type RosterRow = { userId: string; name: string; role: 'captain' | 'player' | 'substitute' | 'out' };

export type RegistrationValues = {
  /** The team that registers; empty for players registered by their IDs. */
  teamId: string;
  teamName: string;
  teamMembers: RosterRow[];
  customFields: Record<string, InputValue>;
};

type Fields = RegistrationForm['fields'];
type Limits = { teamSize: number; rosterMin: number; rosterMax: number };
type Member = { userId: string; name: string; role: 'captain' | 'player' | 'substitute' };
type Player = { id: string; name: string };

export const selectedPlayers = (rows: RosterRow[]) => rows.filter(({ role }) => role !== 'out');

/** The form of a registration with players without an account: they stay on the roster and take places on it. */
export function withPlacesOfGuests(form: RegistrationForm, registration: Registration | null): RegistrationForm {
  const guests = registration?.roster.filter(({ userId }) => userId === null).length ?? 0;
  if (!form.team || guests === 0) return form;
  const { rosterMin, rosterMax } = form.team;
  const team = { ...form.team, rosterMin: Math.max(1, rosterMin - guests), rosterMax: Math.max(1, rosterMax - guests) };
  return { ...form, team };
}

function rosterSchema(limits: Limits) {
  const row = z.object({
    userId: z.string().trim().min(1, 'Enter a player ID or remove this row.'),
    name: z.string(),
    role: z.enum(['captain', 'player', 'substitute', 'out']),
  });
  return z.array(row).superRefine((rows, context) => {
    const count = selectedPlayers(rows).length;
    if (count >= limits.rosterMin && count <= limits.rosterMax) return;
    const message = `The roster needs ${rosterSizeText(limits)}, but this one has ${count}.`;
    context.addIssue({ code: 'custom', path: ['root'], message });
  });
}

/** The schema of a tournament's registration form: its questions, with the server's checks, and the roster of a team. */
export function registrationSchema({
  fields,
  team,
}: RegistrationForm): z.ZodType<RegistrationValues, RegistrationValues> {
  const answers = z.record(z.string(), z.union([z.string(), z.boolean()])).superRefine((typed, context) => {
    for (const { path, message } of checkAnswers(fields, toAnswers(fields, typed)).issues) {
      context.addIssue({ code: 'custom', path: path.split('.').slice(1), message });
    }
  });
  return z.object({
    teamId: z.string(),
    teamName: team ? nameField : z.string(),
    teamMembers: team ? rosterSchema(team) : z.array(z.custom<RosterRow>()),
    customFields: answers,
  });
}

/** The answers in the API's types, without empty ones. */
export function toAnswers(
  fields: Fields,
  typed: Record<string, InputValue>,
): Record<string, string | number | boolean> {
  return Object.fromEntries(
    fields.flatMap(({ key, type }): [string, string | number | boolean][] => {
      const value = typed[key];
      if (typeof value === 'boolean') return [[key, value]];
      const text = value?.trim();
      if (!text) return [];
      return [[key, type === 'number' ? Number(text.replace(',', '.')) : text]];
    }),
  );
}

function toInputValues(
  fields: Fields,
  answers: Record<string, string | number | boolean | null>,
): Record<string, InputValue> {
  return Object.fromEntries(
    fields.map(({ key, type }) => {
      const answer = Object.hasOwn(answers, key) ? answers[key] : null;
      return [key, type === 'checkbox' ? answer === true : String(answer ?? '')];
    }),
  );
}

/**
 * A roster of all team members: the captain and the first players play, the next ones are substitutes while the roster
 * has room, and the rest are out.
 */
export function rosterFromTeam(members: Member[], captainId: string, { teamSize, rosterMax }: Limits): RosterRow[] {
  const withRole = (role: Member['role']) => members.filter((each) => each.userId !== captainId && each.role === role);
  const [captain] = members.filter(({ userId }) => userId === captainId);
  // The member list may still show a former captain, who counts as a player here.
  const players = [...withRole('captain'), ...withRole('player')];
  const substitutes = withRole('substitute');
  const starters = [...players, ...substitutes].slice(0, teamSize - 1);
  const bench = [...substitutes, ...players].filter((member) => !starters.includes(member));
  const spare = rosterMax - starters.length - 1;
  const as = (role: RosterRow['role']) => (member: Member) => ({ userId: member.userId, name: member.name, role });
  return [
    ...(captain ? [as('captain')(captain)] : []),
    ...starters.map((member) => as(member.role === 'substitute' ? 'substitute' : 'player')(member)),
    ...bench.slice(0, spare).map(as('substitute')),
    ...bench.slice(spare).map(as('out')),
  ];
}

/** The player as captain, and an empty row for each other player the roster needs. */
export function emptyRoster(player: Player, { rosterMin }: Limits): RosterRow[] {
  const others = Array.from({ length: rosterMin - 1 }, (): RosterRow => ({ userId: '', name: '', role: 'player' }));
  return [{ userId: player.id, name: player.name, role: 'captain' }, ...others];
}

const hasAccount = (member: Registration['roster'][number]): member is Registration['roster'][number] & Member =>
  member.userId !== null;

/** The registered roster, followed by the team members who are not on it. */
function rosterFromRegistration(roster: Member[], members: Member[]): RosterRow[] {
  const on = new Set(roster.map(({ userId }) => userId));
  const rest = members.filter(({ userId }) => !on.has(userId));
  return [...roster, ...rest.map(({ userId, name }): RosterRow => ({ userId, name, role: 'out' }))];
}

/** Initial values of the form: the existing registration, else the team, else empty rows. */
export function initialValues(
  { fields, team: limits }: RegistrationForm,
  player: Player,
  from: { registration: Registration | null; team: { id: string; name: string; members: Member[] } | null },
): RegistrationValues {
  const { registration, team } = from;
  const customFields = toInputValues(fields, registration?.customFields ?? {});
  if (!limits) return { teamId: '', teamName: '', teamMembers: [], customFields };
  if (registration) {
    const teamMembers = rosterFromRegistration(registration.roster.filter(hasAccount), team?.members ?? []);
    return { teamId: team?.id ?? '', teamName: registration.name, teamMembers, customFields };
  }
  if (team) {
    const teamMembers = rosterFromTeam(team.members, player.id, limits);
    return { teamId: team.id, teamName: team.name, teamMembers, customFields };
  }
  return { teamId: '', teamName: '', teamMembers: emptyRoster(player, limits), customFields };
}

/** The roster as API input. */
export function toRosterInput(rows: RosterRow[]): { userId: string; role: 'captain' | 'player' | 'substitute' }[] {
  return rows.flatMap(({ userId, role }) => (role === 'out' ? [] : [{ userId: userId.trim(), role }]));
}

/** Maps the server's field names to the form's: the server does not see the rows that are out. */
export function rosterFieldNames(rows: RosterRow[]): Record<string, `teamMembers.${number}.userId`> {
  const places = rows.flatMap(({ role }, index) => (role === 'out' ? [] : [index]));
  return Object.fromEntries(
    places.map((index, place) => [`teamMembers.${place}.userId`, `teamMembers.${index}.userId` as const]),
  );
}
