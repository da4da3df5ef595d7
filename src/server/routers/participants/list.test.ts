import { describe, expect, test } from 'vitest';
import type { TournamentUncheckedCreateInput } from '@/generated/prisma/models';
import { db } from '@/server/db';
import { makeMember, makeParticipants, makeProject, makeTournament, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import type { ListedParticipant } from './schema';

type List = { items: ListedParticipant[]; total: number; canManage?: boolean };

const api = setupTestServer();

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

/** All keys in a value, at any depth. */
function keysOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(keysOf);
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...keysOf(inner)]);
}

/** All primitive values in a value, at any depth. */
function leavesOf(value: unknown): unknown[] {
  if (value === null || typeof value !== 'object') return [value];
  return Object.values(value).flatMap(leavesOf);
}

const publicFields = [
  ...['id', 'tournamentId', 'userId', 'type', 'name', 'seed', 'status', 'registrationStatus', 'roster', 'teamId'],
];

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

  test('shows approved participants to everyone, without private fields', async () => {
    const { cup, players } = await filled();
    const answer = await cup.list();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.body.items.map((item) => item.name)).toEqual(['Ada', 'Bob_1']);
    const allowed = ['items', 'total', 'page', 'limit', 'totalPages', 'hasNext', 'hasPrev'];
    expect([...new Set(keysOf(answer.body))].sort()).toEqual([...allowed, ...publicFields].sort());
    expect(answer.text).not.toContain('secret');
    for (const player of players) expect(answer.text).not.toContain(player.email);
    for (const state of ['waitlisted', 'pending']) {
      expect((await cup.list(`?registrationStatus=${state}`)).body).toMatchObject({ items: [], total: 0 });
    }
  });

  test('never shows private columns to outsiders', async () => {
    const { cup, players } = await filled();
    const [ada] = players;
    const secret = (what: string) => `planted-${what}`;
    await db.participant.updateMany({
      where: { tournamentId: cup.id, userId: ada?.id },
      data: {
        ...{ statusReason: secret('reason'), decidedById: secret('decider'), status: 'disqualified' },
        standingBefore: { registrationStatus: secret('before') },
        customFields: { discord: secret('answer'), undone: secret('other') },
        ...{ customFieldsVersion: 987_654, version: 876_543, checkedInAt: new Date('2031-02-03T04:05:06.789Z') },
      },
    });
    const member = await makeMember(cup.projectId, 'MEMBER');
    const stranger = await makeUser();
    for (const bearer of [undefined, stranger.bearer, ada?.bearer, member.bearer]) {
      for (const query of ['', '?search=ada', '?sort=name', '?status=disqualified', '?limit=1']) {
        const answer = await cup.list(query, bearer);
        expect(answer.status).toBe(200);
        const values = JSON.stringify(leavesOf(answer.body));
        for (const hidden of ['planted', '987654', '876543', '2031', 'secret', '@'])
          expect(values).not.toContain(hidden);
        const shown = new Set(answer.body.items.flatMap((item) => Object.keys(item)));
        const allowed = bearer ? [...publicFields, 'canManage', 'isMe'] : publicFields;
        expect([...shown].filter((key) => !allowed.includes(key))).toEqual([]);
      }
    }
    const managed = await cup.list('?search=ada', cup.owner.bearer);
    expect(managed.body.items[0]).toMatchObject({ statusReason: secret('reason'), version: 876_543 });
    expect(managed.text).not.toContain(secret('before'));
  });

  test('marks the own participant for a player', async () => {
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

  test('shows every state, answers and contact to people who manage the tournament', async () => {
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

  test('can be searched, filtered and paged', async () => {
    const { cup } = await filled();
    expect((await cup.list('?search=AD')).body.items.map((item) => item.name)).toEqual(['Ada']);
    expect((await cup.list('?search=_')).body.items.map((item) => item.name)).toEqual(['Bob_1']);
    expect((await cup.list('?search=%25')).body.items).toEqual([]);
    expect((await cup.list('?status=checked_in')).body.items).toEqual([]);
    expect((await cup.list('?limit=1&page=2')).body).toMatchObject({ total: 2, hasNext: false, hasPrev: true });
    expect((await cup.list('?limit=101')).status).toBe(400);
    expect((await cup.list('?registrationStatus=none')).status).toBe(400);
    const names = async (query: string) =>
      (await cup.list(query, cup.owner.bearer)).body.items.map((item) => item.name);
    expect(await names('?registrationStatus=waitlisted&registrationStatus=approved')).toEqual(['Ada', 'Bob_1', 'Cy']);
    expect(await names('?registrationStatus=waitlisted&registrationStatus=pending')).toEqual(['Cy']);
    expect(await names('?status=registered&status=checked_in&sort=name&limit=2')).toEqual(['Ada', 'Bob_1']);
    // Outsiders who ask for several states only get approved participants.
    expect((await cup.list('?registrationStatus=waitlisted&registrationStatus=approved')).body.total).toBe(2);
  });

  test('refuses an invalid token, and hides drafts and private tournaments', async () => {
    const { cup } = await filled();
    expect((await cup.list('', 'Bearer nonsense')).status).toBe(401);
    const hidden = await make({ visibility: 'private' });
    expect((await hidden.list()).status).toBe(404);
    expect((await hidden.list('', hidden.owner.bearer)).status).toBe(200);
  });

  test('outsiders and staff see the same roster: the captain first, then in the order of adding', async () => {
    const cup = await make({ teamSize: 3, rosterMax: 40 });
    const captain = await makeUser({ name: 'Captain' });
    const [id = ''] = await makeParticipants(cup, 1, {});
    await db.participant.update({ where: { id }, data: { type: 'team' } });
    const began = Date.now();
    const guests = Array.from({ length: 12 }, (_, index) => ({
      role: 'player' as const,
      name: `Guest ${index}`,
      userId: null,
    }));
    const players = await Promise.all(Array.from({ length: 11 }, (_, index) => makeUser({ name: `Player ${index}` })));
    const named = players.map((player) => ({ role: 'substitute' as const, name: null, userId: player.id }));
    const rows = [...named, { role: 'captain' as const, name: null, userId: captain.id }, ...guests];
    await db.rosterMember.createMany({
      data: rows.map((row, index) => ({
        ...{ ...row, participantId: id, tournamentId: cup.id },
        // Some at once, and some earlier than those before them.
        createdAt: new Date(began - (index % 4) * 1000),
      })),
    });
    const [shown] = (await cup.list()).body.items;
    const [managed] = (await cup.list('', cup.organizer.bearer)).body.items;
    expect(shown?.roster).toHaveLength(24);
    expect(shown?.roster[0]?.name).toBe('Captain');
    expect(managed).toMatchObject({ ...shown });
  });
});
