import { describe, expect, test } from 'vitest';
import { teamInvitationLifetime } from '@/domain/teams/invitations';
import { db } from '@/server/db';
import { freshEmail, lastEmail } from '@/test/email';
import { makeTeam, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';

type Invitation = { id: string; kind: string; email: string | null; status: string; role: string; url: string | null };
type Received = { id: string; team: { id: string; name: string }; role: string; invitedBy: string };
type Page<T> = { items: T[]; total: number };

const api = setupTestServer();

const tokenIn = (text: string | null) => /team-invitations\/([\w-]+)/.exec(text ?? '')?.[1] ?? '';
const emailedToken = async (recipient: string) => tokenIn((await lastEmail(recipient)).text);

async function make() {
  const captain = await makeUser({ name: 'Cap' });
  const team = await makeTeam(captain);
  const path = `/teams/${team.id}`;
  const { bearer } = captain;
  return {
    captain,
    team,
    path,
    invite: (body?: object) => api.post<Invitation>(`${path}/members`, { bearer, body }),
    open: async () => (await api.get<Page<Invitation>>(`${path}/invitations`, { bearer })).body.items,
    members: () => db.teamMember.findMany({ where: { teamId: team.id }, orderBy: { createdAt: 'asc' } }),
  };
}

const accept = (bearer: string, body: object) =>
  api.post<{ teamId: string; role: string }>('/team-invitations/accept', { bearer, body });
const decline = (bearer: string, body: object) => api.post('/team-invitations/decline', { bearer, body });
const received = async (bearer: string) =>
  (await api.get<Page<Received>>('/me/team-invitations', { bearer })).body.items;

describe('by address', () => {
  test('has the same response whether or not the address has an account', async () => {
    const { invite } = await make();
    const player = await makeUser();
    const shape = (response: { status: number; body: Invitation }) => {
      const { id: _id, email: _email, ...rest } = response.body;
      return [response.status, { ...rest, expiresAt: 0, createdAt: 0 }];
    };
    const [known, unknown] = [await invite({ email: player.email }), await invite({ email: freshEmail() })];
    expect(shape(known)).toEqual(shape(unknown));
    expect(known.body).toMatchObject({ kind: 'email', status: 'open', url: null, player: null });
  });

  test('is listed for the signed-in player, and opens with the link in the email', async () => {
    const { team, invite, members } = await make();
    const player = await makeUser();
    await invite({ email: player.email.toUpperCase(), role: 'substitute' });
    const [offer] = await received(player.bearer);
    expect(offer).toMatchObject({ team: { id: team.id, name: team.name }, role: 'substitute', invitedBy: 'Cap' });
    const token = await emailedToken(player.email);
    const preview = await api.trpc().teams.invitations.preview.query({ token });
    expect(preview).toMatchObject({ kind: 'email', email: player.email, status: 'open', team: { memberCount: 1 } });

    expect((await accept(player.bearer, { invitationId: offer?.id })).body).toEqual({
      teamId: team.id,
      name: team.name,
      role: 'substitute',
    });
    expect(await received(player.bearer)).toEqual([]);
    expect((await members()).at(-1)).toMatchObject({ userId: player.id, role: 'substitute' });
    // Once more, by the other way: already in, so nothing changes.
    expect((await accept(player.bearer, { token })).status).toBe(200);
    expect(await members()).toHaveLength(2);
  });

  test('is listed only for a confirmed address; its link confirms the address', async () => {
    const { invite } = await make();
    const player = await makeUser();
    await db.user.update({ where: { id: player.id }, data: { emailVerifiedAt: null } });
    const { body } = await invite({ email: player.email });
    expect(await received(player.bearer)).toEqual([]);
    expect((await accept(player.bearer, { invitationId: body.id })).status).toBe(404);
    const token = await emailedToken(player.email);
    const stranger = await makeUser();
    expect((await accept(stranger.bearer, { token })).reason).toBe('FORBIDDEN');
    expect((await decline(stranger.bearer, { token })).reason).toBe('FORBIDDEN');
    expect((await accept(player.bearer, { token })).status).toBe(200);
    expect((await db.user.findUniqueOrThrow({ where: { id: player.id } })).emailVerifiedAt).not.toBeNull();
  });

  test('lets someone without an account sign up with it', async () => {
    const { invite } = await make();
    const email = freshEmail();
    await invite({ email });
    const invitationToken = await emailedToken(email);
    const body = { email, name: 'New', password: 'long enough', invitationToken };
    expect((await api.post('/auth/register', { body })).status).toBe(201);
    expect((await db.user.findUniqueOrThrow({ where: { email } })).emailVerifiedAt).not.toBeNull();
  });

  test('is open once per team and address, and can be sent again after it expired or was declined', async () => {
    const { invite, open } = await make();
    const player = await makeUser();
    const { email } = player;
    const both = await Promise.all([invite({ email }), invite({ email })]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect((await invite({ email })).reason).toBe('ALREADY_INVITED');
    const first = both.find(({ status }) => status === 201)?.body.id;
    await db.teamInvitation.update({ where: { id: first }, data: { expiresAt: new Date() } });
    expect((await accept(player.bearer, { invitationId: first })).reason).toBe('INVITATION_CLOSED');
    const again = await invite({ email });
    expect(again.status).toBe(201);
    expect((await decline(player.bearer, { invitationId: again.body.id })).status).toBe(200);
    expect((await decline(player.bearer, { invitationId: again.body.id })).reason).toBe('INVITATION_CLOSED');
    expect(await open()).toEqual([]);
    expect((await invite({ email })).status).toBe(201);
    expect((await open()).map((row) => row.status)).toEqual(['open']);
  });
});

describe('to a player', () => {
  test('shows the captain their name and never their address', async () => {
    const { team, invite, open, members } = await make();
    const player = await makeUser({ name: 'Grace' });
    const made = await invite({ userId: player.id });
    expect(made.body).toMatchObject({ kind: 'player', email: null, player: { userId: player.id, name: 'Grace' } });
    expect(made.text).not.toContain('@');
    expect(JSON.stringify(await open())).not.toContain('@');
    expect((await lastEmail(player.email)).text).toContain('/me');
    expect(await emailedToken(player.email)).toBe('');
    expect((await invite({ userId: player.id })).reason).toBe('ALREADY_INVITED');

    const twice = await Promise.all([1, 2].map(() => accept(player.bearer, { invitationId: made.body.id })));
    expect(twice.map(({ status }) => status)).toEqual([200, 200]);
    expect(await members()).toHaveLength(2);
    expect((await invite({ userId: player.id })).reason).toBe('ALREADY_MEMBER');
    expect((await invite({ userId: 'usr_none' })).reason).toBe('VALIDATION_FAILED');
    expect((await invite({ userId: player.id, email: freshEmail() })).reason).toBe('VALIDATION_FAILED');
    expect((await invite({ userId: (await makeUser()).id, role: 'captain' })).status).toBe(400);
    expect(await db.auditEntry.count({ where: { targetId: team.id, action: 'team_invitation.accept' } })).toBe(1);
  });

  test('can be answered by nobody else', async () => {
    const { captain, invite } = await make();
    const [player, other] = await Promise.all([makeUser(), makeUser()]);
    const { body } = await invite({ userId: player.id });
    for (const { bearer } of [other, captain]) {
      expect((await accept(bearer, { invitationId: body.id })).status).toBe(404);
      expect((await decline(bearer, { invitationId: body.id })).status).toBe(404);
    }
    expect(await received(other.bearer)).toEqual([]);
    for (const response of [{}, { token: 'x', invitationId: body.id }]) {
      expect((await accept(player.bearer, response)).status).toBe(400);
    }
    expect((await accept(player.bearer, { token: 'guessed' })).reason).toBe('INVALID_TOKEN');
    expect((await api.post('/team-invitations/accept', { body: { invitationId: body.id } })).status).toBe(401);
  });

  test('closes when the same person accepts another invitation to the team', async () => {
    const { invite, open } = await make();
    const player = await makeUser();
    await invite({ userId: player.id });
    await invite({ email: player.email });
    expect(await received(player.bearer)).toHaveLength(2);
    const [offer] = await received(player.bearer);
    await accept(player.bearer, { invitationId: offer?.id });
    expect(await received(player.bearer)).toEqual([]);
    expect(await open()).toEqual([]);
  });
});

describe('by link', () => {
  test('lets everyone with the link join, until the captain creates another', async () => {
    const { invite, open, members } = await make();
    const first = await invite();
    expect(first.body).toMatchObject({ kind: 'link', email: null });
    const stored = await db.teamInvitation.findUniqueOrThrow({ where: { id: first.body.id } });
    expect(stored.tokenHash).not.toBe(tokenIn(first.body.url));
    expect(stored.expiresAt.getTime() - stored.createdAt.getTime()).toBeGreaterThan(teamInvitationLifetime - 60_000);
    const people = await Promise.all(Array.from({ length: 4 }, () => makeUser()));
    const token = tokenIn(first.body.url);
    const [a, b, c] = await Promise.all(people.slice(0, 3).map(({ bearer }) => accept(bearer, { token })));
    expect([a?.status, b?.status, c?.status]).toEqual([200, 200, 200]);
    expect(await members()).toHaveLength(4);
    expect((await decline(people[3]?.bearer ?? '', { token })).reason).toBe('INVALID_STATE');

    const second = await invite({ role: 'substitute' });
    expect((await open()).map(({ id }) => id)).toEqual([second.body.id]);
    expect((await accept(people[3]?.bearer ?? '', { token })).reason).toBe('INVITATION_CLOSED');
    expect((await api.trpc().teams.invitations.preview.query({ token })).status).toBe('revoked');
    const last = await accept(people[3]?.bearer ?? '', { token: tokenIn(second.body.url) });
    expect(last.body.role).toBe('substitute');
  });

  test('stops working when it is revoked, when it expires, and when the team is disbanded', async () => {
    const { captain, path, invite } = await make();
    const player = await makeUser();
    const made = await invite();
    const token = tokenIn(made.body.url);
    const remove = () => api.delete(`${path}/invitations/${made.body.id}`, { bearer: captain.bearer });
    const race = await Promise.all([accept(player.bearer, { token }), remove()]);
    expect([200, 409]).toContain(race[0].status);
    expect(race[1].status).toBe(200);
    expect((await remove()).status).toBe(404);
    const other = await makeUser();
    expect((await accept(other.bearer, { token })).reason).toBe('INVITATION_CLOSED');

    const next = await invite();
    await db.teamInvitation.update({ where: { id: next.body.id }, data: { expiresAt: new Date() } });
    expect((await accept(other.bearer, { token: tokenIn(next.body.url) })).reason).toBe('INVITATION_CLOSED');
    const last = await invite();
    await api.delete(path, { bearer: captain.bearer });
    expect((await accept(other.bearer, { token: tokenIn(last.body.url) })).reason).toBe('TEAM_DISBANDED');
  });

  test('does not let back in whom the captain removes; who leaves can come back', async () => {
    const { captain, path, invite, members } = await make();
    const player = await makeUser();
    const leave = (bearer: string) => api.delete(`${path}/members/${player.id}`, { bearer });
    const token = tokenIn((await invite()).body.url);
    await accept(player.bearer, { token });
    expect((await leave(player.bearer)).status).toBe(200);
    expect((await accept(player.bearer, { token })).status).toBe(200);
    // Sent to the address of a member, which is not known to be theirs.
    const { body } = await invite({ email: player.email });
    expect((await leave(captain.bearer)).status).toBe(200);
    const again = [{ token }, { token: await emailedToken(player.email) }, { invitationId: body.id }];
    for (const invitation of again) expect((await accept(player.bearer, invitation)).reason).toBe('INVITATION_CLOSED');
    expect(await members()).toHaveLength(1);
    expect((await invite({ userId: player.id })).status).toBe(201);
  });

  test('of one team cannot be revoked by the captain of another', async () => {
    const [one, two] = await Promise.all([make(), make()]);
    const made = await one.invite();
    const { bearer } = two.captain;
    expect((await api.delete(`${two.path}/invitations/${made.body.id}`, { bearer })).status).toBe(404);
    expect((await api.delete(`${one.path}/invitations/${made.body.id}`, { bearer })).status).toBe(403);
    expect(await one.open()).toHaveLength(1);
  });
});
