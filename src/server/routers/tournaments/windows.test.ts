import { describe, expect, test } from 'vitest';
import type { TournamentUncheckedCreateInput } from '@/generated/prisma/models';
import { makeMember, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { hostTournament, hoursFromNow, refusalOf, tournamentEvents } from '@/test/tournaments';
import type { TournamentDetail } from './schema';

const api = setupTestServer();

const asDraft = { status: 'DRAFT', publishedAt: null } as const;

async function setup(data: Partial<TournamentUncheckedCreateInput> = {}) {
  const cup = await hostTournament(api, data);
  const { bearer } = cup.organizer;
  const act = (action: string, headers?: Record<string, string>) =>
    api.post<TournamentDetail & { message: string }>(`${cup.path}/${action}`, { bearer, headers });
  return { ...cup, act };
}

describe('registration', () => {
  test('can be opened and closed early, with one event each', async () => {
    const { id, act, register } = await setup({
      registrationOpensAt: hoursFromNow(1),
      registrationClosesAt: hoursFromNow(2),
    });
    expect((await act('registration/close')).reason).toBe('INVALID_STATE');
    const opened = await act('registration/open');
    expect(opened.body.registrationOpen).toBe(true);
    expect(Date.parse(opened.body.registrationClosesAt ?? '')).toBeGreaterThan(Date.now());
    expect((await act('registration/open')).reason).toBe('INVALID_STATE');
    const player = await makeUser();
    expect((await register(player.bearer)).status).toBe(201);
    expect((await act('registration/close')).body.registrationOpen).toBe(false);
    expect((await act('registration/close')).reason).toBe('INVALID_STATE');
    expect(await tournamentEvents(id)).toEqual(['registration.opened', 'registration.closed']);
  });

  test('can be opened again after it closed', async () => {
    const { id, act } = await setup({ registrationClosesAt: hoursFromNow(-1), registrationAnnounced: 'closed' });
    const opened = await act('registration/open');
    expect(opened.body).toMatchObject({ registrationOpen: true, registrationClosesAt: null });
    expect(await tournamentEvents(id)).toEqual(['registration.opened']);
  });

  test('opens once when several organizers request it at once', async () => {
    const { id, act } = await setup({ registrationOpensAt: hoursFromNow(1) });
    const responses = await Promise.all(Array.from({ length: 6 }, () => act('registration/open')));
    expect(responses.filter((response) => response.status === 200)).toHaveLength(1);
    expect(await tournamentEvents(id)).toEqual(['registration.opened']);
  });

  test.each<[string, Partial<TournamentUncheckedCreateInput>]>([
    ['a draft', asDraft],
    ['a tournament whose start has passed', { startDate: hoursFromNow(-1) }],
    ['a tournament in progress', { status: 'IN_PROGRESS' }],
  ])('cannot be opened in %s', async (_name, data) => {
    const { act } = await setup(data);
    const responses = [await act('registration/open'), await act('check-in/open')];
    expect(responses.map((response) => refusalOf(response))).toEqual([
      [409, 'INVALID_STATE'],
      [409, 'INVALID_STATE'],
    ]);
  });
});

describe('check-in', () => {
  test('can be opened and closed, with tournament.updated events', async () => {
    const { id, act } = await setup({ registrationAnnounced: 'opened' });
    expect((await act('check-in/close')).reason).toBe('INVALID_STATE');
    expect((await act('check-in/open')).body.checkInOpen).toBe(true);
    expect((await act('check-in/open')).reason).toBe('INVALID_STATE');
    expect((await act('check-in/close')).body.checkInOpen).toBe(false);
    const reopened = await act('check-in/open');
    expect(reopened.body).toMatchObject({ checkInOpen: true, checkInClosesAt: null });
    expect(await tournamentEvents(id)).toEqual(Array(3).fill('tournament.updated'));
  });
});

test('only organizers can publish, cancel, and open or close registration and check-in', async () => {
  const { id, project } = await setup();
  const moderator = await makeMember(project.id, 'MODERATOR');
  const stranger = await makeUser();
  const actions = ['publish', 'cancel', 'registration/open', 'registration/close', 'check-in/open', 'check-in/close'];
  for (const action of actions) {
    const path = `/tournaments/${id}/${action}`;
    const responses = await Promise.all([
      api.post(path, { bearer: moderator.bearer }),
      api.post(path, { bearer: stranger.bearer }),
      api.post(path),
    ]);
    expect([action, ...responses.map((response) => response.status)]).toEqual([action, 403, 403, 401]);
  }
  expect(await tournamentEvents(id)).toEqual([]);
});
