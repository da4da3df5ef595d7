import { describe, expect, test } from 'vitest';
import type { TournamentUncheckedCreateInput } from '@/generated/prisma/models';
import { db } from '@/server/db';
import { makeMember, makeProject, makeTournament, makeUser } from '@/test/factories';
import { follow } from '@/test/live';
import { setupTestServer } from '@/test/server';
import type { TournamentDetail } from './schema';

const api = setupTestServer();

const at = (hours: number) => new Date(Date.now() + hours * 3_600_000);
const asDraft = { status: 'DRAFT', publishedAt: null } as const;

async function make(data: Partial<TournamentUncheckedCreateInput> = {}) {
  const { project, owner } = await makeProject();
  const { bearer } = await makeMember(project.id, 'ORGANIZER');
  const { id } = await makeTournament(project.id, data);
  const act = (action: string, headers?: Record<string, string>) =>
    api.post<TournamentDetail & { message: string }>(`/tournaments/${id}/${action}`, { bearer, headers });
  return { id, project, owner, bearer, act };
}

async function eventsOf(tournamentId: string) {
  const rows = await db.domainEvent.findMany({ where: { aggregateId: tournamentId }, orderBy: { sequence: 'asc' } });
  return rows.map((row) => row.type);
}

describe('publishing', () => {
  test('shows the draft and opens registration, both said once', async () => {
    const { id, act } = await make(asDraft);
    const published = await act('publish');
    expect(published.status).toBe(200);
    expect(published.body).toMatchObject({ status: 'PUBLISHED', registrationOpen: true, version: 2 });
    expect(published.body.publishedAt).not.toBeNull();
    expect(await eventsOf(id)).toEqual(['tournament.published', 'registration.opened']);
    expect((await api.get(`/tournaments/${id}`)).status).toBe(200);
    const again = await act('publish');
    expect([again.status, again.reason, again.body.message]).toEqual([
      409,
      'INVALID_STATE',
      'The tournament is published.',
    ]);
  });

  test('says nothing of registration that opens later', async () => {
    const { id, act } = await make({ ...asDraft, registrationOpensAt: at(1) });
    expect((await act('publish')).body.registrationOpen).toBe(false);
    expect(await eventsOf(id)).toEqual(['tournament.published']);
  });

  test('happens once when asked ten times at once', async () => {
    const { id, act } = await make(asDraft);
    const answers = await Promise.all(Array.from({ length: 10 }, () => act('publish')));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array(9).fill(409)]);
    expect(await eventsOf(id)).toEqual(['tournament.published', 'registration.opened']);
  });

  test('needs a start that lies ahead, and the version that was read', async () => {
    const past = await make({ ...asDraft, startDate: at(-1) });
    expect((await past.act('publish')).reason).toBe('INVALID_STATE');
    const stale = await make(asDraft);
    expect((await stale.act('publish', { 'If-Match': '"7"' })).reason).toBe('VERSION_MISMATCH');
    expect((await stale.act('publish', { 'If-Match': '"1"' })).status).toBe(200);
  });
});

describe('calling off', () => {
  test.each(['DRAFT', 'PUBLISHED', 'IN_PROGRESS'] as const)('works from %s and ends everything', async (status) => {
    const { id, act } = await make({ status });
    const cancelled = await act('cancel');
    expect(cancelled.body).toMatchObject({ status: 'CANCELLED', registrationOpen: false, checkInOpen: false });
    expect(cancelled.body.cancelledAt).not.toBeNull();
    expect(await eventsOf(id)).toEqual(['tournament.cancelled']);
    for (const action of [
      'cancel',
      'publish',
      'registration/open',
      'registration/close',
      'check-in/open',
      'check-in/close',
    ]) {
      expect([(await act(action)).reason, action]).toEqual(['INVALID_STATE', action]);
    }
    const player = await makeUser();
    const late = await api.post(`/tournaments/${id}/participants/register`, { bearer: player.bearer });
    // A draft that was never published stays hidden.
    const expected = status === 'DRAFT' ? [404, 'NOT_FOUND'] : [409, 'REGISTRATION_CLOSED'];
    expect([late.status, late.reason]).toEqual(expected);
  });

  test('does not work once completed', async () => {
    const { act } = await make({ status: 'COMPLETED' });
    const refused = await act('cancel');
    expect([refused.status, refused.body.message]).toEqual([409, 'The tournament is completed.']);
  });
});

describe('registration by hand', () => {
  test('opens before its time and closes before its end, each said once', async () => {
    const { id, act } = await make({ registrationOpensAt: at(1), registrationClosesAt: at(2) });
    expect((await act('registration/close')).reason).toBe('INVALID_STATE');
    const opened = await act('registration/open');
    expect(opened.body.registrationOpen).toBe(true);
    expect(Date.parse(opened.body.registrationClosesAt ?? '')).toBeGreaterThan(Date.now());
    expect((await act('registration/open')).reason).toBe('INVALID_STATE');
    const player = await makeUser();
    expect((await api.post(`/tournaments/${id}/participants/register`, { bearer: player.bearer })).status).toBe(201);
    expect((await act('registration/close')).body.registrationOpen).toBe(false);
    expect((await act('registration/close')).reason).toBe('INVALID_STATE');
    expect(await eventsOf(id)).toEqual(['registration.opened', 'registration.closed']);
  });

  test('opens again after it closed, until the start', async () => {
    const { id, act } = await make({ registrationClosesAt: at(-1), registrationAnnounced: 'closed' });
    const opened = await act('registration/open');
    expect(opened.body).toMatchObject({ registrationOpen: true, registrationClosesAt: null });
    expect(await eventsOf(id)).toEqual(['registration.opened']);
  });

  test('happens once when several organizers press at once', async () => {
    const { id, act } = await make({ registrationOpensAt: at(1) });
    const answers = await Promise.all(Array.from({ length: 6 }, () => act('registration/open')));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(await eventsOf(id)).toEqual(['registration.opened']);
  });

  test.each<[string, Partial<TournamentUncheckedCreateInput>]>([
    ['a draft', asDraft],
    ['one whose start has passed', { startDate: at(-1) }],
    ['one in progress', { status: 'IN_PROGRESS' }],
  ])('is refused for %s', async (_name, data) => {
    const { act } = await make(data);
    const answers = [await act('registration/open'), await act('check-in/open')];
    expect(answers.map((answer) => [answer.status, answer.reason])).toEqual([
      [409, 'INVALID_STATE'],
      [409, 'INVALID_STATE'],
    ]);
  });
});

describe('check-in by hand', () => {
  test('opens and closes, and says that the tournament changed', async () => {
    const { id, act } = await make({ registrationAnnounced: 'opened' });
    expect((await act('check-in/close')).reason).toBe('INVALID_STATE');
    expect((await act('check-in/open')).body.checkInOpen).toBe(true);
    expect((await act('check-in/open')).reason).toBe('INVALID_STATE');
    expect((await act('check-in/close')).body.checkInOpen).toBe(false);
    const reopened = await act('check-in/open');
    expect(reopened.body).toMatchObject({ checkInOpen: true, checkInClosesAt: null });
    expect(await eventsOf(id)).toEqual(Array(3).fill('tournament.updated'));
  });
});

test('who may not organize may not press any of it', async () => {
  const { id, project } = await make();
  const moderator = await makeMember(project.id, 'MODERATOR');
  const stranger = await makeUser();
  const actions = ['publish', 'cancel', 'registration/open', 'registration/close', 'check-in/open', 'check-in/close'];
  for (const action of actions) {
    const path = `/tournaments/${id}/${action}`;
    const answers = await Promise.all([
      api.post(path, { bearer: moderator.bearer }),
      api.post(path, { bearer: stranger.bearer }),
      api.post(path),
    ]);
    expect([action, ...answers.map((answer) => answer.status)]).toEqual([action, 403, 403, 401]);
  }
  expect(await eventsOf(id)).toEqual([]);
});

describe('live notices', () => {
  const look = (id: string, bearer?: string) => {
    const input = encodeURIComponent(JSON.stringify({ json: { tournamentId: id } }));
    return follow(`${api.url}/api/trpc/tournaments.live?input=${input}`, bearer);
  };

  test('reach everyone who looks, and tell what happened but not to whom', async () => {
    const { id, act } = await make({ registrationOpensAt: at(1) });
    const page = await look(id);
    await page.until('live.resumed');
    await act('registration/open');
    await page.until('registration.opened');
    const player = await makeUser();
    await api.post(`/tournaments/${id}/participants/register`, { bearer: player.bearer });
    await page.until('participant.registered');
    expect(page.text()).not.toContain(player.id);
  });

  test('are refused for a draft, but to its project', async () => {
    const { id, owner } = await make(asDraft);
    const outside = await look(id);
    await outside.until('NOT_FOUND');
    expect(outside.text()).not.toMatch(/"type":"[a-z._]+"/);
    const inside = await look(id, owner.bearer);
    await inside.until('live.resumed');
  });

  test('of a private tournament end for who left the project', async () => {
    const { id, project, owner } = await make({ visibility: 'private' });
    const member = await makeMember(project.id, 'MEMBER');
    const page = await look(id, member.bearer);
    await page.until('live.resumed');
    await api.delete(`/projects/${project.id}/members/${member.id}`, { bearer: owner.bearer });
    await api.post(`/tournaments/${id}/participants/register`, { bearer: owner.bearer });
    await page.until('NOT_FOUND');
    expect(page.text()).not.toContain('participant.registered');
  });
});

test('a suspended member sees what outsiders see', async () => {
  const { id, project } = await make({ visibility: 'private' });
  const member = await makeMember(project.id, 'ORGANIZER');
  const read = (path: string) => api.get(`/tournaments/${id}${path}`, { bearer: member.bearer });
  expect((await read('')).status).toBe(200);
  await db.user.update({ where: { id: member.id }, data: { suspendedAt: new Date() } });
  for (const path of ['', '/participants', '/registration/form']) {
    expect([path, (await read(path)).status]).toEqual([path, 404]);
  }
});
