import { describe, expect, test } from 'vitest';
import type { TournamentUncheckedCreateInput } from '@/generated/prisma/models';
import { db } from '@/server/db';
import type { ManagedParticipant } from '@/server/routers/participants/schema';
import { makeMember, makeParticipants, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { hostTournament, hoursFromNow, projectEvents, refusalOf } from '@/test/tournaments';

const api = setupTestServer();

const stateOf = ({ body }: { body: ManagedParticipant }) => [body.registrationStatus, body.status];

async function make(data: Partial<TournamentUncheckedCreateInput> = {}) {
  const cup = await hostTournament(api, { waitlistEnabled: true, ...data });
  const { project, organizer, path, set, taken } = cup;
  const { bearer } = organizer;
  const call = (method: string, rest: string, body?: unknown, headers?: Record<string, string>) =>
    api.call<ManagedParticipant>(method, `${path}/${rest}`, { bearer, body, headers });
  return {
    ...{ project, organizer, cup, set, taken, call },
    decide: (id: string, what: string, body?: unknown) => call('PATCH', `registrations/${id}/${what}`, body),
    act: (id: string, what: string, body?: unknown) => call('POST', `participants/${id}/${what}`, body),
    remove: (id: string) => call('DELETE', `participants/${id}`),
    desk: api.trpc(bearer).participants,
    addParticipants: async (count: number, more?: Parameters<typeof makeParticipants>[2]) =>
      makeParticipants(await db.tournament.findUniqueOrThrow({ where: { id: cup.id } }), count, more),
    stateInDb: async (id: string) => {
      const row = await db.participant.findUniqueOrThrow({ where: { id } });
      return [row.registrationStatus, row.status];
    },
    events: () => projectEvents(project.id),
  };
}

const one = ([id]: string[]) => id as string;
const reason = { reason: 'Used a second account' };

describe('approving', () => {
  test('takes a slot, emits an event and records who did it', async () => {
    const { project, organizer, cup, addParticipants, decide, taken } = await make({ requiresApproval: true });
    const id = one(await addParticipants(1, { registrationStatus: 'pending' }));
    const response = await decide(id, 'approve');
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({
      id,
      registrationStatus: 'approved',
      canManage: true,
      isMe: false,
      version: 2,
    });
    expect(response.body.approvedAt).toEqual(expect.any(String));
    expect(await taken()).toBe(1);
    const [event] = await db.domainEvent.findMany({ where: { projectId: project.id } });
    expect(event).toMatchObject({
      type: 'participant.approved',
      aggregateId: id,
      metadata: { actor: { type: 'user', id: organizer.id } },
      payload: { previous: { registrationStatus: 'pending', status: 'registered' } },
    });
    const audit = await db.auditEntry.findMany({ where: { targetId: id } });
    expect(audit).toMatchObject([
      { action: 'participant.approve', actorId: organizer.id, details: { tournamentId: cup.id } },
    ]);
  });

  test('emits registration.full for the last slot, and is refused after it', async () => {
    const { addParticipants, decide, events } = await make({ maxParticipants: 2 });
    const [first, second, third] = await addParticipants(3, { registrationStatus: 'pending' });
    for (const id of [first, second]) expect((await decide(id ?? '', 'approve')).status).toBe(200);
    expect(refusalOf(await decide(third ?? '', 'approve'))).toEqual([409, 'ROSTER_FULL']);
    expect(await events()).toEqual(['participant.approved', 'participant.approved', 'registration.full']);
  });

  test('and rejecting need a pending registration, and both can be undone', async () => {
    const { addParticipants, decide, desk, cup, stateInDb, taken } = await make({ requiresApproval: true });
    const id = one(await addParticipants(1, { registrationStatus: 'pending' }));
    const bulk = (action: 'reconsider') => desk.bulk.mutate({ tournamentId: cup.id, action, participantIds: [id] });
    const rejected = await decide(id, 'reject', { reason: 'Outside the region' });
    expect(rejected.body).toMatchObject({ registrationStatus: 'rejected', statusReason: 'Outside the region' });
    expect(refusalOf(await decide(id, 'approve'))).toEqual([409, 'INVALID_STATE']);
    expect(refusalOf(await decide(id, 'reject'))).toEqual([409, 'INVALID_STATE']);
    expect(await bulk('reconsider')).toEqual({ done: [id], refused: [] });
    const approved = await decide(id, 'approve');
    expect([...stateOf(approved), approved.body.statusReason]).toEqual(['approved', 'registered', null]);
    await bulk('reconsider');
    expect([await stateInDb(id), await taken()]).toEqual([['pending', 'registered'], 0]);
  });

  test('is refused for an outdated version', async () => {
    const { addParticipants, call } = await make();
    const id = one(await addParticipants(1, { registrationStatus: 'pending' }));
    const approve = (version: string) =>
      call('PATCH', `registrations/${id}/approve`, undefined, { 'If-Match': version });
    expect(refusalOf(await approve('"7"'))).toEqual([412, 'VERSION_MISMATCH']);
    expect((await approve('"1"')).status).toBe(200);
  });
});

describe('the waitlist', () => {
  test('gets new participants at its end, and their slot goes to the one who waited longest', async () => {
    const { addParticipants, decide, stateInDb, taken, events } = await make({ maxParticipants: 2 });
    const [a, b, c, d] = (await addParticipants(4)) as [string, string, string, string];
    const response = await decide(a, 'waitlist');
    expect([...stateOf(response), response.body.waitlistPosition]).toEqual(['waitlisted', 'registered', 2]);
    expect([await stateInDb(c), await stateInDb(d), await taken()]).toEqual([
      ['approved', 'registered'],
      ['waitlisted', 'registered'],
      2,
    ]);
    expect(await events()).toEqual(['participant.waitlisted', 'participant.approved']);
    expect((await decide(d, 'waitlist')).body.waitlistPosition).toBe(2);
    expect(refusalOf(await decide(a, 'promote'))).toEqual([409, 'ROSTER_FULL']);
    expect(refusalOf(await decide(b, 'promote'))).toEqual([409, 'INVALID_STATE']);
  });

  test('keeps participants that an organizer puts there, even with free slots, until one is promoted or another slot is freed', async () => {
    const { addParticipants, decide, remove, stateInDb, taken } = await make({ maxParticipants: 4 });
    const [a, b, c] = (await addParticipants(3)) as [string, string, string];
    expect(stateOf(await decide(a, 'waitlist'))).toEqual(['waitlisted', 'registered']);
    expect(stateOf(await decide(b, 'waitlist'))).toEqual(['waitlisted', 'registered']);
    expect([await stateInDb(a), await taken()]).toEqual([['waitlisted', 'registered'], 1]);
    expect(stateOf(await decide(b, 'promote'))).toEqual(['approved', 'registered']);
    await remove(c);
    expect([await stateInDb(a), await taken()]).toEqual([['approved', 'registered'], 2]);
  });

  test('accepts rejected, cancelled, disqualified and no-show participants, but not teams without a roster', async () => {
    const { addParticipants, act, decide } = await make();
    const [rejected, cancelled, disqualified, absent, team] = (await addParticipants(5)) as [
      string,
      ...string[],
    ] as string[];
    const put = (id: string | undefined, data: Parameters<typeof db.participant.update>[0]['data']) =>
      db.participant.update({ where: { id }, data });
    await put(rejected, { registrationStatus: 'rejected' });
    await put(cancelled, { registrationStatus: 'cancelled', status: 'withdrew', cancelledAt: new Date() });
    await put(absent, { status: 'no_show' });
    await put(team, { registrationStatus: 'cancelled', status: 'withdrew', type: 'team' });
    await act(disqualified ?? '', 'disqualify', reason);
    for (const id of [rejected, cancelled, disqualified, absent]) {
      expect(stateOf(await decide(id ?? '', 'waitlist'))).toEqual(['waitlisted', 'registered']);
    }
    expect(refusalOf(await decide(team ?? '', 'waitlist'))).toEqual([409, 'INVALID_STATE']);
    expect(stateOf(await decide(disqualified ?? '', 'promote'))).toEqual(['approved', 'registered']);
    const row = await db.participant.findUniqueOrThrow({ where: { id: disqualified } });
    expect([row.statusReason, row.standingBefore]).toEqual([null, null]);
  });

  test('moves up when the maximum is raised, and not when something else changes', async () => {
    const { cup, addParticipants, decide, call, stateInDb } = await make({ maxParticipants: 4 });
    const [a] = (await addParticipants(2)) as [string, string];
    await decide(a, 'waitlist');
    expect((await call('PATCH', '', { name: 'Renamed Cup' })).status).toBe(200);
    expect(await stateInDb(a)).toEqual(['waitlisted', 'registered']);
    await call('PATCH', '', { maxParticipants: cup.maxParticipants + 1 });
    expect(await stateInDb(a)).toEqual(['approved', 'registered']);
  });
});

describe('checking in', () => {
  const checkIn = ({ path }: { path: string }, id: string, bearer: string) =>
    api.post<ManagedParticipant>(`${path}/participants/${id}/checkin`, { bearer });

  test('works for organizers whether check-in is open or not, and without an anti-cheat client', async () => {
    const cup = await hostTournament(api, { requiresAntiCheat: true });
    const player = await makeUser();
    const { id } = (await cup.register(player.bearer)).body;
    const done = await checkIn(cup, id, cup.organizer.bearer);
    expect(done.body).toMatchObject({
      id,
      status: 'checked_in',
      canManage: true,
      isMe: false,
      contact: { email: player.email },
    });
    expect(refusalOf(await checkIn(cup, id, cup.organizer.bearer))).toEqual([409, 'ALREADY_CHECKED_IN']);
    expect(await db.auditEntry.count({ where: { targetId: id, action: 'participant.check_in' } })).toBe(1);
  });

  test('is for organizers of that tournament only', async () => {
    const cup = await hostTournament(api);
    const player = await makeUser();
    const { id } = (await cup.register(player.bearer)).body;
    const moderator = await makeMember(cup.projectId, 'MODERATOR');
    expect((await checkIn(cup, id, moderator.bearer)).status).toBe(403);
    expect((await checkIn(cup, id, player.bearer)).status).toBe(403);
    const other = await hostTournament(api);
    expect((await checkIn(other, id, other.organizer.bearer)).status).toBe(404);
    await db.tournament.update({ where: { id: cup.id }, data: { status: 'IN_PROGRESS' } });
    expect(refusalOf(await checkIn(cup, id, cup.organizer.bearer))).toEqual([409, 'INVALID_STATE']);
  });
});

describe('disqualifying', () => {
  test('needs a reason, frees slot and seed before the start, and can be undone completely', async () => {
    const { addParticipants, act, stateInDb, taken } = await make({ maxParticipants: 2 });
    const [a, b] = (await addParticipants(2)) as [string, string];
    await db.participant.update({
      where: { id: a },
      data: { seed: 1, status: 'checked_in', checkedInAt: hoursFromNow(-1) },
    });
    expect(refusalOf(await act(a, 'disqualify'))).toEqual([400, 'VALIDATION_FAILED']);
    expect(refusalOf(await act(a, 'disqualify', { reason: '  ' }))).toEqual([400, 'VALIDATION_FAILED']);
    const out = await act(a, 'disqualify', reason);
    expect(out.body).toMatchObject({ status: 'disqualified', seed: null, statusReason: reason.reason });
    expect([await taken(), await stateInDb(b)]).toEqual([1, ['approved', 'registered']]);
    expect(refusalOf(await act(a, 'disqualify', reason))).toEqual([409, 'INVALID_STATE']);
    expect(refusalOf(await act(a, 'checkin'))).toEqual([409, 'INVALID_STATE']);
    const back = await act(a, 'reinstate');
    expect(back.body).toMatchObject({ status: 'checked_in', seed: 1, statusReason: null });
    expect(back.body.checkedInAt).toEqual(expect.any(String));
    expect(await taken()).toBe(2);
    expect(refusalOf(await act(a, 'reinstate'))).toEqual([409, 'INVALID_STATE']);
  });

  test('gives the slot to the waitlist, and cannot be undone while no slot is free', async () => {
    const { addParticipants, act, stateInDb, events } = await make({ maxParticipants: 2 });
    const [a, , c] = (await addParticipants(3)) as [string, string, string];
    await act(a, 'disqualify', reason);
    expect(await stateInDb(c)).toEqual(['approved', 'registered']);
    expect(await events()).toEqual(['participant.disqualified', 'participant.approved']);
    expect(refusalOf(await act(a, 'reinstate'))).toEqual([409, 'ROSTER_FULL']);
  });

  test('does not restore a seed that someone else has now', async () => {
    const { addParticipants, act, desk, cup } = await make();
    const [a, b] = (await addParticipants(2)) as [string, string];
    await db.participant.update({ where: { id: a }, data: { seed: 1 } });
    await act(a, 'disqualify', reason);
    await db.participant.update({ where: { id: b }, data: { seed: 1 } });
    expect((await act(a, 'reinstate')).body.seed).toBeNull();
    await act(a, 'disqualify', reason);
    await act(b, 'disqualify', reason);
    await db.participant.update({ where: { id: a }, data: { standingBefore: { ...playing, seed: 1 } } });
    const both = await desk.bulk.mutate({ tournamentId: cup.id, action: 'reinstate', participantIds: [a, b] });
    expect(both).toEqual({ done: [a, b], refused: [] });
  });

  test('in a running tournament keeps the seed, promotes nobody, and can only be undone for participants who were in it', async () => {
    const { addParticipants, act, remove, set, stateInDb } = await make({ maxParticipants: 2 });
    const [early, late, waits] = (await addParticipants(3)) as [string, string, string];
    await act(early, 'disqualify', reason);
    expect(await stateInDb(waits)).toEqual(['approved', 'registered']);
    await db.participant.update({ where: { id: late }, data: { status: 'active', seed: 2 } });
    await set({ status: 'IN_PROGRESS', startedAt: new Date() });
    expect((await act(late, 'disqualify', reason)).body).toMatchObject({ status: 'disqualified', seed: 2 });
    expect((await act(late, 'reinstate')).body).toMatchObject({ status: 'active', seed: 2 });
    expect(refusalOf(await act(early, 'reinstate'))).toEqual([409, 'INVALID_STATE']);
    expect(refusalOf(await remove(late))).toEqual([409, 'INVALID_STATE']);
    await set({ status: 'COMPLETED' });
    expect((await act(late, 'disqualify', reason)).body).toMatchObject({ status: 'disqualified', seed: 2 });
    expect((await act(late, 'reinstate')).body).toMatchObject({ status: 'active', seed: 2 });
    await set({ status: 'CANCELLED' });
    expect(refusalOf(await act(late, 'disqualify', reason))).toEqual([409, 'INVALID_STATE']);
  });

  test('needs an approved participant of this tournament', async () => {
    const { addParticipants, act } = await make();
    const id = one(await addParticipants(1, { registrationStatus: 'pending' }));
    expect(refusalOf(await act(id, 'disqualify', reason))).toEqual([409, 'INVALID_STATE']);
    expect(refusalOf(await act('prt_none', 'disqualify', reason))).toEqual([404, 'NOT_FOUND']);
    const elsewhere = one(await (await make()).addParticipants(1));
    expect(refusalOf(await act(elsewhere, 'disqualify', reason))).toEqual([404, 'NOT_FOUND']);
  });
});

const playing = { registrationStatus: 'approved', status: 'registered', running: false };

test('removing deletes the row, frees the slot and lets the player register again', async () => {
  const { cup, remove, stateInDb, addParticipants, events } = await make({ maxParticipants: 2 });
  const player = await makeUser();
  const path = `/tournaments/${cup.id}/participants/register`;
  const { body } = await api.post<{ id: string }>(path, { bearer: player.bearer });
  const [, waits] = (await addParticipants(2)) as [string, string];
  const response = await remove(body.id);
  expect(response.body).toMatchObject({ id: body.id, registrationStatus: 'approved', actions: [] });
  expect(await db.participant.count({ where: { id: body.id } })).toBe(0);
  expect(await stateInDb(waits)).toEqual(['approved', 'registered']);
  expect((await events()).slice(-2)).toEqual(['participant.removed', 'participant.approved']);
  expect(refusalOf(await remove(body.id))).toEqual([404, 'NOT_FOUND']);
  expect((await api.post<ManagedParticipant>(path, { bearer: player.bearer })).body.registrationStatus).toBe(
    'waitlisted',
  );
});

describe('no-shows', () => {
  test('lose their slots to the waitlist once check-in is over, and can be reinstated while slots are free', async () => {
    const { cup, addParticipants, act, desk, stateInDb, taken, set } = await make({
      ...{ maxParticipants: 3, checkInOpensAt: hoursFromNow(-2), checkInClosesAt: null },
    });
    const [there, a, b, waits] = (await addParticipants(4)) as [string, string, string, string];
    await act(there, 'checkin');
    const early = await desk.markNoShows.mutate({ tournamentId: cup.id });
    expect(early.done).toEqual([]);
    expect(early.refused.map(({ code }) => code)).toEqual(['INVALID_STATE', 'INVALID_STATE']);
    await set({ checkInClosesAt: hoursFromNow(-1) });
    expect(await desk.markNoShows.mutate({ tournamentId: cup.id })).toEqual({ done: [a, b], refused: [] });
    expect([await stateInDb(a), await stateInDb(there), await stateInDb(waits), await taken()]).toEqual([
      ['approved', 'no_show'],
      ['approved', 'checked_in'],
      ['approved', 'registered'],
      2,
    ]);
    const back = await act(a, 'reinstate');
    expect([...stateOf(back), await taken()]).toEqual(['approved', 'registered', 3]);
    expect(refusalOf(await act(b, 'reinstate'))).toEqual([409, 'ROSTER_FULL']);
    const [again] = (await desk.markNoShows.mutate({ tournamentId: cup.id, participantIds: [there] })).refused;
    expect(again?.code).toBe('ALREADY_CHECKED_IN');
  });
});

describe('bulk actions', () => {
  test('decide for each participant in order, in one transaction, and name those it is refused for', async () => {
    const { project, cup, addParticipants, desk, taken } = await make({ maxParticipants: 3, requiresApproval: true });
    const ids = await addParticipants(5, { registrationStatus: 'pending' });
    const order = [...ids, ids[0] ?? '', 'prt_none'];
    const response = await desk.bulk.mutate({ tournamentId: cup.id, action: 'approve', participantIds: order });
    expect(response.done).toEqual(ids.slice(0, 3));
    expect(response.refused.map(({ id, code }) => [id, code])).toEqual([
      [ids[3], 'ROSTER_FULL'],
      [ids[4], 'ROSTER_FULL'],
      ['prt_none', 'NOT_FOUND'],
    ]);
    expect(await taken()).toBe(3);
    const events = await db.domainEvent.findMany({ where: { projectId: project.id }, orderBy: { sequence: 'asc' } });
    expect(events.map(({ type, aggregateId }) => [type, aggregateId])).toEqual([
      ...ids.slice(0, 3).map((id) => ['participant.approved', id]),
      ['registration.full', cup.id],
    ]);
    expect(await db.auditEntry.count({ where: { projectId: project.id, action: 'participant.approve' } })).toBe(3);
  });

  test('accept at most 500 participants', async () => {
    const { cup, addParticipants, desk, taken } = await make({ maxParticipants: 600 });
    const ids = await addParticipants(501);
    const act = (action: 'check_in' | 'undo_check_in' | 'remove', participantIds: string[]) =>
      desk.bulk.mutate({ tournamentId: cup.id, action, participantIds });
    await expect(act('check_in', ids)).rejects.toMatchObject({ data: { reason: 'VALIDATION_FAILED' } });
    const first500 = ids.slice(0, 500);
    expect((await act('check_in', first500)).done).toEqual(first500);
    expect((await act('undo_check_in', first500)).done).toEqual(first500);
    expect((await act('remove', first500)).done).toEqual(first500);
    expect(await taken()).toBe(1);
  }, 60_000);

  test('need a reason to disqualify', async () => {
    const { cup, addParticipants, desk } = await make();
    const participantIds = await addParticipants(2);
    const order = { tournamentId: cup.id, action: 'disqualify' as const, participantIds };
    await expect(desk.bulk.mutate(order)).rejects.toMatchObject({ data: { reason: 'VALIDATION_FAILED' } });
    expect((await desk.bulk.mutate({ ...order, ...reason })).done).toEqual(participantIds);
    const rows = await db.participant.findMany({ where: { tournamentId: cup.id }, select: { statusReason: true } });
    expect(rows.map(({ statusReason }) => statusReason)).toEqual([reason.reason, reason.reason]);
  });

  test('keep their order on the waitlist, and give the freed slots to others', async () => {
    const { cup, addParticipants, desk, stateInDb } = await make({ maxParticipants: 3 });
    const [a, b, c, waits] = (await addParticipants(4)) as [string, string, string, string];
    await desk.bulk.mutate({ tournamentId: cup.id, action: 'waitlist', participantIds: [b, a] });
    expect([await stateInDb(waits), await stateInDb(c)]).toEqual([
      ['approved', 'registered'],
      ['approved', 'registered'],
    ]);
    const waitlist = await db.participant.findMany({
      where: { tournamentId: cup.id, registrationStatus: 'waitlisted' },
      orderBy: { waitlistOrder: 'asc' },
    });
    expect(waitlist.map(({ id }) => id)).toEqual([b, a]);
  });

  test('keep the slot of one who is removed together with those who would get it', async () => {
    const { cup, addParticipants, desk, decide, stateInDb, taken } = await make({
      maxParticipants: 2,
      requiresApproval: true,
    });
    const [plays] = await addParticipants(2);
    const [pending] = await addParticipants(1, { registrationStatus: 'pending' });
    const waiting = await addParticipants(2, { registrationStatus: 'waitlisted' });
    const unwanted = [plays as string, ...waiting];
    const { done } = await desk.bulk.mutate({ tournamentId: cup.id, action: 'remove', participantIds: unwanted });
    expect([done, await taken()]).toEqual([unwanted, 1]);
    expect((await decide(pending as string, 'approve')).status).toBe(200);
    expect(await stateInDb(pending as string)).toEqual(['approved', 'registered']);
  });
});
