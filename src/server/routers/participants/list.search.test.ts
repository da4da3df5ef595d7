import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { db, pool } from '@/server/db';
import { makeMember, makeParticipants, makeProject, makeTournament } from '@/test/factories';
import { holdLock } from '@/test/locks';
import { until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';
import { watchStatements } from '@/test/statements';
import type { ListedParticipant } from './schema';

type Page = { items: ListedParticipant[]; total: number; hasNext: boolean };

const api = setupTestServer();

const words = ['Ada', 'ADAM', '50% off', 'a_b', 'back\\slash', 'Zoé', 'Cy'];

/** Teams with a player who has an account and a guest each, whose names are others than the team's. */
async function makeTeams(count: number, { guests = 1 } = {}) {
  const { project } = await makeProject();
  const organizer = await makeMember(project.id, 'ORGANIZER');
  const cup = await makeTournament(project.id, { teamSize: 2, maxParticipants: count });
  const ids = await makeParticipants(cup, count);
  await db.$executeRaw`
    UPDATE "participant" p SET "type" = 'team', "name" = (${words}::text[])[1 + n % 7] || ' ' || n, "seed" = CASE WHEN n % 3 > 0 THEN n + 1 END
    FROM unnest(${ids}::text[]) WITH ORDINALITY AS given(id, n) WHERE p."id" = given.id`;
  const accounts = ids.map((_, n) => ({ id: newId('usr'), name: `${words[(n + 1) % 7]} player` }));
  await db.user.createMany({ data: accounts.map((user) => ({ ...user, email: `${user.id}@players.test` })) });
  await db.rosterMember.createMany({
    data: ids.flatMap((participantId, n) => [
      { participantId, tournamentId: cup.id, role: 'captain' as const, userId: accounts[n]?.id, name: null },
      ...Array.from({ length: guests }, () => ({
        ...{ participantId, tournamentId: cup.id, role: 'player' as const, userId: null },
        name: `${words[(n + 3) % 7]} guest`,
      })),
    ]),
  });
  const list = async (query: Record<string, string | number>, bearer?: string) => {
    const given = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]));
    const { status, text, body } = await api.get<Page>(`/tournaments/${cup.id}/participants?${given}`, { bearer });
    expect(status, text).toBe(200);
    return body;
  };
  return { cup, organizer, list };
}

/** Statements that wait for a lock. */
async function waiting(): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(`
    SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`);
  return rows[0]?.count ?? 0;
}

test('large pages are read one at a time, and others meanwhile', async () => {
  const [large, small] = [await makeTeams(100, { guests: 9 }), await makeTeams(3)];
  const release = await holdLock('LOCK TABLE "user" IN ACCESS EXCLUSIVE MODE');
  const answers: Promise<Page>[] = [];
  const sent = await watchStatements(async () => {
    answers.push(...[1, 2, 3].map(() => large.list({ limit: 100 })));
    await until(async () => (await waiting()) > 0);
    answers.push(small.list({ limit: 100 }));
    await until(async () => (await waiting()) > 1);
  });
  expect(sent.filter(({ text }) => text.includes('json_agg'))).toHaveLength(2);
  await release();
  expect((await Promise.all(answers)).map(({ items }) => items.length)).toEqual([100, 100, 100, 3]);
});

const hasName = (search: string) => (item: ListedParticipant) =>
  [item.name, ...item.roster.map(({ name }) => name)].some((name) => name.toLowerCase().includes(search.toLowerCase()));

describe('a search of participants', () => {
  let teams: Awaited<ReturnType<typeof makeTeams>>;
  beforeAll(async () => {
    teams = await makeTeams(40);
  });

  test.each(['seed', 'name', 'registeredAt'])(
    'finds the names of teams, accounts and guests, in the order of the list, on every page: by %s',
    async (sort) => {
      const { list, organizer } = teams;
      for (const bearer of [undefined, organizer.bearer]) {
        const { items: all } = await list({ sort, limit: 100 }, bearer);
        expect(all).toHaveLength(40);
        for (const search of ['ada', '0% o', '_', '\\', 'zOÉ', 'guest', 'c', 'nobody']) {
          const expected = all.filter(hasName(search)).map(({ id }) => id);
          const found: string[] = [];
          for (let page = 1; page <= Math.ceil(expected.length / 15) + 1; page += 1) {
            const { items, total, hasNext } = await list({ sort, search, page, limit: 15 }, bearer);
            expect([search, total, hasNext]).toEqual([search, expected.length, page * 15 < expected.length]);
            found.push(...items.map(({ id }) => id));
          }
          expect([search, found]).toEqual([search, expected]);
        }
      }
    },
  );

  test('reads neither all accounts nor all rosters', async () => {
    const { cup, organizer, list } = await makeTeams(1_500);
    await db.$executeRaw`
      INSERT INTO "user" ("id", "name", "email", "updatedAt")
      SELECT 'usr_' || n, 'Player ' || n, n || '@players.test', now() FROM generate_series(1, 4000) n`;
    for (const table of ['user', 'participant', 'roster_member']) await pool.query(`ANALYZE "${table}"`);
    const sent = await watchStatements(async () => {
      await list({ search: 'nobody' });
      await list({ search: 'ada', page: 2 }, organizer.bearer);
      await api.trpc(organizer.bearer).participants.desk.query({ tournamentId: cup.id, search: 'nobody' });
    });
    const searches = sent.filter(({ text }) => /ILIKE|strpos/.test(text));
    for (const { text, values } of searches) {
      const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).not.toMatch(/Seq Scan on ("user"|roster_member)/);
      expect(plan).toMatch(/Index Scan using user_pkey/);
      // Its time grows with the product of what is searched for and the name.
      expect(text).not.toContain('LIKE');
    }
    expect(searches).toHaveLength(3);
  });
});
