import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { env } from '@/env';
import { webhookFunctions } from '@/inngest/functions/webhooks';
import { db } from '@/server/db';
import { type Background, quiet, startBackground } from '@/test/background';
import { writeEmailsAbout } from '@/test/email';
import { makeProject, makeTeam, makeTournament, makeUser } from '@/test/factories';
import { until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';

let background: Background;
const api = setupTestServer();

beforeAll(async () => {
  background = await startBackground({ functions: webhookFunctions, logger: quiet });
});
afterAll(async () => {
  await background.stop();
});

/** The emails to an address, as files, once `count` of them were sent. */
async function inbox(to: string, count: number): Promise<string[]> {
  const where = { recipient: to, sentAt: { not: null } };
  await until(async () => (await db.outgoingMail.count({ where })) >= count);
  const sent = await db.outgoingMail.findMany({ where, orderBy: { createdAt: 'asc' }, select: { id: true } });
  return Promise.all(sent.map(({ id }) => readFile(path.join(env.LAUREL_DATA_DIR, 'mail', `${id}.eml`), 'utf8')));
}

/** The text of a quoted-printable part. */
const plain = (eml: string) =>
  eml.replace(/=\r?\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
const subjectOf = (eml: string) => /^Subject: (.*(?:\r?\n[ \t].*)*)/m.exec(eml)?.[1]?.replace(/\r?\n[ \t]/g, ' ');

const eventsOf = (tournamentId: string) =>
  db.domainEvent.findMany({
    where: { OR: [{ payload: { path: ['tournamentId'], equals: tournamentId } }, { aggregateId: tournamentId }] },
    orderBy: { sequence: 'asc' },
    select: { id: true, type: true },
  });

test('a participant is emailed about every decision on their registration, in their own time zone', async () => {
  const { project, owner } = await makeProject();
  const { id } = await makeTournament(project.id, {
    name: 'Winter Cup',
    requiresApproval: true,
    startDate: new Date('2036-01-15T18:00:00Z'),
  });
  const player = await makeUser({ name: 'Ada' });
  await db.user.update({ where: { id: player.id }, data: { timezone: 'Asia/Tokyo' } });
  const { body } = await api.post<{ id: string }>(`/tournaments/${id}/participants/register`, player);
  const staff = `/tournaments/${id}`;
  await api.patch(`${staff}/registrations/${body.id}/approve`, owner);
  await api.post(`${staff}/participants/${body.id}/disqualify`, {
    bearer: owner.bearer,
    body: { reason: 'Two accounts' },
  });
  await api.post(`${staff}/participants/${body.id}/reinstate`, owner);
  await api.delete(`${staff}/participants/${body.id}`, owner);

  const emails = await inbox(player.email, 5);
  expect(emails.map(subjectOf).sort()).toEqual([
    'Winter Cup: registration received',
    'Winter Cup: registration removed',
    'Winter Cup: you are back in',
    'Winter Cup: you are disqualified',
    'Winter Cup: you are in',
  ]);
  const find = (subject: string) => plain(emails.find((each) => subjectOf(each)?.endsWith(subject)) ?? '');
  expect(find('you are in')).toContain('The tournament starts Wed 16 Jan 2036, 03:00');
  expect(find('disqualified')).toContain('Reason: Two accounts');
  expect(find('received')).toMatch(/^List-Unsubscribe:\s+<.*\/api\/mail\/unsubscribe\?token=/m);
  expect(find('received')).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
});

test('a whole roster is emailed when it leaves the waitlist, and both players of a substitution', async () => {
  const { project, owner } = await makeProject();
  const { id } = await makeTournament(project.id, {
    name: 'Duo Cup',
    teamSize: 2,
    rosterMin: 2,
    rosterMax: 3,
    maxParticipants: 2,
    currentParticipants: 2,
    waitlistEnabled: true,
  });
  const [captain, teammate, other] = [await makeUser(), await makeUser(), await makeUser({ name: 'Cy' })];
  const teamMembers = [
    { userId: captain.id, role: 'captain' },
    { userId: teammate.id, role: 'player' },
  ];
  const registered = await api.post<{ id: string }>(`/tournaments/${id}/participants/register`, {
    bearer: captain.bearer,
    body: { teamName: 'Owls', teamMembers },
  });
  expect(registered.body).toMatchObject({ registrationStatus: 'waitlisted' });
  await inbox(teammate.email, 1);
  await api.post(`/tournaments/${id}/registrations/me/accept`, teammate);
  await api.patch(`/tournaments/${id}`, { bearer: owner.bearer, body: { maxParticipants: 3 } });
  expect((await inbox(teammate.email, 2)).map(subjectOf).sort()).toEqual([
    'Duo Cup: a slot opened up, and Owls is in',
    'You were added to a tournament on Laurel',
  ]);
  await inbox(captain.email, 2);

  await makeTeam(captain, [other]);
  const body = { substituteUserId: other.id, reason: 'Ill' };
  const substitution = `/tournaments/${id}/participants/${registered.body.id}/substitute`;
  expect((await api.post(substitution, { bearer: owner.bearer, body })).status).toBe(200);
  expect(subjectOf((await inbox(other.email, 1))[0] ?? '')).toBe('Duo Cup: you play for Owls');
  expect((await inbox(teammate.email, 3)).map(subjectOf)).toContain('Duo Cup: you no longer play for Owls');
  expect((await inbox(captain.email, 3)).map(subjectOf)).toContain('Duo Cup: Cy plays for Owls');
});

test('every participant of a cancelled tournament is emailed once, however often the event is relayed', async () => {
  const { project, owner } = await makeProject();
  const { id } = await makeTournament(project.id, { name: 'Off Cup' });
  const players = await Promise.all(Array.from({ length: 3 }, () => makeUser()));
  for (const player of players) await api.post(`/tournaments/${id}/participants/register`, player);
  await api.post(`/tournaments/${id}/cancel`, owner);
  for (const player of players) {
    expect((await inbox(player.email, 2)).map(subjectOf).sort()).toEqual(['Off Cup: cancelled', 'Off Cup: you are in']);
  }
  const events = await eventsOf(id);
  await writeEmailsAbout(events.map((event) => event.id));
  const recipient = { in: players.map(({ email }) => email) };
  expect(await db.outgoingMail.count({ where: { recipient } })).toBe(6);
});

test('unsubscribed and suspended players are not emailed, nor is one who cancelled; account emails are sent anyway', async () => {
  const { project } = await makeProject();
  const { id } = await makeTournament(project.id);
  const [unsubscribed, suspended, cancelled] = [await makeUser(), await makeUser(), await makeUser()];
  await db.user.update({ where: { id: unsubscribed.id }, data: { emailNotifications: false } });
  for (const player of [unsubscribed, suspended, cancelled])
    await api.post(`/tournaments/${id}/participants/register`, player);
  await api.post(`/tournaments/${id}/registrations/me/cancel`, cancelled);
  await db.user.update({ where: { id: suspended.id }, data: { suspendedAt: new Date() } });
  await writeEmailsAbout((await eventsOf(id)).map((event) => event.id));
  const to = (email: string) => db.outgoingMail.findMany({ where: { recipient: email }, select: { kind: true } });
  expect(await to(unsubscribed.email)).toEqual([]);
  expect(await to(cancelled.email)).toEqual([{ kind: 'participant.registered' }]);
  await api.post('/auth/forgot-password', { body: { email: unsubscribed.email } });
  await inbox(unsubscribed.email, 1);
});

test('a team invitation is emailed to subscribed players, with a link to unsubscribe', async () => {
  const [captain, subscribed, unsubscribed] = [await makeUser(), await makeUser(), await makeUser()];
  await db.user.update({ where: { id: unsubscribed.id }, data: { emailNotifications: false } });
  const { body } = await api.post('/teams', { bearer: captain.bearer, body: { name: 'Owls' } });
  for (const { id: userId } of [subscribed, unsubscribed]) {
    const invited = await api.post(`/teams/${body.id}/members`, { bearer: captain.bearer, body: { userId } });
    expect(invited.status).toBe(201);
  }
  expect(plain((await inbox(subscribed.email, 1))[0] ?? '')).toContain('/unsubscribe?token=');
  expect(await db.outgoingMail.count({ where: { recipient: unsubscribed.email } })).toBe(0);
});

test('disqualifying and reinstating in a loop emails a player ten times, and nobody with an unconfirmed address', async () => {
  const { project, owner } = await makeProject();
  const { id } = await makeTournament(project.id, { name: 'Loop Cup' });
  const [player, unconfirmed] = [await makeUser(), await makeUser()];
  await db.user.update({ where: { id: unconfirmed.id }, data: { emailVerifiedAt: null } });
  const register = ({ bearer }: { bearer: string }) =>
    api.post<{ id: string }>(`/tournaments/${id}/participants/register`, { bearer });
  const participants = [(await register(player)).body.id, (await register(unconfirmed)).body.id];
  for (let round = 0; round < 8; round += 1) {
    for (const participantId of participants) {
      const path = `/tournaments/${id}/participants/${participantId}`;
      const body = { reason: 'Open evil.example' };
      expect((await api.post(`${path}/disqualify`, { bearer: owner.bearer, body })).status).toBe(200);
      expect((await api.post(`${path}/reinstate`, { bearer: owner.bearer })).status).toBe(200);
    }
  }
  const to = (recipient: string, folded: boolean) =>
    db.outgoingMail.count({ where: { recipient, foldedAt: folded ? { not: null } : null } });
  await until(async () => (await to(player.email, true)) >= 6);
  // The player asked for the first one by registering.
  expect([await to(player.email, false), await to(player.email, true)]).toEqual([11, 6]);
  expect(await db.outgoingMail.count({ where: { recipient: unconfirmed.email } })).toBe(0);
});
