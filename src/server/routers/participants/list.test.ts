import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TournamentUncheckedCreateInput } from '@/generated/prisma/models';
import { makeMember, makeProject, makeTournament, makeUser } from '@/test/factories';
import { startTestServer, type TestServer } from '@/test/server';
import type { ListedParticipant } from './schema';

type List = { items: ListedParticipant[]; total: number; canManage?: boolean };

let api: TestServer;
beforeAll(async () => {
  api = await startTestServer();
});
afterAll(() => api.stop());

async function make(data: Partial<TournamentUncheckedCreateInput> = {}) {
  const { project, owner } = await makeProject();
  const organizer = await makeMember(project.id, 'ORGANIZER');
  const tournament = await makeTournament(project.id, data);
  const path = `/tournaments/${tournament.id}/participants`;
  return {
    ...tournament,
    owner,
    organizer,
    register: (bearer: string, body?: unknown) => api.post(`${path}/register`, { bearer, body }),
    list: (query = '', bearer?: string) => api.get<List>(`${path}${query}`, { bearer }),
  };
}

/** Every key in a value, however deep. */
function keysOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(keysOf);
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...keysOf(inner)]);
}

describe('the list', () => {
  async function filled() {
    const cup = await make({
      maxParticipants: 2,
      waitlistEnabled: true,
      customFields: [{ key: 'discord', label: 'Discord', type: 'text', required: false, visibility: 'organizers' }],
    });
    const players = await Promise.all(['Ada', 'Bob_1', 'Cy'].map((name) => makeUser({ name })));
    for (const player of players)
      await cup.register(player.bearer, { customFields: { discord: `secret-${player.name}` } });
    return { cup, players };
  }

  test('shows everyone the approved, and not one private field', async () => {
    const { cup, players } = await filled();
    const answer = await cup.list();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.body.items.map((item) => item.name)).toEqual(['Ada', 'Bob_1']);
    const allowed = ['items', 'total', 'page', 'limit', 'totalPages', 'hasNext', 'hasPrev'];
    const fields = [
      'id',
      'tournamentId',
      'userId',
      'type',
      'name',
      'seed',
      'status',
      'registrationStatus',
      'roster',
      'teamId',
    ];
    expect([...new Set(keysOf(answer.body))].sort()).toEqual([...allowed, ...fields].sort());
    expect(answer.text).not.toContain('secret');
    for (const player of players) expect(answer.text).not.toContain(player.email);
    for (const state of ['waitlisted', 'pending']) {
      expect((await cup.list(`?registrationStatus=${state}`)).body).toMatchObject({ items: [], total: 0 });
    }
  });

  test('tells a player which is theirs, and no more', async () => {
    const { cup, players } = await filled();
    const answer = await cup.list('', players[1]?.bearer);
    expect(answer.body.canManage).toBe(false);
    expect(answer.body.items.map((item) => [item.isMe, item.canManage])).toEqual([
      [false, false],
      [true, false],
    ]);
    expect(answer.text).not.toContain('secret');
    expect(answer.text).not.toContain('@');
  });

  test('shows who manages every state, answers and contact', async () => {
    const { cup, players } = await filled();
    const moderator = await makeMember(cup.projectId, 'MODERATOR');
    for (const { bearer } of [cup.owner, cup.organizer, moderator]) {
      const { body } = await cup.list('', bearer);
      expect([body.canManage, body.total]).toEqual([true, 3]);
      expect(body.items[2]).toMatchObject({
        name: 'Cy',
        registrationStatus: 'waitlisted',
        waitlistPosition: 1,
        customFields: { discord: 'secret-Cy' },
        contact: { email: players[2]?.email },
        canManage: true,
        isMe: false,
      });
    }
    const member = await makeMember(cup.projectId, 'MEMBER');
    expect((await cup.list('', member.bearer)).body).toMatchObject({ total: 2, canManage: false });
    const waiting = await cup.list('?registrationStatus=waitlisted', cup.owner.bearer);
    expect(waiting.body.items.map((item) => item.name)).toEqual(['Cy']);
  });

  test('is searched, filtered and paged', async () => {
    const { cup } = await filled();
    expect((await cup.list('?search=AD')).body.items.map((item) => item.name)).toEqual(['Ada']);
    expect((await cup.list('?search=_')).body.items.map((item) => item.name)).toEqual(['Bob_1']);
    expect((await cup.list('?search=%25')).body.items).toEqual([]);
    expect((await cup.list('?status=checked_in')).body.items).toEqual([]);
    expect((await cup.list('?limit=1&page=2')).body).toMatchObject({ total: 2, hasNext: false, hasPrev: true });
    expect((await cup.list('?limit=101')).status).toBe(400);
  });

  test('refuses a bad token rather than ignore it, and hides what is hidden', async () => {
    const { cup } = await filled();
    expect((await cup.list('', 'Bearer nonsense')).status).toBe(401);
    const hidden = await make({ visibility: 'private' });
    expect((await hidden.list()).status).toBe(404);
    expect((await hidden.list('', hidden.owner.bearer)).status).toBe(200);
  });
});
