import { describe, expect, test } from 'vitest';
import type { TournamentUncheckedCreateInput } from '@/generated/prisma/models';
import { db } from '@/server/db';
import type { ManagedParticipant } from '@/server/routers/participants/schema';
import { makeMember, makeParticipants, makeProject, makeTournament, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);
const refusal = (answer: { status: number; reason: string | undefined }) => [answer.status, answer.reason];
const standing = ({ body }: { body: ManagedParticipant }) => [body.registrationStatus, body.status];

async function make(data: Partial<TournamentUncheckedCreateInput> = {}) {
  const { project, owner } = await makeProject();
  const organizer = await makeMember(project.id, 'ORGANIZER');
  const cup = await makeTournament(project.id, { waitlistEnabled: true, ...data });
  const path = `/tournaments/${cup.id}`;
  const { bearer } = organizer;
  const call = (method: string, rest: string, body?: unknown, headers?: Record<string, string>) =>
    api.call<ManagedParticipant>(method, `${path}/${rest}`, { bearer, body, headers });
  return {
    ...{ project, owner, organizer, cup },
    call,
    decide: (id: string, what: string, body?: unknown) => call('PATCH', `registrations/${id}/${what}`, body),
    act: (id: string, what: string, body?: unknown) => call('POST', `participants/${id}/${what}`, body),
    remove: (id: string) => call('DELETE', `participants/${id}`),
    desk: api.trpc(bearer).participants,
    enter: async (count: number, more?: Parameters<typeof makeParticipants>[2]) =>
      makeParticipants(await db.tournament.findUniqueOrThrow({ where: { id: cup.id } }), count, more),
    set: (change: Partial<TournamentUncheckedCreateInput>) =>
      db.tournament.update({ where: { id: cup.id }, data: change }),
    stands: async (id: string) => {
      const row = await db.participant.findUniqueOrThrow({ where: { id } });
      return [row.registrationStatus, row.status];
    },
    taken: async () => (await db.tournament.findUniqueOrThrow({ where: { id: cup.id } })).currentParticipants,
    events: async () => {
      const rows = await db.domainEvent.findMany({ where: { projectId: project.id }, orderBy: { sequence: 'asc' } });
      return rows.map(({ type }) => type);
    },
  };
}

const one = ([id]: string[]) => id as string;
const reason = { reason: 'Used a second account' };

describe('approving', () => {
  test('takes a slot, tells of it and writes down who did it', async () => {
    const { project, organizer, cup, enter, decide, taken } = await make({ requiresApproval: true });
    const id = one(await enter(1, { registrationStatus: 'pending' }));
    const answer = await decide(id, 'approve');
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id, registrationStatus: 'approved', canManage: true, isMe: false, version: 2 });
    expect(answer.body.approvedAt).toEqual(expect.any(String));
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

  test('says when the last slot went, and is refused at the cap', async () => {
    const { enter, decide, events } = await make({ maxParticipants: 2 });
    const [first, second, third] = await enter(3, { registrationStatus: 'pending' });
    for (const id of [first, second]) expect((await decide(id ?? '', 'approve')).status).toBe(200);
    expect(refusal(await decide(third ?? '', 'approve'))).toEqual([409, 'ROSTER_FULL']);
    expect(await events()).toEqual(['participant.approved', 'participant.approved', 'registration.full']);
  });

  test('and rejecting are decisions on what is pending; both can be taken back', async () => {
    const { enter, decide, desk, cup, stands, taken } = await make({ requiresApproval: true });
    const id = one(await enter(1, { registrationStatus: 'pending' }));
    const bulk = (action: 'reconsider') => desk.bulk.mutate({ tournamentId: cup.id, action, participantIds: [id] });
    const rejected = await decide(id, 'reject', { reason: 'Outside the region' });
    expect(rejected.body).toMatchObject({ registrationStatus: 'rejected', statusReason: 'Outside the region' });
    expect(refusal(await decide(id, 'approve'))).toEqual([409, 'INVALID_STATE']);
    expect(refusal(await decide(id, 'reject'))).toEqual([409, 'INVALID_STATE']);
    expect(await bulk('reconsider')).toEqual({ done: [id], refused: [] });
    const approved = await decide(id, 'approve');
    expect([...standing(approved), approved.body.statusReason]).toEqual(['approved', 'registered', null]);
    await bulk('reconsider');
    expect([await stands(id), await taken()]).toEqual([['pending', 'registered'], 0]);
  });

  test('is for the version that was read', async () => {
    const { enter, call } = await make();
    const id = one(await enter(1, { registrationStatus: 'pending' }));
    const approve = (version: string) =>
      call('PATCH', `registrations/${id}/approve`, undefined, { 'If-Match': version });
    expect(refusal(await approve('"7"'))).toEqual([412, 'VERSION_MISMATCH']);
    expect((await approve('"1"')).status).toBe(200);
  });
});

describe('the waitlist', () => {
  test('takes whom an organizer puts there to its end, and gives their slot to who waits longest', async () => {
    const { enter, decide, stands, taken, events } = await make({ maxParticipants: 2 });
    const [a, b, c, d] = (await enter(4)) as [string, string, string, string];
    const answer = await decide(a, 'waitlist');
    expect([...standing(answer), answer.body.waitlistPosition]).toEqual(['waitlisted', 'registered', 2]);
    expect([await stands(c), await stands(d), await taken()]).toEqual([
      ['approved', 'registered'],
      ['waitlisted', 'registered'],
      2,
    ]);
    expect(await events()).toEqual(['participant.waitlisted', 'participant.approved']);
    expect((await decide(d, 'waitlist')).body.waitlistPosition).toBe(2);
    expect(refusal(await decide(a, 'promote'))).toEqual([409, 'ROSTER_FULL']);
    expect(refusal(await decide(b, 'promote'))).toEqual([409, 'INVALID_STATE']);
  });

  test('keeps whom an organizer puts there while slots are free, until promoted or a slot is freed', async () => {
    const { enter, decide, remove, stands, taken } = await make({ maxParticipants: 4 });
    const [a, b, c] = (await enter(3)) as [string, string, string];
    expect(standing(await decide(a, 'waitlist'))).toEqual(['waitlisted', 'registered']);
    expect(standing(await decide(b, 'waitlist'))).toEqual(['waitlisted', 'registered']);
    expect([await stands(a), await taken()]).toEqual([['waitlisted', 'registered'], 1]);
    expect(standing(await decide(b, 'promote'))).toEqual(['approved', 'registered']);
    await remove(c);
    expect([await stands(a), await taken()]).toEqual([['approved', 'registered'], 2]);
  });

  test('also takes the rejected, the cancelled, the disqualified and no-shows; not teams without a roster', async () => {
    const { enter, act, decide } = await make();
    const [rejected, cancelled, disqualified, absent, team] = (await enter(5)) as [string, ...string[]] as string[];
    const put = (id: string | undefined, data: Parameters<typeof db.participant.update>[0]['data']) =>
      db.participant.update({ where: { id }, data });
    await put(rejected, { registrationStatus: 'rejected' });
    await put(cancelled, { registrationStatus: 'cancelled', status: 'withdrew', cancelledAt: new Date() });
    await put(absent, { status: 'no_show' });
    await put(team, { registrationStatus: 'cancelled', status: 'withdrew', type: 'team' });
    await act(disqualified ?? '', 'disqualify', reason);
    for (const id of [rejected, cancelled, disqualified, absent]) {
      expect(standing(await decide(id ?? '', 'waitlist'))).toEqual(['waitlisted', 'registered']);
    }
    expect(refusal(await decide(team ?? '', 'waitlist'))).toEqual([409, 'INVALID_STATE']);
    expect(standing(await decide(disqualified ?? '', 'promote'))).toEqual(['approved', 'registered']);
    const row = await db.participant.findUniqueOrThrow({ where: { id: disqualified } });
    expect([row.statusReason, row.standingBefore]).toEqual([null, null]);
  });

  test('moves up when the cap is raised, and not when something else is changed', async () => {
    const { cup, enter, decide, call, stands } = await make({ maxParticipants: 4 });
    const [a] = (await enter(2)) as [string, string];
    await decide(a, 'waitlist');
    expect((await call('PATCH', '', { name: 'Renamed Cup' })).status).toBe(200);
    expect(await stands(a)).toEqual(['waitlisted', 'registered']);
    await call('PATCH', '', { maxParticipants: cup.maxParticipants + 1 });
    expect(await stands(a)).toEqual(['approved', 'registered']);
  });
});

describe('disqualifying', () => {
  test('needs a reason, frees slot and seed before the start, and is taken back whole', async () => {
    const { enter, act, stands, taken } = await make({ maxParticipants: 2 });
    const [a, b] = (await enter(2)) as [string, string];
    await db.participant.update({ where: { id: a }, data: { seed: 1, status: 'checked_in', checkedInAt: ago(1) } });
    expect(refusal(await act(a, 'disqualify'))).toEqual([400, 'VALIDATION_FAILED']);
    expect(refusal(await act(a, 'disqualify', { reason: '  ' }))).toEqual([400, 'VALIDATION_FAILED']);
    const out = await act(a, 'disqualify', reason);
    expect(out.body).toMatchObject({ status: 'disqualified', seed: null, statusReason: reason.reason });
    expect([await taken(), await stands(b)]).toEqual([1, ['approved', 'registered']]);
    expect(refusal(await act(a, 'disqualify', reason))).toEqual([409, 'INVALID_STATE']);
    expect(refusal(await act(a, 'checkin'))).toEqual([409, 'INVALID_STATE']);
    const back = await act(a, 'reinstate');
    expect(back.body).toMatchObject({ status: 'checked_in', seed: 1, statusReason: null });
    expect(back.body.checkedInAt).toEqual(expect.any(String));
    expect(await taken()).toBe(2);
    expect(refusal(await act(a, 'reinstate'))).toEqual([409, 'INVALID_STATE']);
  });

  test('gives the slot to who waits, and cannot be taken back once it has gone', async () => {
    const { enter, act, stands, events } = await make({ maxParticipants: 2 });
    const [a, , c] = (await enter(3)) as [string, string, string];
    await act(a, 'disqualify', reason);
    expect(await stands(c)).toEqual(['approved', 'registered']);
    expect(await events()).toEqual(['participant.disqualified', 'participant.approved']);
    expect(refusal(await act(a, 'reinstate'))).toEqual([409, 'ROSTER_FULL']);
  });

  test('leaves a seed that someone else has got since', async () => {
    const { enter, act, desk, cup } = await make();
    const [a, b] = (await enter(2)) as [string, string];
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

  test('in a running tournament keeps the seed, promotes nobody, and brings back only whom it took out', async () => {
    const { enter, act, remove, set, stands } = await make({ maxParticipants: 2 });
    const [early, late, waits] = (await enter(3)) as [string, string, string];
    await act(early, 'disqualify', reason);
    expect(await stands(waits)).toEqual(['approved', 'registered']);
    await db.participant.update({ where: { id: late }, data: { status: 'active', seed: 2 } });
    await set({ status: 'IN_PROGRESS', startedAt: new Date() });
    expect((await act(late, 'disqualify', reason)).body).toMatchObject({ status: 'disqualified', seed: 2 });
    expect((await act(late, 'reinstate')).body).toMatchObject({ status: 'active', seed: 2 });
    expect(refusal(await act(early, 'reinstate'))).toEqual([409, 'INVALID_STATE']);
    expect(refusal(await remove(late))).toEqual([409, 'INVALID_STATE']);
    await set({ status: 'COMPLETED' });
    expect(refusal(await act(late, 'disqualify', reason))).toEqual([409, 'INVALID_STATE']);
  });

  test('is for who is in', async () => {
    const { enter, act } = await make();
    const id = one(await enter(1, { registrationStatus: 'pending' }));
    expect(refusal(await act(id, 'disqualify', reason))).toEqual([409, 'INVALID_STATE']);
    expect(refusal(await act('prt_none', 'disqualify', reason))).toEqual([404, 'NOT_FOUND']);
    const elsewhere = one(await (await make()).enter(1));
    expect(refusal(await act(elsewhere, 'disqualify', reason))).toEqual([404, 'NOT_FOUND']);
  });
});

const playing = { registrationStatus: 'approved', status: 'registered', running: false };

test('removing deletes the row, frees the slot and lets the player register again', async () => {
  const { cup, remove, stands, enter, events } = await make({ maxParticipants: 2 });
  const player = await makeUser();
  const path = `/tournaments/${cup.id}/participants/register`;
  const { body } = await api.post<{ id: string }>(path, { bearer: player.bearer });
  const [, waits] = (await enter(2)) as [string, string];
  const answer = await remove(body.id);
  expect(answer.body).toMatchObject({ id: body.id, registrationStatus: 'approved', actions: [] });
  expect(await db.participant.count({ where: { id: body.id } })).toBe(0);
  expect(await stands(waits)).toEqual(['approved', 'registered']);
  expect((await events()).slice(-2)).toEqual(['participant.removed', 'participant.approved']);
  expect(refusal(await remove(body.id))).toEqual([404, 'NOT_FOUND']);
  expect((await api.post<ManagedParticipant>(path, { bearer: player.bearer })).body.registrationStatus).toBe(
    'waitlisted',
  );
});

describe('no-shows', () => {
  test('lose their slots to who waits once check-in is over, and come back while there is room', async () => {
    const { cup, enter, act, desk, stands, taken, set } = await make({
      ...{ maxParticipants: 3, checkInOpensAt: ago(2), checkInClosesAt: null },
    });
    const [there, a, b, waits] = (await enter(4)) as [string, string, string, string];
    await act(there, 'checkin');
    const early = await desk.markNoShows.mutate({ tournamentId: cup.id });
    expect(early.done).toEqual([]);
    expect(early.refused.map(({ code }) => code)).toEqual(['INVALID_STATE', 'INVALID_STATE']);
    await set({ checkInClosesAt: ago(1) });
    expect(await desk.markNoShows.mutate({ tournamentId: cup.id })).toEqual({ done: [a, b], refused: [] });
    expect([await stands(a), await stands(there), await stands(waits), await taken()]).toEqual([
      ['approved', 'no_show'],
      ['approved', 'checked_in'],
      ['approved', 'registered'],
      2,
    ]);
    const back = await act(a, 'reinstate');
    expect([...standing(back), await taken()]).toEqual(['approved', 'registered', 3]);
    expect(refusal(await act(b, 'reinstate'))).toEqual([409, 'ROSTER_FULL']);
    const [again] = (await desk.markNoShows.mutate({ tournamentId: cup.id, participantIds: [there] })).refused;
    expect(again?.code).toBe('ALREADY_CHECKED_IN');
  });
});

describe('many at once', () => {
  test('are decided one by one in their order, in one transaction, and who is refused is named', async () => {
    const { project, cup, enter, desk, taken } = await make({ maxParticipants: 3, requiresApproval: true });
    const ids = await enter(5, { registrationStatus: 'pending' });
    const order = [...ids, ids[0] ?? '', 'prt_none'];
    const answer = await desk.bulk.mutate({ tournamentId: cup.id, action: 'approve', participantIds: order });
    expect(answer.done).toEqual(ids.slice(0, 3));
    expect(answer.refused.map(({ id, code }) => [id, code])).toEqual([
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

  test('may be 500, and no more', async () => {
    const { cup, enter, desk, taken } = await make({ maxParticipants: 600 });
    const ids = await enter(501);
    const act = (action: 'check_in' | 'undo_check_in' | 'remove', participantIds: string[]) =>
      desk.bulk.mutate({ tournamentId: cup.id, action, participantIds });
    await expect(act('check_in', ids)).rejects.toMatchObject({ data: { reason: 'VALIDATION_FAILED' } });
    const most = ids.slice(0, 500);
    expect((await act('check_in', most)).done).toEqual(most);
    expect((await act('undo_check_in', most)).done).toEqual(most);
    expect((await act('remove', most)).done).toEqual(most);
    expect(await taken()).toBe(1);
  }, 60_000);

  test('are disqualified with a reason only', async () => {
    const { cup, enter, desk } = await make();
    const participantIds = await enter(2);
    const order = { tournamentId: cup.id, action: 'disqualify' as const, participantIds };
    await expect(desk.bulk.mutate(order)).rejects.toMatchObject({ data: { reason: 'VALIDATION_FAILED' } });
    expect((await desk.bulk.mutate({ ...order, ...reason })).done).toEqual(participantIds);
    const rows = await db.participant.findMany({ where: { tournamentId: cup.id }, select: { statusReason: true } });
    expect(rows.map(({ statusReason }) => statusReason)).toEqual([reason.reason, reason.reason]);
  });

  test('put on the waitlist keep their order, and only others get what they free', async () => {
    const { cup, enter, desk, stands } = await make({ maxParticipants: 3 });
    const [a, b, c, waits] = (await enter(4)) as [string, string, string, string];
    await desk.bulk.mutate({ tournamentId: cup.id, action: 'waitlist', participantIds: [b, a] });
    expect([await stands(waits), await stands(c)]).toEqual([
      ['approved', 'registered'],
      ['approved', 'registered'],
    ]);
    const queue = await db.participant.findMany({
      where: { tournamentId: cup.id, registrationStatus: 'waitlisted' },
      orderBy: { waitlistOrder: 'asc' },
    });
    expect(queue.map(({ id }) => id)).toEqual([b, a]);
  });
});
