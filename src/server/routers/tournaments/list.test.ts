import { describe, expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import type { Prisma } from '@/generated/prisma/client';
import { db } from '@/server/db';
import { makeMember, makeProject, makeTournament, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { countRowsRead, statementsOf, watchStatements } from '@/test/statements';
import { hoursFromNow } from '@/test/tournaments';
import { sharedFrom } from './list';
import type { TournamentSummary } from './schema';

type List = { items: TournamentSummary[]; total: number; totalPages: number; hasNext: boolean; hasPrev: boolean };

const api = setupTestServer();

describe('the public list', () => {
  test('can be filtered, searched by word prefix, sorted and paged', async () => {
    const { project } = await makeProject();
    await db.game.createMany({ data: [{ id: 'rl', name: 'Rocket League' }], skipDuplicates: true });
    const cup = await makeTournament(project.id, { name: 'Nordic Masters: Final', startDate: hoursFromNow(3) });
    const rl = await makeTournament(project.id, {
      name: 'Rocket Night',
      gameId: 'rl',
      startDate: hoursFromNow(2),
      format: 'swiss',
    });
    const over = await makeTournament(project.id, {
      name: 'Old Masters',
      startDate: hoursFromNow(-30),
      status: 'COMPLETED',
    });
    await makeTournament(project.id, { name: 'Masters draft', status: 'DRAFT', publishedAt: null });
    const list = async (query: string) => {
      const response = await api.get<List>(`/tournaments?project=${project.id}&${query}`);
      expect(response.status).toBe(200);
      return response.body;
    };
    const ids = async (query: string) => (await list(query)).items.map((item) => item.id);
    expect(await ids('')).toEqual([over.id, rl.id, cup.id]);
    expect(await ids('sort=-startDate')).toEqual([cup.id, rl.id, over.id]);
    expect(await ids('game=rl')).toEqual([rl.id]);
    expect(await ids('format=swiss')).toEqual([rl.id]);
    expect(await ids('status=COMPLETED')).toEqual([over.id]);
    expect(await ids('phase=past')).toEqual([over.id]);
    expect(await ids('phase=upcoming')).toEqual([rl.id, cup.id]);
    expect(await ids('phase=current')).toEqual([rl.id, cup.id]);
    expect(await ids(`from=${hoursFromNow(-40).toISOString()}&to=${hoursFromNow(2.5).toISOString()}`)).toEqual([
      over.id,
      rl.id,
    ]);
    expect(await ids(`from=${rl.startDate.toISOString()}&to=${cup.startDate.toISOString()}`)).toEqual([rl.id]);
    expect(await ids('search=mast')).toEqual([over.id, cup.id]);
    expect(await ids(`search=${encodeURIComponent("final: nordic & ' | !")}`)).toEqual([cup.id]);
    expect(await ids('search=aster')).toEqual([]);
    const page = await list('limit=2&page=2');
    expect(page).toMatchObject({ total: 3, totalPages: 2, hasNext: false, hasPrev: true });
    expect(page.items.map((item) => item.id)).toEqual([cup.id]);
    expect((await api.get('/tournaments?limit=101')).status).toBe(400);
    expect((await api.get('/tournaments?status=DRAFT')).status).toBe(400);
    expect((await api.get('/tournaments?from=tomorrow')).status).toBe(400);
  });

  test('finds tournaments with open registration and open check-in', async () => {
    const { project } = await makeProject();
    const open = await makeTournament(project.id, { name: 'open' });
    const waiting = await makeTournament(project.id, {
      maxParticipants: 2,
      currentParticipants: 2,
      waitlistEnabled: true,
    });
    await makeTournament(project.id, { maxParticipants: 2, currentParticipants: 2 });
    await makeTournament(project.id, { registrationOpensAt: hoursFromNow(1) });
    await makeTournament(project.id, { registrationClosesAt: hoursFromNow(-1) });
    await makeTournament(project.id, { startDate: hoursFromNow(-1) });
    const checkIn = await makeTournament(project.id, {
      registrationClosesAt: hoursFromNow(-1),
      checkInOpensAt: hoursFromNow(-1),
      startDate: hoursFromNow(1),
    });
    const list = async (phase: string) =>
      (await api.get<List>(`/tournaments?project=${project.id}&phase=${phase}`)).body.items;
    expect((await list('open')).map((item) => item.id).sort()).toEqual([open.id, waiting.id].sort());
    expect((await list('open')).every((item) => item.registrationOpen)).toBe(true);
    expect((await list('check_in')).map((item) => item.id)).toEqual([checkIn.id]);
    expect((await list('upcoming')).filter((item) => item.registrationOpen)).toHaveLength(3);
  });
});

describe('the total of a public list', () => {
  const format = 'double_elimination';
  const read = async (query: string) =>
    (await api.get<List>(`/tournaments?format=${format}&limit=1&${query}`)).body.total;
  const countsOf = async (run: () => Promise<unknown>) =>
    (await statementsOf(run)).filter((text) => text.includes('count(*)')).length;

  test('is exact where there are few, and counted once in a while for everybody where there are very many', async () => {
    const { project } = await makeProject();
    for (const total of [1, 2, 3]) {
      await makeTournament(project.id, { format });
      expect(await read('')).toBe(total);
    }
    const row = await db.tournament.findFirstOrThrow({ where: { projectId: project.id } });
    const { id: _id, slug: _slug, formatOptions, ...data } = row;
    const copies = Array.from({ length: sharedFrom }, () => newId('trn')).map((id) => ({ ...data, id, slug: id }));
    await db.tournament.createMany({ data: copies as Prisma.TournamentCreateManyInput[] });
    const total = await read('');
    expect(total).toBe(sharedFrom + 3);
    await makeTournament(project.id, { format });
    const both = () => Promise.all([read(''), read('')]);
    await both();
    const seen: number[][] = [];
    expect(await countsOf(async () => seen.push(await both()))).toBe(0);
    expect(seen).toEqual([[total + 1, total + 1]]);
    await makeTournament(project.id, { format });
    expect(await both()).toEqual([total + 1, total + 1]);
    // What hardly anybody else asks for is exact.
    expect(await read(`project=${project.id}`)).toBe(total + 2);
    expect(await read('from=2020-01-01T00:00:00Z')).toBe(total + 2);
    await db.tournament.deleteMany({ where: { id: { in: copies.map(({ id }) => id) } } });
  });

  test('comes with what a search finds, in one statement', async () => {
    const { project } = await makeProject();
    for (const name of ['Zebra one', 'Zebra two', 'Zebra three']) await makeTournament(project.id, { name });
    const search = async (query: string) => (await api.get<List>(`/tournaments?search=zebra&limit=1${query}`)).body;
    const statements = await statementsOf(async () =>
      expect(await search('&page=2')).toMatchObject({ total: 3, hasNext: true, hasPrev: true }),
    );
    expect(statements.filter((text) => text.includes('to_tsquery'))).toHaveLength(1);
    expect(await search('&page=4')).toMatchObject({ items: [], total: 3, hasNext: false });
  });
});

test('those that are checking in are found without reading those that have no check-in', async () => {
  const { project } = await makeProject();
  const { id } = await makeTournament(project.id);
  await db.$executeRaw`
    INSERT INTO "tournament" SELECT (jsonb_populate_record(t, jsonb_build_object('id', t."id" || n, 'slug', t."slug" || n))).*
    FROM "tournament" t CROSS JOIN generate_series(1, 1000) n WHERE t."id" = ${id}`;
  await db.$executeRaw`ANALYZE "tournament"`;
  const statements = await watchStatements(() => api.get('/tournaments?phase=check_in'));
  const found = statements.find(({ text }) => text.includes('"checkInOpensAt" <='));
  if (!found) throw new Error('nothing was read');
  expect(await countRowsRead('tournament', found)).toBeLessThan(100);
});

describe('the list of a project', () => {
  test('shows tournaments in any status with counts to members only', async () => {
    const { project } = await makeProject();
    const member = await makeMember(project.id, 'MEMBER');
    await makeTournament(project.id, { name: 'Alpha' });
    await makeTournament(project.id, { name: 'Beta', status: 'DRAFT', publishedAt: null });
    const list = await api.trpc(member.bearer).tournaments.forProject.query({ projectId: project.id, status: 'DRAFT' });
    expect(list.items.map((item) => item.name)).toEqual(['Beta']);
    expect(list.counts).toEqual({ DRAFT: 1, PUBLISHED: 1, IN_PROGRESS: 0, COMPLETED: 0, CANCELLED: 0 });
    const stranger = await makeUser();
    await expect(api.trpc(stranger.bearer).tournaments.forProject.query({ projectId: project.id })).rejects.toThrow(
      'This project does not exist',
    );
  });
});

test('the sitemap has what is listed publicly, latest start first, and is read once however many ask', async () => {
  const { project } = await makeProject();
  // Later than those of other tests.
  const at = (hours: number) => ({ startDate: hoursFromNow(1_000_000 + hours) });
  const first = await makeTournament(project.id, at(1));
  await makeTournament(project.id, { ...at(2), visibility: 'unlisted' });
  await makeTournament(project.id, { ...at(3), status: 'DRAFT', publishedAt: null });
  const last = await makeTournament(project.id, at(4));
  const statements = await statementsOf(async () => {
    const read = () => api.trpc().tournaments.sitemap.query();
    const [listed] = await Promise.all([read(), read()]);
    expect(listed.slice(0, 2)).toEqual(
      [last, first].map(({ slug, updatedAt }) => ({ slug, updatedAt: updatedAt.toISOString() })),
    );
    await read();
  });
  expect(statements).toHaveLength(1);
});
