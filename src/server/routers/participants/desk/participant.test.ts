import { describe, expect, test } from 'vitest';
import { db } from '@/server/db';
import { makeParticipants, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { hostTournament } from '@/test/tournaments';

const api = setupTestServer();

describe('the history', () => {
  test('lists what happened, who did it and why, newest first and in pages', async () => {
    const { owner, register, id: tournamentId } = await hostTournament(api, { requiresApproval: true });
    const desk = api.trpc(owner.bearer).participants;
    const player = await makeUser({ name: 'Ada' });
    const { body } = await register(player.bearer);
    const where = { tournamentId, participantId: body.id };
    await desk.approve.mutate(where);
    await desk.disqualify.mutate({ ...where, reason: 'Used a second account' });
    await desk.reinstate.mutate(where);
    const { items, nextCursor } = await desk.history.query(where);
    expect(items.map((item) => [item.type, item.actor.name, item.reason])).toEqual([
      ['participant.reinstated', owner.name, null],
      ['participant.disqualified', owner.name, 'Used a second account'],
      ['participant.approved', owner.name, null],
      ['participant.registered', 'Ada', null],
    ]);
    expect(items[1]).toMatchObject({
      status: 'disqualified',
      previous: { registrationStatus: 'approved', status: 'registered' },
    });
    expect(nextCursor).toBeNull();
    const first = await desk.history.query({ ...where, limit: 3 });
    const rest = await desk.history.query({ ...where, limit: 3, cursor: first.nextCursor ?? '' });
    expect([...first.items, ...rest.items]).toEqual(items);
    await expect(desk.history.query({ ...where, cursor: 'x' })).rejects.toMatchObject({
      data: { reason: 'INVALID_CURSOR' },
    });
  });

  test('is not found through another tournament', async () => {
    const cup = await hostTournament(api);
    const [id] = await makeParticipants(cup, 1);
    const other = await hostTournament(api);
    const desk = api.trpc(other.owner.bearer).participants;
    const where = { tournamentId: other.id, participantId: id ?? '' };
    for (const request of [desk.history.query(where), desk.read.query(where)]) {
      await expect(request).rejects.toMatchObject({ data: { reason: 'NOT_FOUND' } });
    }
    expect(await db.participant.count({ where: { id } })).toBe(1);
  });
});
