import { newId } from '@/domain/ids';
import { repeatedNames } from '@/domain/participants/guests';
import { activeRegistrationStatuses } from '@/domain/participants/statuses';
import { nameKey } from '@/domain/text/name-key';
import type { RosterRole } from '@/generated/prisma/enums';
import type { Tx } from '@/server/db';
import { type Issue, maxIssues, refuse } from '@/server/errors';
import type { LockedTournament, TournamentContext } from '@/server/routers/participants/data';
import type { NewParticipant } from '@/server/routers/participants/data-additions';
import type { GuestInput } from './schema';

/** Keys of names that are compared for each new one in their tournament, which can have thousands; and their characters together. */
const knownKeys = new Map<string, string>();
let knownLength = 0;
const maxKnownLength = 8_000_000;

function keyOf(name: string): string {
  const known = knownKeys.get(name);
  if (known !== undefined) return known;
  const key = nameKey(name);
  if (knownLength > maxKnownLength) {
    knownKeys.clear();
    knownLength = 0;
  }
  knownKeys.set(name, key);
  knownLength += name.length + key.length;
  return key;
}

/**
 * Those of a tournament who may have one of these seeds, or be active with a name that has one of these keys: the database
 * compares plain names, which most are.
 */
function findSimilar(
  tx: Tx,
  tournamentId: string,
  { keys, seeds, except }: { keys: string[]; seeds: number[]; except: string | undefined },
): Promise<{ name: string; seed: number | null; isActive: boolean }[]> {
  return tx.$queryRaw`
    SELECT p."name", p."seed", p."isActive" FROM (
      SELECT x."name", x."seed", x."registrationStatus"::text = ANY(${activeRegistrationStatuses}) AS "isActive"
      FROM "participant" x WHERE x."tournamentId" = ${tournamentId} AND x."id" IS DISTINCT FROM ${except ?? null}) p
    WHERE p."seed" = ANY(${seeds}) OR (p."isActive" AND (
      lower(p."name" COLLATE "C") = ANY(${keys}) OR p."name" COLLATE "C" !~ '^[!-~]+( [!-~]+)*$'))`;
}

/** What guests are refused for by themselves: repetitions, and rosters that do not fit the tournament. */
function guestIssues(guests: readonly GuestInput[], tournament: TournamentContext, pathOf: (at: number) => string) {
  const issues: Issue[] = repeatedNames(guests.map(({ name }) => name)).map(({ at, first }) => ({
    path: `${pathOf(at)}name`,
    message: `“${guests[at]?.name}” is listed twice, at ${first + 1} and ${at + 1}.`,
  }));
  const seeds = new Set<number>();
  for (const [at, { seed, roster }] of guests.entries()) {
    // A response lists no more.
    if (issues.length >= maxIssues) break;
    if (seed !== undefined && seeds.has(seed)) {
      issues.push({ path: `${pathOf(at)}seed`, message: `Seed ${seed} is given twice.` });
    }
    if (seed !== undefined) seeds.add(seed);
    for (const repeated of repeatedNames((roster ?? []).map(({ name }) => name))) {
      issues.push({ path: `${pathOf(at)}roster.${repeated.at}.name`, message: 'This player is listed twice.' });
    }
    issues.push(...rosterIssue(roster, tournament, `${pathOf(at)}roster`));
  }
  return issues;
}

/**
 * What is wrong with the roster of a guest team. It may be smaller than the tournament asks for, because often only the
 * name of the team is known.
 * @param others how many players with an account are on it too
 */
export function rosterIssue(
  roster: GuestInput['roster'],
  { teamSize, rosterMax }: TournamentContext,
  path: string,
  others = 0,
): Issue[] {
  if (!roster || roster.length === 0) return [];
  if (teamSize === 1) return [{ path, message: 'Only teams have a roster, and this tournament is for individuals.' }];
  const size = roster.length + others;
  if (size <= rosterMax) return [];
  return [{ path, message: `A roster has at most ${rosterMax} players; this one has ${size}.` }];
}

/** The roster of a guest team: the captain first, then players up to the team size, then substitutes. */
export function guestRoster(
  roster: readonly { name: string }[],
  teamSize: number,
  { captain = true, others = 0 }: { captain?: boolean; others?: number } = {},
): { userId: null; name: string; role: RosterRole }[] {
  return roster.map(({ name }, at) => {
    const role = captain && at === 0 ? 'captain' : at + others < teamSize ? 'player' : 'substitute';
    return { userId: null, name, role };
  });
}

/**
 * Refuses names and seeds that other participants of the tournament have.
 * @param options.except a participant who may have them
 * @throws NAME_TAKEN, SEED_TAKEN
 */
export async function requireFree(
  tx: Tx,
  tournamentId: string,
  guests: readonly Pick<GuestInput, 'name' | 'seed'>[],
  { pathOf, except }: { pathOf: (at: number) => string; except?: string },
): Promise<void> {
  const keys = guests.map(({ name }) => nameKey(name));
  const seeds = guests.flatMap(({ seed }) => seed ?? []);
  const others = await findSimilar(tx, tournamentId, { keys, seeds, except });
  const names = new Set(others.flatMap(({ name, isActive }) => (isActive ? [keyOf(name)] : [])));
  const taken = guests.flatMap(({ name }, at) => (names.has(keys[at] ?? '') ? [{ name, at }] : []));
  if (taken.length > 0) {
    const list = taken.map(({ name }) => name);
    throw refuse('NAME_TAKEN', {
      message: `Already in this tournament: ${list.join(', ')}. Use names that tell participants apart.`,
      issues: taken.map(({ name, at }) => ({
        path: `${pathOf(at)}name`,
        message: `“${name}” is already in this tournament.`,
      })),
    });
  }
  const seeded = new Map(others.flatMap(({ seed, name }) => (seed === null ? [] : [[seed, name]])));
  const issues = guests.flatMap(({ seed }, at) =>
    seed !== undefined && seeded.has(seed)
      ? [{ path: `${pathOf(at)}seed`, message: `${seeded.get(seed)} already has seed ${seed}.` }]
      : [],
  );
  if (issues.length > 0) throw refuse('SEED_TAKEN', { message: issues[0]?.message, issues });
}

/**
 * Decides on guests for a locked tournament: all of them get a slot, or none is added.
 * @param pathOf the beginning of the path to a guest's fields in the request
 * @throws INVALID_STATE, VALIDATION_FAILED, NAME_TAKEN, SEED_TAKEN, ROSTER_FULL
 */
export async function planGuests(
  tx: Tx,
  { tournament, facts }: LockedTournament,
  guests: readonly GuestInput[],
  pathOf: (at: number) => string,
): Promise<NewParticipant[]> {
  if (!facts.beforeStart) {
    const message = 'Participants can be added until the tournament starts.';
    throw refuse('INVALID_STATE', { message });
  }
  const issues = guestIssues(guests, tournament, pathOf);
  if (issues.length > 0) throw refuse('VALIDATION_FAILED', { message: issues[0]?.message, issues });
  await requireFree(tx, tournament.id, guests, { pathOf });
  const free = tournament.maxParticipants - tournament.currentParticipants;
  if (guests.length > free) {
    const slots = free === 0 ? 'no slot is free' : free === 1 ? 'only 1 slot is free' : `only ${free} slots are free`;
    const sent = guests.length === 1 ? '1 participant was sent' : `${guests.length} participants were sent`;
    const message = `${sent}, and ${slots}. Nobody was added. Raise the maximum or remove a participant first.`;
    throw refuse('ROSTER_FULL', { message });
  }
  return guests.map(({ name, seed, roster }) => ({
    id: newId('prt'),
    userId: null,
    name,
    to: { registrationStatus: 'approved', status: 'registered' },
    previous: null,
    seed: seed ?? null,
    answers: {},
    roster: guestRoster(roster ?? [], tournament.teamSize),
  }));
}
