import { z } from 'zod';
import type { Registration, RegistrationForm } from '@/components/tournaments/use-tournament';
import { nameField } from '@/domain/accounts/forms';
import { checkAnswers } from '@/domain/questions/answers';

/** One answer as its control holds it: a text, or whether a box is ticked. */
export type InputValue = string | boolean;

/** One line of the roster; a member of the team who is not in this line-up is `out`. */
export type RosterRow = { userId: string; name: string; role: 'captain' | 'player' | 'substitute' | 'out' };

export type RegistrationValues = {
  /** The team that registers; empty for players named by their ids. */
  teamId: string;
  teamName: string;
  teamMembers: RosterRow[];
  customFields: Record<string, InputValue>;
};

type Fields = RegistrationForm['fields'];
type Limits = { teamSize: number; rosterMin: number; rosterMax: number };
type Member = { userId: string; name: string; role: 'captain' | 'player' | 'substitute' };
type Player = { id: string; name: string };

export const selectedPlayers = (lines: RosterRow[]) => lines.filter(({ role }) => role !== 'out');

/** How many players a roster has, in words. */
export function rosterSizeText({ rosterMin, rosterMax }: Pick<Limits, 'rosterMin' | 'rosterMax'>): string {
  return rosterMin === rosterMax ? `${rosterMin} players` : `${rosterMin} to ${rosterMax} players`;
}

function rosterSchema(limits: Limits) {
  const line = z.object({
    userId: z.string().trim().min(1, 'Enter the player id, or take this line away.'),
    name: z.string(),
    role: z.enum(['captain', 'player', 'substitute', 'out']),
  });
  return z.array(line).superRefine((lines, context) => {
    const count = selectedPlayers(lines).length;
    if (count >= limits.rosterMin && count <= limits.rosterMax) return;
    const message = `A roster here has ${rosterSizeText(limits)}; this one has ${count}.`;
    context.addIssue({ code: 'custom', path: ['root'], message });
  });
}

/** The form of a tournament: its questions, checked as the server checks them, and its roster where teams play. */
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

/** The answers as the API takes them, without the empty ones. */
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
 * Everyone in the team: the captain and the first players as those who play, then as many substitutes as a roster still
 * takes, and the others out.
 */
export function rosterFromTeam(members: Member[], captainId: string, { teamSize, rosterMax }: Limits): RosterRow[] {
  const are = (role: Member['role']) => members.filter((each) => each.userId !== captainId && each.role === role);
  const [captain] = members.filter(({ userId }) => userId === captainId);
  // A captain of before, whom the list still names so, plays like any other.
  const players = [...are('captain'), ...are('player')];
  const substitutes = are('substitute');
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

/** The player as captain, and as many lines for player ids as a roster needs. */
export function emptyRoster(player: Player, { rosterMin }: Limits): RosterRow[] {
  const others = Array.from({ length: rosterMin - 1 }, (): RosterRow => ({ userId: '', name: '', role: 'player' }));
  return [{ userId: player.id, name: player.name, role: 'captain' }, ...others];
}

/** A roster that is registered, with the members of its team who are not on it. */
function rosterFromRegistration(roster: Member[], members: Member[]): RosterRow[] {
  const on = new Set(roster.map(({ userId }) => userId));
  const rest = members.filter(({ userId }) => !on.has(userId));
  return [...roster, ...rest.map(({ userId, name }): RosterRow => ({ userId, name, role: 'out' }))];
}

/** What the form begins with: what is registered, or else the team, or else empty lines. */
export function initialValues(
  { fields, team: limits }: RegistrationForm,
  player: Player,
  from: { registration: Registration | null; team: { id: string; name: string; members: Member[] } | null },
): RegistrationValues {
  const { registration, team } = from;
  const customFields = toInputValues(fields, registration?.customFields ?? {});
  if (!limits) return { teamId: '', teamName: '', teamMembers: [], customFields };
  if (registration) {
    const teamMembers = rosterFromRegistration(registration.roster, team?.members ?? []);
    return { teamId: team?.id ?? '', teamName: registration.name, teamMembers, customFields };
  }
  if (team) {
    const teamMembers = rosterFromTeam(team.members, player.id, limits);
    return { teamId: team.id, teamName: team.name, teamMembers, customFields };
  }
  return { teamId: '', teamName: '', teamMembers: emptyRoster(player, limits), customFields };
}

/** The roster as the API takes it. */
export function toRosterInput(lines: RosterRow[]): { userId: string; role: 'captain' | 'player' | 'substitute' }[] {
  return lines.flatMap(({ userId, role }) => (role === 'out' ? [] : [{ userId: userId.trim(), role }]));
}

/** Names of form fields by the server's: it knows nothing of lines that are out. */
export function rosterFieldNames(lines: RosterRow[]): Record<string, `teamMembers.${number}.userId`> {
  const places = lines.flatMap(({ role }, index) => (role === 'out' ? [] : [index]));
  return Object.fromEntries(
    places.map((index, place) => [`teamMembers.${place}.userId`, `teamMembers.${index}.userId` as const]),
  );
}
