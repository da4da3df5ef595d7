import { afterEach, expect, test } from 'vitest';
import { restorableFor } from '@/domain/teams/restoring';
import { env } from '@/env';
import { db } from '@/server/db';
import { freshEmail, lastEmail } from '@/test/email';
import { makeTeam, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();
const defaults = { ...env };
afterEach(() => void Object.assign(env, defaults));

const invite = (teamId: string, bearer: string, body: object) =>
  api.post<{ id: string; url: string | null }>(`/teams/${teamId}/members`, { bearer, body });
const statuses = (responses: { status: number }[]) => responses.map(({ status }) => status).sort();

async function makeCaptain(name?: string) {
  const captain = await makeUser({ name: 'Prize from evil.example' });
  const team = await makeTeam(captain, [], { name });
  return { captain, team, send: (body: object) => invite(team.id, captain.bearer, body) };
}

test('twenty invitations of a team are open at once, exactly', async () => {
  const { send } = await makeCaptain();
  const responses = await Promise.all(Array.from({ length: 32 }, () => send({ email: freshEmail() })));
  expect(statuses(responses)).toEqual([...Array(20).fill(201), ...Array(12).fill(409)]);
  expect(responses.find(({ status }) => status === 409)?.reason).toBe('QUOTA_EXCEEDED');
});

const used = async (bearer: string) => {
  const { items } = (await api.get<{ items: { quota: string; used: number }[] }>('/me/limits', { bearer })).body;
  return items.find(({ quota }) => quota === 'teams')?.used;
};

test('an account is in as many teams as allowed, exactly, created and joined ones together', async () => {
  env.TEAMS_PER_USER = 4;
  const player = await makeUser();
  const teams = await Promise.all(Array.from({ length: 4 }, () => makeCaptain()));
  const links = await Promise.all(teams.map(({ send }) => send({})));
  const tokens = links.map(({ body }) => body.url?.split('/').at(-1));
  const { bearer } = player;
  const join = (token?: string) => api.post('/team-invitations/accept', { bearer, body: { token } });
  const create = () => api.post<{ id: string }>('/teams', { bearer, body: { name: 'Night Owls' } });
  const answers = await Promise.all([...tokens.map(join), create(), create(), create(), create()]);
  const refused = answers.filter(({ status }) => status >= 300);
  expect(refused.map(({ status, reason }) => [status, reason])).toEqual(Array(4).fill([409, 'QUOTA_EXCEEDED']));
  expect(await db.teamMember.count({ where: { userId: player.id } })).toBe(4);
  expect(await used(bearer)).toBe(4);
  // Members of a team get the same response again.
  const member = await db.teamMember.findFirst({ where: { userId: player.id, role: 'player' } });
  const again = teams.findIndex(({ team }) => team.id === member?.teamId);
  if (again >= 0) expect((await join(tokens[again])).status).toBe(200);
});

test('a disbanded team counts until it can no longer be restored, or was disbanded by a takeover', async () => {
  env.TEAMS_PER_USER = 1;
  const { bearer, id } = await makeUser();
  const create = () => api.post<{ id: string }>('/teams', { bearer, body: { name: 'Night Owls' } });
  const team = (await create()).body;
  expect((await api.delete(`/teams/${team.id}`, { bearer })).status).toBe(200);
  expect((await create()).reason).toBe('QUOTA_EXCEEDED');
  await db.user.update({ where: { id }, data: { takenOverAt: new Date() } });
  expect(await used(bearer)).toBe(0);
  await db.user.update({ where: { id }, data: { takenOverAt: null } });
  expect(await used(bearer)).toBe(1);
  await db.team.update({ where: { id: team.id }, data: { disbandedAt: new Date(Date.now() - restorableFor) } });
  expect((await create()).status).toBe(201);
});

test('restoring what a takeover disbanded takes room, exactly, and what the captain disbanded has it', async () => {
  env.TEAMS_PER_USER = 2;
  const { bearer, id } = await makeUser();
  const create = () => api.post<{ id: string }>('/teams', { bearer, body: { name: 'Night Owls' } });
  const disband = (teamId: string) => api.delete(`/teams/${teamId}`, { bearer });
  const restore = (teamId: string) => api.post(`/teams/${teamId}/restore`, { bearer });
  const before = [(await create()).body.id, (await create()).body.id];
  for (const teamId of before) expect((await disband(teamId)).status).toBe(200);
  await db.user.update({ where: { id }, data: { takenOverAt: new Date() } });
  const own = (await create()).body.id;
  const answers = await Promise.all(before.map(restore));
  expect(statuses(answers)).toEqual([200, 409]);
  expect(answers.find(({ status }) => status === 409)?.reason).toBe('QUOTA_EXCEEDED');
  expect(await used(bearer)).toBe(2);
  expect((await disband(own)).status).toBe(200);
  expect((await restore(own)).status).toBe(200);
  expect(await used(bearer)).toBe(2);
});

test('a player gets five emails in an hour, invited by id or by address, and none with text of a captain', async () => {
  const player = await makeUser();
  const teams = await Promise.all(Array.from({ length: 16 }, () => makeCaptain('Win at evil.example')));
  const responses = await Promise.all(
    teams.map(({ send }, index) => send(index % 2 ? { userId: player.id } : { email: player.email })),
  );
  expect(statuses(responses)).toEqual(Array(16).fill(201));
  expect(await db.outgoingMail.count({ where: { recipient: player.email, foldedAt: null } })).toBe(5);
  const sent = await lastEmail(player.email);
  expect(`${sent.subject} ${sent.text} ${sent.html}`).not.toContain('evil');
});

test('a captain emails as many strangers in a day as allowed; a link is no email', async () => {
  env.STRANGER_EMAILS_PER_DAY = 2;
  const { send } = await makeCaptain();
  expect(statuses([await send({ email: freshEmail() }), await send({ email: freshEmail() })])).toEqual([201, 201]);
  const refused = await send({ email: freshEmail() });
  expect([refused.status, refused.reason]).toEqual([429, 'QUOTA_EXCEEDED']);
  expect((await send({})).status).toBe(201);
});

test('a block invites a person as often as allowed in a day, whatever its accounts, and another block as before', async () => {
  Object.assign(env, { TEAM_INVITATIONS_PER_BLOCK_PER_DAY: 2, TRUSTED_PROXIES: 1 });
  const player = await makeUser();
  const captains = await Promise.all(Array.from({ length: 5 }, () => makeCaptain()));
  const answers = await Promise.all(captains.slice(0, 4).map(({ send }) => send({ userId: player.id })));
  expect(statuses(answers)).toEqual([201, 201, 429, 429]);
  expect(answers.find(({ status }) => status === 429)?.reason).toBe('QUOTA_EXCEEDED');
  const [first, , , , last] = captains;
  expect((await first?.send({ userId: (await makeUser()).id }))?.status).toBe(201);
  const elsewhere = await api.post(`/teams/${last?.team.id}/members`, {
    bearer: last?.captain.bearer,
    body: { userId: player.id },
    headers: { 'x-forwarded-for': '198.51.100.7' },
  });
  expect(elsewhere.status).toBe(201);
  const rows = await db.teamInvitation.findMany({ where: { userId: player.id }, orderBy: { place: 'asc' } });
  expect(rows.map(({ place }) => place)).toEqual([0, 0, 1]);
  expect(new Set(rows.map(({ invitedFrom }) => invitedFrom)).size).toBe(2);
});

test('what is left of the emails to strangers does not tell who has an account', async () => {
  const { captain, send } = await makeCaptain();
  const unsubscribed = await makeUser();
  await db.user.update({ where: { id: unsubscribed.id }, data: { emailNotifications: false } });
  const used = async () => {
    const { items } = (await api.get<{ items: { quota: string; used: number }[] }>('/me/limits', captain)).body;
    return items.find(({ quota }) => quota === 'strangerEmails')?.used;
  };
  expect((await send({ email: freshEmail() })).status).toBe(201);
  expect(await used()).toBe(1);
  expect((await send({ email: unsubscribed.email })).status).toBe(201);
  expect(await used()).toBe(2);
});

test('nobody turns off the invitations to an address that they have not confirmed', async () => {
  const { send } = await makeCaptain();
  const unconfirmed = await makeUser();
  await db.user.update({ where: { id: unconfirmed.id }, data: { emailVerifiedAt: null } });
  expect((await api.patch('/me', { ...unconfirmed, body: { emailNotifications: false } })).status).toBe(200);
  expect((await send({ email: unconfirmed.email })).status).toBe(201);
  expect((await lastEmail(unconfirmed.email)).subject).toContain('invited');
});

test('a captain without a confirmed address invites nobody, and is emailed by nobody', async () => {
  const { captain, send } = await makeCaptain();
  const other = await makeCaptain();
  await db.user.update({ where: { id: captain.id }, data: { emailVerifiedAt: null } });
  expect((await send({ email: freshEmail() })).reason).toBe('EMAIL_NOT_CONFIRMED');
  expect((await send({})).reason).toBe('EMAIL_NOT_CONFIRMED');
  expect((await other.send({ userId: captain.id })).status).toBe(201);
  expect(await db.outgoingMail.count({ where: { recipient: captain.email } })).toBe(0);
});

test('the invitations of a captain end with their captaincy', async () => {
  const { captain, team, send } = await makeCaptain();
  const [heir, guest] = [await makeUser(), await makeUser()];
  await db.teamMember.create({ data: { teamId: team.id, userId: heir.id, role: 'player' } });
  const link = (await send({})).body.url?.split('/').at(-1) ?? '';
  const { id } = (await send({ userId: guest.id })).body;
  const accept = (body: object) => api.post('/team-invitations/accept', { bearer: guest.bearer, body });
  const handOver = await api.patch(`/teams/${team.id}/members/${heir.id}`, {
    bearer: captain.bearer,
    body: { role: 'captain' },
  });
  expect(handOver.status).toBe(200);
  expect((await accept({ invitationId: id })).reason).toBe('INVITATION_CLOSED');
  expect((await accept({ token: link })).reason).toBe('INVITATION_CLOSED');
  // Also one that nothing has revoked: the sender is asked for when it is accepted.
  await db.teamInvitation.updateMany({ where: { teamId: team.id }, data: { revokedAt: null } });
  expect((await accept({ invitationId: id })).reason).toBe('INVITATION_CLOSED');
  expect(await db.teamMember.count({ where: { teamId: team.id } })).toBe(2);
});
