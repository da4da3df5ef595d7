import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { writeEmailsAbout } from '@/test/email';
import { makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { hostTeam, hostTournament } from '@/test/tournaments';

const api = setupTestServer();
const reason = 'Win at evil.example';

/** Kinds of the emails that a person got about everything of a type that happened in a project. */
async function emailsTo(email: string, projectId: string, type?: string): Promise<string[]> {
  const events = await db.domainEvent.findMany({ where: { projectId, type } });
  await writeEmailsAbout(events.map(({ id }) => id));
  return (await db.outgoingMail.findMany({ where: { recipient: email } })).map(({ kind }) => kind);
}

/** A team into which an organizer has put a stranger, with words of their own. */
async function withStranger() {
  const team = await hostTeam(api);
  const { path, participantId, mate, outsider, organizer } = team;
  const { bearer } = organizer;
  const body = { substituteUserId: outsider.id, replacedUserId: mate.id, reason };
  const done = await api.post(`${path}/participants/${participantId}/substitute`, { bearer, body });
  expect(done.status, done.text).toBe(200);
  return { ...team, bearer };
}

test('a stranger gets no words of an organizer who removes the team at once', async () => {
  const { path, participantId, project, outsider, captain, mate, bearer } = await withStranger();
  expect((await api.delete(`${path}/participants/${participantId}`, { bearer })).status).toBe(200);
  expect(await emailsTo(outsider.email, project.id)).toEqual([]);
  expect(await emailsTo(mate.email, project.id)).toEqual([]);
  expect(await emailsTo(captain.email, project.id)).toContain('participant.removed');
});

test('nor when they have left the roster before the email was written, or the captain has taken them off', async () => {
  const left = await withStranger();
  await api.post(`${left.path}/registrations/me/leave`, { bearer: left.outsider.bearer });
  expect(await emailsTo(left.outsider.email, left.project.id)).toEqual([]);

  const { captain, mate, outsider, edit, project } = await withStranger();
  const teamMembers = [captain, mate].map(({ id }, at) => ({ userId: id, role: at === 0 ? 'captain' : 'player' }));
  expect((await edit(captain.bearer, { teamMembers })).status).toBe(200);
  expect(await emailsTo(outsider.email, project.id)).toEqual([]);
});

test('nor does one whom an organizer imports and removes, whatever is written about first', async () => {
  const { path, project, organizer } = await hostTournament(api, { name: reason });
  const [player, { bearer }] = [await makeUser(), organizer];
  const body = { csv: `Email\n${player.email}` };
  const imported = await api.post<{ lines: { participantId: string }[] }>(`${path}/participants/import`, {
    bearer,
    body,
  });
  const [line] = imported.body.lines;
  expect((await api.delete(`${path}/participants/${line?.participantId}`, { bearer })).status).toBe(200);
  expect(await emailsTo(player.email, project.id, 'participant.registered')).toEqual([]);
  expect(await emailsTo(player.email, project.id)).toEqual([]);
});

test('a player who had accepted hears that they were replaced', async () => {
  const { path, participantId, project, captain, mate, outsider, organizer } = await hostTeam(api);
  await api.post(`${path}/registrations/me/accept`, { bearer: mate.bearer });
  const body = { substituteUserId: outsider.id, replacedUserId: mate.id, reason: 'Ill' };
  await api.post(`${path}/participants/${participantId}/substitute`, { bearer: organizer.bearer, body });
  expect(await emailsTo(mate.email, project.id)).toContain('participant.substituted');
  expect(await emailsTo(captain.email, project.id)).toContain('participant.substituted');
  expect(await emailsTo(outsider.email, project.id)).toEqual(['roster_notice']);
});
