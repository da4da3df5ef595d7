import { describe, expect, test } from 'vitest';
import type { TournamentUncheckedCreateInput } from '@/generated/prisma/models';
import { makeUser } from '@/test/factories';
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

describe('publishing', () => {
  test('makes the draft visible and opens registration, with one event each', async () => {
    const { id, act } = await setup(asDraft);
    const published = await act('publish');
    expect(published.status).toBe(200);
    expect(published.body).toMatchObject({ status: 'PUBLISHED', registrationOpen: true, version: 2 });
    expect(published.body.publishedAt).not.toBeNull();
    expect(await tournamentEvents(id)).toEqual(['tournament.published', 'registration.opened']);
    expect((await api.get(`/tournaments/${id}`)).status).toBe(200);
    const again = await act('publish');
    expect([again.status, again.reason, again.body.message]).toEqual([
      409,
      'INVALID_STATE',
      'The tournament is published.',
    ]);
  });

  test('emits no registration event when registration opens later', async () => {
    const { id, act } = await setup({ ...asDraft, registrationOpensAt: hoursFromNow(1) });
    expect((await act('publish')).body.registrationOpen).toBe(false);
    expect(await tournamentEvents(id)).toEqual(['tournament.published']);
  });

  test('happens once when requested ten times at once', async () => {
    const { id, act } = await setup(asDraft);
    const responses = await Promise.all(Array.from({ length: 10 }, () => act('publish')));
    expect(responses.map((response) => response.status).sort()).toEqual([200, ...Array(9).fill(409)]);
    expect(await tournamentEvents(id)).toEqual(['tournament.published', 'registration.opened']);
  });

  test('needs a start in the future and the current version', async () => {
    const past = await setup({ ...asDraft, startDate: hoursFromNow(-1) });
    expect((await past.act('publish')).reason).toBe('INVALID_STATE');
    const stale = await setup(asDraft);
    expect((await stale.act('publish', { 'If-Match': '"7"' })).reason).toBe('VERSION_MISMATCH');
    expect((await stale.act('publish', { 'If-Match': '"1"' })).status).toBe(200);
  });
});

describe('cancelling', () => {
  test.each(['DRAFT', 'PUBLISHED', 'IN_PROGRESS'] as const)(
    'is possible from %s and ends everything',
    async (status) => {
      const { id, act, register } = await setup({ status });
      const cancelled = await act('cancel');
      expect(cancelled.body).toMatchObject({ status: 'CANCELLED', registrationOpen: false, checkInOpen: false });
      expect(cancelled.body.cancelledAt).not.toBeNull();
      expect(await tournamentEvents(id)).toEqual(['tournament.cancelled']);
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
      const late = await register(player.bearer);
      // A draft that was never published stays hidden.
      const expected = status === 'DRAFT' ? [404, 'NOT_FOUND'] : [409, 'REGISTRATION_CLOSED'];
      expect(refusalOf(late)).toEqual(expected);
    },
  );

  test('is refused once the tournament is completed', async () => {
    const { act } = await setup({ status: 'COMPLETED' });
    const refused = await act('cancel');
    expect([refused.status, refused.body.message]).toEqual([409, 'The tournament is completed.']);
  });
});
