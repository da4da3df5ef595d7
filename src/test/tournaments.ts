import type { TournamentUncheckedCreateInput } from '@/generated/prisma/models';
import { db } from '@/server/db';
import type { ListedParticipant, Registration } from '@/server/routers/participants/schema';
import { makeMember, makeProject, makeTournament, makeUser } from '@/test/factories';
import type { TestServer } from '@/test/server';

/** The parts of an error response that tests read. */
export type ErrorBody = { message: string; error: { issues?: { path: string; message: string }[] } };

/** A time `hours` from now, or before now. */
export const hoursFromNow = (hours: number) => new Date(Date.now() + hours * 3_600_000);

/** Status and error code of a response, to compare both at once. */
export const refusalOf = (response: { status: number; reason: string | undefined }) => [
  response.status,
  response.reason,
];

/** The types of a project's events, oldest first. */
export async function projectEvents(projectId: string): Promise<string[]> {
  const rows = await db.domainEvent.findMany({ where: { projectId }, orderBy: { sequence: 'asc' } });
  return rows.map((row) => row.type);
}

/** The types of the events about one tournament itself, oldest first. */
export async function tournamentEvents(tournamentId: string): Promise<string[]> {
  const rows = await db.domainEvent.findMany({ where: { aggregateId: tournamentId }, orderBy: { sequence: 'asc' } });
  return rows.map((row) => row.type);
}

/** A tournament in its own project, with the owner, an organizer, and the requests of its participants. */
export async function hostTournament(api: TestServer, data: Partial<TournamentUncheckedCreateInput> = {}) {
  const { project, owner } = await makeProject();
  const organizer = await makeMember(project.id, 'ORGANIZER');
  const tournament = await makeTournament(project.id, data);
  const path = `/tournaments/${tournament.id}`;
  return {
    ...tournament,
    ...{ project, owner, organizer, path },
    register: (bearer: string, body?: unknown) =>
      api.post<Registration & ErrorBody>(`${path}/participants/register`, { bearer, body }),
    mine: (bearer?: string) => api.get<Registration & ErrorBody>(`${path}/registrations/me`, { bearer }),
    edit: (bearer: string, body: unknown, headers?: Record<string, string>) =>
      api.patch<Registration & ErrorBody>(`${path}/registrations/me`, { bearer, body, headers }),
    cancel: (bearer: string) => api.post<Registration & ErrorBody>(`${path}/registrations/me/cancel`, { bearer }),
    checkIn: (bearer: string) => api.post<Registration & ErrorBody>(`${path}/participants/checkin/me`, { bearer }),
    list: (query = '', bearer?: string) =>
      api.get<{ items: ListedParticipant[]; total: number; canManage?: boolean }>(`${path}/participants${query}`, {
        bearer,
      }),
    /** Changes columns directly. */
    set: (change: Partial<TournamentUncheckedCreateInput>) =>
      db.tournament.update({ where: { id: tournament.id }, data: change }),
    /** The number of taken slots. */
    taken: async () => (await db.tournament.findUniqueOrThrow({ where: { id: tournament.id } })).currentParticipants,
  };
}

type Person = { id: string };

/** A member of a roster, as requests send it. */
export const rosterMember = (role: 'captain' | 'player' | 'substitute', { id }: Person) => ({ userId: id, role });

/** The registration of a team. */
export const teamOf = (captain: Person, players: Person[], teamName = 'Night Owls') => ({
  teamName,
  teamMembers: [rosterMember('captain', captain), ...players.map((player) => rosterMember('player', player))],
});

/** A team tournament with one registered team: a captain, a player and a substitute. The outsider is on no roster. */
export async function hostTeam(api: TestServer, data: Partial<TournamentUncheckedCreateInput> = {}) {
  const cup = await hostTournament(api, { teamSize: 2, rosterMin: 2, rosterMax: 3, ...data });
  const moderator = await makeMember(cup.projectId, 'MODERATOR');
  const [captain, mate, bench, outsider] = await Promise.all([makeUser(), makeUser(), makeUser(), makeUser()]);
  const team = {
    teamName: 'Night Owls',
    teamMembers: [rosterMember('captain', captain), rosterMember('player', mate), rosterMember('substitute', bench)],
  };
  const { status, body } = await cup.register(captain.bearer, team);
  if (status !== 201) throw new Error(`The team could not register: ${body.message}`);
  return { ...cup, ...{ moderator, captain, mate, bench, outsider, team }, participantId: body.id };
}

/** A roster as pairs of user id and role. */
export const rosterOf = (body: { roster: { userId: string | null; role: string }[] }) =>
  body.roster.map(({ userId, role }) => [userId, role]);

/** The latest event of a project. */
export const lastEvent = (projectId: string) =>
  db.domainEvent.findFirstOrThrow({ where: { projectId }, orderBy: { sequence: 'desc' } });
