import { expect } from 'vitest';
import type { TournamentUncheckedCreateInput } from '@/generated/prisma/models';
import { signAccessToken } from '@/server/auth/bearer';
import { db } from '@/server/db';
import { makeMember, makeParticipants, makeProject, makeTournament, makeUser } from '@/test/factories';
import type { TestServer } from '@/test/server';
import type { BracketOutput, MatchOutput } from './schema';

/** A started tournament with its staff and players. */
export type Cup = Awaited<ReturnType<typeof startCup>>;

/** A published tournament with `count` participants who are seeded in their order. */
export async function makeCup(count: number, data: Partial<TournamentUncheckedCreateInput> = {}) {
  const { project, owner } = await makeProject();
  const organizer = await makeMember(project.id, 'ORGANIZER');
  const moderator = await makeMember(project.id, 'MODERATOR');
  const tournament = await makeTournament(project.id, { maxParticipants: Math.max(count, 2), ...data });
  const participantIds = await makeParticipants(tournament, count);
  await db.$executeRaw`
    UPDATE "participant" p SET "seed" = o.place
    FROM unnest(${participantIds}::text[]) WITH ORDINALITY AS o(id, place) WHERE p."id" = o.id`;
  return {
    project,
    owner,
    organizer,
    moderator,
    tournamentId: tournament.id,
    participantIds,
    stranger: await makeUser(),
  };
}

/** `makeCup`, started over REST. */
export async function startCup(api: TestServer, count: number, data: Partial<TournamentUncheckedCreateInput> = {}) {
  const cup = await makeCup(count, data);
  const started = await api.post(`/tournaments/${cup.tournamentId}/start`, { bearer: cup.organizer.bearer });
  expect(started.status, started.text).toBe(200);
  const bearers = new Map<string, string>();

  /** The Bearer value of a participant. */
  async function bearerOf(participantId: string | null | undefined): Promise<string> {
    if (!participantId) throw new Error('nobody is in this slot');
    const known = bearers.get(participantId);
    if (known) return known;
    const { userId } = await db.participant.findUniqueOrThrow({ where: { id: participantId } });
    const user = await db.user.update({ where: { id: userId ?? '' }, data: { emailVerifiedAt: new Date() } });
    const bearer = `Bearer ${await signAccessToken(user)}`;
    bearers.set(participantId, bearer);
    return bearer;
  }

  return { ...cup, bearerOf };
}

export async function readBracket(api: TestServer, tournamentId: string, bearer?: string): Promise<BracketOutput> {
  const answer = await api.get<BracketOutput>(`/tournaments/${tournamentId}/bracket`, { bearer });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

/** Every match of a bracket, in the order of numbers. */
export async function readMatches(api: TestServer, tournamentId: string, bearer?: string): Promise<MatchOutput[]> {
  const { stages } = await readBracket(api, tournamentId, bearer);
  return stages.flatMap(({ rounds }) => rounds.flatMap(({ matches }) => matches)).sort((a, b) => a.number - b.number);
}

/** Staff decides every open match, the better seed winning, until none is left. */
export async function playOut(api: TestServer, cup: Pick<Cup, 'tournamentId' | 'moderator'>): Promise<void> {
  for (;;) {
    const open = (await readMatches(api, cup.tournamentId)).filter(({ status }) => status === 'ready');
    if (open.length === 0) return;
    for (const match of open) {
      const [a, b] = match.slots;
      const winnerId = (a.seed ?? 0) < (b.seed ?? 0) ? a.participantId : b.participantId;
      const answer = await api.post(`/matches/${match.id}/resolve`, {
        bearer: cup.moderator.bearer,
        body: { winnerId },
      });
      expect(answer.status, answer.text).toBe(200);
    }
  }
}

/** Types of the domain events of a project, counted. */
export async function countEvents(projectId: string): Promise<Record<string, number>> {
  const events = await db.domainEvent.groupBy({ by: ['type'], where: { projectId }, _count: true });
  return Object.fromEntries(events.map(({ type, _count }) => [type, _count]));
}
