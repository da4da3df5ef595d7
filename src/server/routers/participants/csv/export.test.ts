import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { db } from '@/server/db';
import { makeMember, makeParticipants, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { hostTournament } from '@/test/tournaments';

const server = setupTestServer();

type Part = { csv: string; rows: number; total: number; next: string | null };

const rank = {
  key: 'rank',
  label: 'Rank',
  type: 'select',
  required: true,
  options: ['Gold', 'Iron'],
  visibility: 'organizers',
};

describe('an export', () => {
  test('has every participant, answers to all versions of the questions, and no formulas', async () => {
    const { id, owner, register } = await hostTournament(server, {
      customFields: [rank, { key: 'note', label: 'Name', type: 'text', required: false, visibility: 'public' }],
    });
    const player = await makeUser({ name: '=HYPERLINK("x")', email: 'export@players.test' });
    const body = { customFields: { rank: 'Gold', note: '@here' } };
    await register(player.bearer, body);
    await server.patch(`/tournaments/${id}`, {
      bearer: owner.bearer,
      body: { customFields: [{ ...rank, label: 'Your rank' }] },
    });
    const response = await server.get<Part>(`/tournaments/${id}/participants/export`, owner);
    expect(response.body).toMatchObject({ rows: 1, total: 1, next: null });
    expect(response.body.csv.startsWith('"Name","Type"')).toBe(true);
    const [header, line] = parse(response.body.csv) as string[][];
    expect(header?.slice(9)).toEqual(['Your rank', 'Name (note)']);
    expect(line?.[0]).toBe(`'=HYPERLINK("x")`);
    expect(line?.slice(1, 5)).toEqual(['individual', 'approved', 'registered', '']);
    expect(line?.slice(7)).toEqual(['export@players.test', '', 'Gold', "'@here"]);
  });

  test('has shorter parts where rosters may be long', async () => {
    const tournament = await hostTournament(server, { maxParticipants: 512, teamSize: 5, rosterMin: 5, rosterMax: 40 });
    const { id, owner } = tournament;
    await makeParticipants({ id, maxParticipants: 512, currentParticipants: 0 }, 260, {
      registrationStatus: 'pending',
    });
    const { body } = await server.get<Part>(`/tournaments/${id}/participants/export`, owner);
    expect(body).toMatchObject({ rows: 250, total: 260, next: expect.any(String) });
    const rest = await server.get<Part>(`/tournaments/${id}/participants/export?cursor=${body.next}`, owner);
    expect(rest.body).toMatchObject({ rows: 10, next: null });
  });

  test('is split into parts that make one file', async () => {
    const { id, owner } = await hostTournament(server, { maxParticipants: 10_000 });
    const users = Array.from({ length: 2_050 }, (_, index) => `usr_${id.slice(4)}${String(index).padStart(5, '0')}`);
    await db.user.createMany({ data: users.map((user) => ({ id: user, name: user, email: `${user}@players.test` })) });
    await db.participant.createMany({
      data: users.map((userId, index) => ({
        ...{ tournamentId: id, userId, name: userId, registrationStatus: 'pending' as const },
        id: `prt_${String(index).padStart(26, '0')}`,
      })),
    });
    let [csv, cursor, parts]: [string, string | null, number] = ['', '', 0];
    while (cursor !== null) {
      const query: string = cursor && `?cursor=${cursor}`;
      const { body } = await server.get<Part>(`/tournaments/${id}/participants/export${query}`, owner);
      csv += body.csv;
      cursor = body.next;
      parts += 1;
    }
    expect(parts).toBe(3);
    const rows = parse(csv) as string[][];
    expect(rows.slice(1).map(([name]) => name)).toEqual(users);
  }, 120_000);

  test('is for people who manage the tournament', async () => {
    const { project, id } = await hostTournament(server);
    const path = `/tournaments/${id}/participants/export`;
    expect(await server.get(path)).toMatchObject({ status: 401 });
    expect(await server.get(path, await makeUser())).toMatchObject({ status: 403 });
    expect(await server.get(path, await makeMember(project.id, 'MEMBER'))).toMatchObject({ status: 403 });
    const moderator = await makeMember(project.id, 'MODERATOR');
    expect(await server.get(path, moderator)).toMatchObject({ status: 200 });
    expect(await server.get(`${path}?cursor=1.x`, moderator)).toMatchObject({ status: 400, reason: 'INVALID_CURSOR' });
  });
});
