import { describe, expect, test } from 'vitest';
import { db } from '@/server/db';
import { waitlistPositions } from '@/server/routers/participants/data-waitlist';
import { makeMember, makeParticipants, makeProject, makeTournament, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();

async function make(data: Parameters<typeof makeTournament>[1] = {}) {
  const { project, owner } = await makeProject();
  const cup = await makeTournament(project.id, data);
  return { project, owner, cup, desk: api.trpc(owner.bearer).participants };
}

describe('the desk', () => {
  test('pages through all participants in the order of registration, with the possible actions', async () => {
    const { cup, desk } = await make({ maxParticipants: 4, waitlistEnabled: true });
    const ids = await makeParticipants(cup, 7);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof desk.desk.query>> = await desk.desk.query({
        tournamentId: cup.id,
        limit: 3,
        cursor,
      });
      seen.push(...page.items.map((row) => row.id));
      cursor = page.nextCursor;
    } while (cursor);
    expect(seen).toEqual(ids);
    const { items } = await desk.desk.query({ tournamentId: cup.slug });
    expect(items.map((row) => row.waitlistPosition)).toEqual([null, null, null, null, 1, 2, 3]);
    expect(items[0]?.actions).toEqual(['waitlist', 'check_in', 'disqualify', 'remove']);
    expect(items[6]?.actions).toEqual(['waitlist', 'remove']);
  });

  test('ends a page where the rosters on it become too many names', async () => {
    const { cup, desk } = await make({ teamSize: 5, rosterMax: 40, maxParticipants: 60 });
    const ids = await makeParticipants(cup, 60);
    await db.participant.updateMany({ where: { tournamentId: cup.id }, data: { type: 'team' } });
    await db.rosterMember.createMany({
      data: ids.flatMap((participantId) =>
        Array.from({ length: 40 }, (_, at) => ({
          ...{ participantId, tournamentId: cup.id, userId: null, name: `Guest ${at}`, role: 'player' as const },
        })),
      ),
    });
    for (const search of [undefined, 'guest']) {
      const first = await desk.desk.query({ tournamentId: cup.id, search });
      expect(first.items.reduce((sum, { players }) => sum + players.length, 0)).toBe(2_000);
      const rest = await desk.desk.query({ tournamentId: cup.id, search, cursor: first.nextCursor });
      expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(ids);
      expect(rest.nextCursor).toBeNull();
    }
  });

  test('counts waitlist positions over the whole waitlist, not just the page', async () => {
    const { cup, desk } = await make({ maxParticipants: 2, waitlistEnabled: true });
    const other = await makeTournament(cup.projectId, { maxParticipants: 2, waitlistEnabled: true });
    const ids = await makeParticipants(cup, 9);
    await makeParticipants(other, 9);
    const page = await desk.desk.query({ tournamentId: cup.id, limit: 5 });
    const next = await desk.desk.query({ tournamentId: cup.id, limit: 5, cursor: page.nextCursor });
    expect(next.items.map((row) => row.waitlistPosition)).toEqual([4, 5, 6, 7]);

    const waiting = await db.participant.findMany({
      where: { tournament: { projectId: cup.projectId }, registrationStatus: 'waitlisted' },
      orderBy: { waitlistOrder: 'asc' },
    });
    const asked = waiting.filter((_, index) => index % 3 === 2);
    const places = await waitlistPositions(db, [...asked].reverse());
    const queue = (tournamentId: string) => waiting.filter((row) => row.tournamentId === tournamentId);
    expect(asked.map((row) => places.get(row.id))).toEqual(
      asked.map((row) => queue(row.tournamentId).indexOf(row) + 1),
    );
    expect(new Set(asked.map((row) => row.tournamentId)).size).toBe(2);
    expect(await waitlistPositions(db, [{ id: ids[0] ?? '', waitlistOrder: null }])).toEqual(new Map());
  });

  test('filters by several states and finds players on rosters', async () => {
    const { cup, desk } = await make({ teamSize: 2, rosterMin: 2, rosterMax: 2 });
    const [captain, mate] = [await makeUser({ name: 'Ada 100%' }), await makeUser({ name: 'Bo Diddley' })];
    const teamMembers = [
      { userId: captain.id, role: 'captain' },
      { userId: mate.id, role: 'player' },
    ];
    const body = { teamName: 'Night Owls', teamMembers };
    await api.post(`/tournaments/${cup.id}/participants/register`, { bearer: captain.bearer, body });
    const find = async (search: string) => (await desk.desk.query({ tournamentId: cup.id, search })).items;
    for (const text of ['owl', 'DIDD', '100%']) expect(await find(text)).toHaveLength(1);
    for (const text of ['100_', 'nobody']) expect(await find(text)).toEqual([]);
    expect((await find('owl'))[0]).toMatchObject({ players: ['Ada 100%', 'Bo Diddley'], rosterSize: 2 });
    const states = (registrationStatus: ('approved' | 'pending' | 'rejected')[]) =>
      desk.desk.query({ tournamentId: cup.id, registrationStatus });
    expect((await states(['pending', 'approved'])).items).toHaveLength(1);
    expect((await states(['pending', 'rejected'])).items).toEqual([]);
  });

  test('offers a moderator their actions, and refuses members', async () => {
    const { project, cup } = await make();
    const [id] = await makeParticipants(cup, 1);
    const moderator = await makeMember(project.id, 'MODERATOR');
    const as = (bearer: string) => api.trpc(bearer).participants;
    const { items } = await as(moderator.bearer).desk.query({ tournamentId: cup.id });
    expect(items[0]?.actions).toEqual(['disqualify', 'remove']);
    const read = await as(moderator.bearer).read.query({ tournamentId: cup.id, participantId: id ?? '' });
    expect(read.actions).toEqual(['disqualify', 'remove']);
    const member = await makeMember(project.id, 'MEMBER');
    const stranger = await makeUser();
    for (const { bearer } of [member, stranger]) {
      await expect(as(bearer).desk.query({ tournamentId: cup.id })).rejects.toMatchObject({
        data: { reason: 'FORBIDDEN' },
      });
    }
  });

  test('refuses an invalid cursor', async () => {
    const { cup, desk } = await make();
    for (const cursor of [
      'nonsense',
      '2026-12-05T18:00:00.000Z',
      'x/y',
      '-271821-04-20T00:00:00.000Z/y',
      '0000-01-01T00:00:00Z/y',
    ]) {
      await expect(desk.desk.query({ tournamentId: cup.id, cursor })).rejects.toMatchObject({
        data: { reason: 'INVALID_CURSOR' },
      });
    }
  });
});
