import { describe, expect, test } from 'vitest';
import { db } from '@/server/db';
import { makeMember, makeProject, makeTournament, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { hostTournament } from '@/test/tournaments';
import type { TournamentDetail, TournamentSummary } from './schema';

type List = { items: TournamentSummary[]; total: number; totalPages: number; hasNext: boolean; hasPrev: boolean };

const api = setupTestServer();

describe('reading a tournament', () => {
  test('only members can see a draft', async () => {
    const { owner, ...tournament } = await hostTournament(api, { status: 'DRAFT' });
    const stranger = await makeUser();
    for (const key of [tournament.id, tournament.slug]) {
      expect((await api.get(`/tournaments/${key}`)).status).toBe(404);
      expect((await api.get(`/tournaments/${key}`, { bearer: stranger.bearer })).status).toBe(404);
      expect((await api.get(`/tournaments/${key}`, { bearer: owner.bearer })).status).toBe(200);
    }
  });

  test('everyone can read a published tournament by id and slug, an unlisted one by link, and members a private one', async () => {
    const { project, owner } = await makeProject();
    const shown = await makeTournament(project.id);
    const unlisted = await makeTournament(project.id, { visibility: 'unlisted' });
    const hidden = await makeTournament(project.id, { visibility: 'private' });
    const statuses = async (key: string, bearer?: string) => (await api.get(`/tournaments/${key}`, { bearer })).status;
    expect(await Promise.all([statuses(shown.id), statuses(shown.slug), statuses(unlisted.slug)])).toEqual([
      200, 200, 200,
    ]);
    expect([await statuses(hidden.id), await statuses(hidden.id, owner.bearer)]).toEqual([404, 200]);
    const list = await api.get<List>(`/tournaments?project=${project.slug}`);
    expect(list.body.items.map((item) => item.id)).toEqual([shown.id]);
  });

  test('says whether the caller may manage it, and what is open now', async () => {
    const { project, owner } = await makeProject();
    const { id } = await makeTournament(project.id, { checkInOpensAt: new Date(Date.now() - 1_000) });
    const anonymous = await api.get<TournamentDetail>(`/tournaments/${id}`);
    expect(anonymous.body).toMatchObject({ canManage: false, registrationOpen: true, checkInOpen: true });
    expect(Math.abs(Date.parse(anonymous.body.serverTime) - Date.now())).toBeLessThan(5_000);
    const mine = await api.get<TournamentDetail>(`/tournaments/${id}`, { bearer: owner.bearer });
    expect(mine.body.canManage).toBe(true);
  });

  test('a cancelled draft stays hidden from outsiders', async () => {
    const { organizer, ...tournament } = await hostTournament(api, { status: 'DRAFT' });
    const { bearer } = organizer;
    expect((await api.post(`/tournaments/${tournament.id}/cancel`, { bearer })).status).toBe(200);
    expect((await api.get(`/tournaments/${tournament.id}`)).status).toBe(404);
    const stranger = await makeUser();
    expect((await api.post(`/tournaments/${tournament.id}/publish`, { bearer: stranger.bearer })).status).toBe(404);
  });
});

test('a suspended member sees what outsiders see', async () => {
  const { id, project } = await hostTournament(api, { visibility: 'private' });
  const member = await makeMember(project.id, 'ORGANIZER');
  const read = (path: string) => api.get(`/tournaments/${id}${path}`, { bearer: member.bearer });
  expect((await read('')).status).toBe(200);
  await db.user.update({ where: { id: member.id }, data: { suspendedAt: new Date() } });
  for (const path of ['', '/participants', '/registration/form']) {
    expect([path, (await read(path)).status]).toEqual([path, 404]);
  }
});
