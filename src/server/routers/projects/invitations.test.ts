import { afterEach, describe, expect, test } from 'vitest';
import { env } from '@/env';
import { db } from '@/server/db';
import { freshEmail, lastEmail } from '@/test/email';
import { makeMember, makeProject, makeTournament, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();
const defaults = { ...env };
afterEach(() => void Object.assign(env, defaults));

type Invitation = { id: string };
type Member = { bearer: string };
const invite = (projectId: string, by: Member, email: string, role = 'MEMBER') =>
  api.post<Invitation>(`/projects/${projectId}/members`, { bearer: by.bearer, body: { email, role } });
const accept = async (by: Member & { email: string }) => {
  const token = /invitations\/([\w-]+)/.exec((await lastEmail(by.email)).text)?.[1] ?? '';
  return api.post('/invitations/accept', { bearer: by.bearer, body: { token } });
};
const emailsTo = (recipient: string) => db.outgoingMail.count({ where: { recipient, foldedAt: null } });

describe('an invitation is worth as much as its sender', () => {
  test('an owner who was removed does not come back through one they sent', async () => {
    const { project, owner } = await makeProject();
    const [second, accomplice] = [await makeMember(project.id, 'OWNER'), await makeUser()];
    await invite(project.id, second, accomplice.email, 'OWNER');
    const removed = await api.delete(`/projects/${project.id}/members/${second.id}`, { bearer: owner.bearer });
    expect(removed.status).toBe(200);
    expect((await accept(accomplice)).reason).toBe('INVALID_TOKEN');
    const open = await api.get<{ total: number }>(`/projects/${project.id}/invitations`, { bearer: owner.bearer });
    expect(open.body.total).toBe(0);
    expect(await db.member.count({ where: { projectId: project.id } })).toBe(1);
  });

  test('a demotion revokes what the new role cannot grant, and only that', async () => {
    const { project, owner } = await makeProject();
    const [second, toOwner, toAdmin] = [await makeMember(project.id, 'OWNER'), await makeUser(), await makeUser()];
    await invite(project.id, second, toOwner.email, 'OWNER');
    await invite(project.id, second, toAdmin.email, 'ADMIN');
    const path = `/projects/${project.id}/members/${second.id}`;
    expect((await api.patch(path, { bearer: owner.bearer, body: { role: 'ADMIN' } })).status).toBe(200);
    expect((await accept(toOwner)).reason).toBe('INVALID_TOKEN');
    expect((await accept(toAdmin)).status).toBe(200);
  });

  test('accepting asks again whether the sender may still invite', async () => {
    const { project } = await makeProject();
    const [admin, guest, other] = [await makeMember(project.id, 'ADMIN'), await makeUser(), await makeUser()];
    await invite(project.id, admin, guest.email);
    await invite(project.id, admin, other.email);
    const key = { projectId_userId: { projectId: project.id, userId: admin.id } };
    await db.member.update({ where: key, data: { role: 'MEMBER' } });
    expect((await accept(guest)).reason).toBe('INVALID_TOKEN');
    await db.member.update({ where: key, data: { role: 'ADMIN' } });
    await db.user.update({ where: { id: admin.id }, data: { suspendedAt: new Date() } });
    expect((await accept(guest)).reason).toBe('INVALID_TOKEN');
    await db.user.update({ where: { id: admin.id }, data: { suspendedAt: null } });
    expect((await accept(guest)).status).toBe(200);
  });

  test('a removal and an acceptance at once leave no member whom nobody may have invited', async () => {
    const { project, owner } = await makeProject();
    const [second, accomplice] = [await makeMember(project.id, 'OWNER'), await makeUser()];
    await invite(project.id, second, accomplice.email, 'OWNER');
    const [removed, accepted] = await Promise.all([
      api.delete(`/projects/${project.id}/members/${second.id}`, { bearer: owner.bearer }),
      accept(accomplice),
    ]);
    expect(removed.status).toBe(200);
    // Accepted first, it counted; removed first, it did not.
    expect([200, 400]).toContain(accepted.status);
  });
});

describe('emails of invitations', () => {
  test('contain no text of the inviter', async () => {
    const { project, owner } = await makeProject({ name: 'Win at evil.example' });
    await db.user.update({ where: { id: owner.id }, data: { name: 'Prize from evil.example' } });
    const email = freshEmail();
    await invite(project.id, owner, email);
    const sent = await lastEmail(email);
    expect(`${sent.subject} ${sent.text} ${sent.html}`).not.toContain('evil');
    expect(sent.text).toContain('Your role would be Member');
  });

  test('one address gets half of its emails of an hour, from all projects together', async () => {
    const email = freshEmail();
    const projects = await Promise.all(Array.from({ length: 16 }, () => makeProject()));
    const responses = await Promise.all(projects.map(({ project, owner }) => invite(project.id, owner, email)));
    expect(responses.map(({ status }) => status)).toEqual(Array(16).fill(201));
    expect(await emailsTo(email)).toBe(5);
  });

  test('revoking and inviting again is counted each time', async () => {
    const { project, owner } = await makeProject();
    const email = freshEmail();
    for (let round = 0; round < 12; round += 1) {
      const made = await invite(project.id, owner, email);
      expect(made.status).toBe(201);
      await api.delete(`/projects/${project.id}/invitations/${made.body.id}`, { bearer: owner.bearer });
    }
    expect(await emailsTo(email)).toBe(5);
  });

  test('a person emails exactly as many strangers in a day as allowed, over all of their projects', async () => {
    env.STRANGER_EMAILS_PER_DAY = 8;
    const { project, owner } = await makeProject();
    const another = await makeProject();
    await db.member.create({ data: { projectId: another.project.id, userId: owner.id, role: 'ADMIN' } });
    const both = [project.id, another.project.id];
    const responses = await Promise.all(
      Array.from({ length: 16 }, (_, index) => invite(both[index % 2] ?? '', owner, freshEmail())),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([...Array(8).fill(201), ...Array(8).fill(429)]);
    const refused = responses.find(({ status }) => status === 429);
    expect(refused?.reason).toBe('QUOTA_EXCEEDED');
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(80_000);
  });

  test('a project does so too, over all of its members; those who registered there are no strangers', async () => {
    env.STRANGER_EMAILS_PER_DAY = 3;
    const { project, owner } = await makeProject();
    const [admin, player] = [await makeMember(project.id, 'ADMIN'), await makeUser()];
    const { id } = await makeTournament(project.id);
    await api.post(`/tournaments/${id}/participants/register`, { bearer: player.bearer });
    for (const by of [owner, owner, admin]) expect((await invite(project.id, by, freshEmail())).status).toBe(201);
    expect((await invite(project.id, admin, freshEmail())).status).toBe(429);
    expect((await invite(project.id, admin, player.email)).status).toBe(201);
  });

  test('whom staff have registered stays a stranger until they accept', async () => {
    env.STRANGER_EMAILS_PER_DAY = 1;
    const { project, owner } = await makeProject();
    const player = await makeUser();
    const { id } = await makeTournament(project.id);
    const body = { csv: `Email\n${player.email}` };
    const { bearer } = owner;
    const imported = await api.post(`/tournaments/${id}/participants/import`, { bearer, body });
    expect(imported.body).toMatchObject({ totals: { approved: 1 } });
    expect((await invite(project.id, owner, freshEmail())).status).toBe(201);
    expect((await invite(project.id, owner, player.email)).status).toBe(429);
    await api.post(`/tournaments/${id}/registrations/me/accept`, { bearer: player.bearer });
    expect((await invite(project.id, owner, player.email)).status).toBe(201);
  });
});
