import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { drawOrder } from '@/domain/participants/seeding';
import type { ProjectRole } from '@/generated/prisma/enums';
import type { ParticipantUncheckedCreateInput, TournamentUncheckedCreateInput } from '@/generated/prisma/models';
import { db } from '@/server/db';
import { makeApiKey, makeMember, makeProject, makeTournament, makeUser } from '@/test/factories';
import { type CallOptions, setupTestServer } from '@/test/server';

const api = setupTestServer();

type Seeding = {
  seeds: { participantId: string; seed: number }[];
  randomSeed: string | null;
  version: number;
  message: string;
  error: { issues: { path: string; message: string }[] };
};

/** A tournament with participants who registered a second apart, an organizer, and a function to seed it. */
async function make(
  participants: Partial<ParticipantUncheckedCreateInput>[],
  data: Partial<TournamentUncheckedCreateInput> = {},
) {
  const { project } = await makeProject();
  const organizer = await makeMember(project.id, 'ORGANIZER');
  const players = await Promise.all(participants.map(() => makeUser()));
  const cup = await makeTournament(project.id, {
    currentParticipants: participants.filter(({ status }) => !['disqualified', 'withdrew'].includes(status ?? ''))
      .length,
    ...data,
  });
  const begun = Date.now() - participants.length * 1_000;
  const rows = players.map((player, index) => ({
    id: newId('prt'),
    tournamentId: cup.id,
    userId: player.id,
    name: player.name,
    registrationStatus: 'approved' as const,
    registeredAt: new Date(begun + index * 1_000),
    ...participants[index],
  }));
  await db.participant.createMany({ data: rows });
  const put = (body: unknown, options: CallOptions = {}) =>
    api.put<Seeding>(`/tournaments/${cup.id}/seeding`, { bearer: organizer.bearer, body, ...options });
  return { project, organizer, players, cup, ids: rows.map(({ id }) => id), put };
}

const several = (count: number) => Array.from({ length: count }, () => ({}));

async function seedsOf(tournamentId: string) {
  const rows = await db.participant.findMany({ where: { tournamentId }, select: { id: true, seed: true } });
  return new Map(rows.map(({ id, seed }) => [id, seed]));
}

async function recordsOf(cupId: string) {
  const events = await db.domainEvent.findMany({ where: { aggregateId: cupId }, orderBy: { sequence: 'asc' } });
  const entries = await db.auditEntry.findMany({ where: { targetId: cupId } });
  return { events: events.map(({ type, payload }) => ({ type, payload })), entries };
}

describe('an order', () => {
  test('sets the seeds for any permutation, and emits one event', async () => {
    const { cup, ids, put } = await make(several(7));
    const permutation = fc.shuffledSubarray(ids, { minLength: ids.length });
    await fc.assert(
      fc.asyncProperty(permutation, async (order) => {
        const { status, body } = await put({ order });
        expect(status).toBe(200);
        expect(body.seeds).toEqual(order.map((participantId, index) => ({ participantId, seed: index + 1 })));
        expect([...(await seedsOf(cup.id))].sort(([, a], [, b]) => Number(a) - Number(b)).map(([id]) => id)).toEqual(
          order,
        );
        const { events } = await recordsOf(cup.id);
        const again = await put({ order });
        expect(again.body.version).toBe(body.version);
        expect((await recordsOf(cup.id)).events).toHaveLength(events.length);
      }),
      { numRuns: 12 },
    );
    const { events, entries } = await recordsOf(cup.id);
    expect(events.at(-1)).toMatchObject({ type: 'tournament.updated', payload: { changes: ['seeding'] } });
    expect(entries.at(-1)).toMatchObject({ action: 'tournament.seed', details: { method: 'order', participants: 7 } });
  }, 60_000);

  test('must list every participant with a slot exactly once', async () => {
    const { cup, ids, put } = await make([{}, {}, {}, { status: 'disqualified', seed: 4 }]);
    const [first, second, third, out] = ids;
    const other = await make(several(1));
    const stranger = other.ids[0];
    const refused = await put({ order: [first, first, out, stranger] });
    expect([refused.status, refused.reason]).toEqual([400, 'VALIDATION_FAILED']);
    expect(refused.body.error.issues).toEqual([
      { path: 'order.1', message: `${first} is listed twice.` },
      { path: 'order.2', message: `${out} has no slot in this tournament.` },
      { path: 'order.3', message: `${stranger} has no slot in this tournament.` },
      { path: 'order', message: `${second} has a slot and is missing.` },
      { path: 'order', message: `${third} has a slot and is missing.` },
    ]);
    expect((await recordsOf(cup.id)).events).toEqual([]);
    const allowed = await put({ order: [third, third, out, stranger], allowChanges: true });
    expect(allowed.body.seeds.map(({ participantId }) => participantId)).toEqual([third, first, second]);
    expect((await put({ order: [third, first, second] })).status).toBe(200);
    expect([...(await seedsOf(cup.id)).entries()].sort()).toEqual(
      [
        [first, 2],
        [second, 3],
        [third, 1],
        [out, null],
      ].sort(),
    );
    expect((await seedsOf(other.cup.id)).get(stranger ?? '')).toBeNull();
  });

  test.each([[{}], [{ order: [], method: 'random' }], [{ method: 'alphabet' }], [{ order: 'prt_1' }]])(
    '%j is no seeding',
    async (body) => {
      const { put } = await make(several(1));
      expect((await put(body)).reason).toBe('VALIDATION_FAILED');
    },
  );

  test('may be empty when there are no participants', async () => {
    const { put } = await make([]);
    expect((await put({ order: [] })).body.seeds).toEqual([]);
  });
});

describe('a method', () => {
  test('random stores its seed, and the same seed repeats the draw', async () => {
    const { cup, ids, put } = await make(several(9));
    const drawn = await put({ method: 'random' });
    expect(drawn.body.randomSeed).toMatch(/^[0-9a-f]{32}$/);
    const { randomSeed } = await db.tournament.findUniqueOrThrow({ where: { id: cup.id } });
    expect(randomSeed).toBe(drawn.body.randomSeed);
    expect(drawn.body.seeds.map(({ participantId }) => participantId)).toEqual(drawOrder(ids, randomSeed ?? ''));
    const other = await put({ method: 'random', randomSeed: 'lottery-2026' });
    expect(other.body.seeds).not.toEqual(drawn.body.seeds);
    const again = await put({ method: 'random', randomSeed });
    expect(again.body.seeds).toEqual(drawn.body.seeds);
    expect((await put({ method: 'random', randomSeed: 'a b' })).reason).toBe('VALIDATION_FAILED');
  });

  test('registration orders by time, without a random seed', async () => {
    const { ids, put } = await make(several(4));
    await put({ method: 'random' });
    const { body } = await put({ method: 'registration' });
    expect(body.seeds.map(({ participantId }) => participantId)).toEqual(ids);
    expect(body.randomSeed).toBeNull();
  });

  test('rating is refused, because there are no ratings', async () => {
    const { put } = await make(several(2));
    const refused = await put({ method: 'rating' });
    expect([refused.status, refused.reason]).toEqual([409, 'RATING_NOT_AVAILABLE']);
  });
});

describe('access', () => {
  const roles: [ProjectRole, number][] = [
    ['OWNER', 200],
    ['ADMIN', 200],
    ['ORGANIZER', 200],
    ['MODERATOR', 403],
    ['MEMBER', 403],
  ];
  test.each(roles)('%s: %i', async (role, status) => {
    const { project, put } = await make(several(2));
    const { bearer } = await makeMember(project.id, role);
    expect((await put({ method: 'registration' }, { bearer })).status).toBe(status);
  });

  test('nobody else: anonymous, API key, participant, another project; a private tournament returns 404', async () => {
    const { project, players, put } = await make(several(2));
    const { key } = await makeApiKey(project.id);
    const { owner: outsider } = await makeProject();
    const body = { method: 'registration' };
    expect((await put(body, { bearer: undefined })).status).toBe(401);
    expect((await put(body, { bearer: undefined, apiKey: key })).status).toBe(401);
    expect((await put(body, { bearer: players[0]?.bearer })).status).toBe(403);
    expect((await put(body, { bearer: outsider.bearer })).status).toBe(403);
    const hidden = await make(several(1), { visibility: 'private' });
    expect((await hidden.put(body, { bearer: outsider.bearer })).status).toBe(404);
  });

  test.each(['IN_PROGRESS', 'COMPLETED', 'CANCELLED'] as const)('not when the tournament is %s', async (status) => {
    const { put } = await make(several(2), { status });
    expect((await put({ method: 'registration' })).reason).toBe('INVALID_STATE');
  });

  test('the second of two organizers with the same version gets VERSION_MISMATCH', async () => {
    const { put } = await make(several(3));
    const headers = { 'If-Match': '"1"' };
    const first = await put({ method: 'random' }, { headers });
    expect([first.status, first.body.version]).toEqual([200, 2]);
    const second = await put({ method: 'registration' }, { headers });
    expect([second.status, second.reason]).toEqual([412, 'VERSION_MISMATCH']);
  });
});

test('with concurrent cancellations, promotions and seedings, seeds stay unique and only for participants with a slot', async () => {
  const waiting = Array.from({ length: 8 }, (_, index) => ({
    registrationStatus: 'waitlisted' as const,
    waitlistOrder: BigInt(Date.now()) * 100n + BigInt(index),
  }));
  const { cup, players, ids, put } = await make([...several(12), ...waiting], {
    maxParticipants: 12,
    currentParticipants: 12,
    waitlistEnabled: true,
  });
  const seedings = Array.from({ length: 12 }, (_, index) =>
    put(index % 3 === 0 ? { order: ids.slice(0, 12) } : { method: index % 3 === 1 ? 'random' : 'registration' }),
  );
  const cancels = players
    .slice(0, 6)
    .map(({ bearer }) => api.post(`/tournaments/${cup.id}/registrations/me/cancel`, { bearer }));
  const answers = await Promise.all(seedings);
  expect((await Promise.all(cancels)).map(({ status }) => status)).toEqual(Array(6).fill(200));
  for (const { status, body } of answers) {
    expect([200, 400]).toContain(status);
    if (status === 200) expect(body.seeds.map(({ seed }) => seed)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
  }
  const rows = await db.participant.findMany({ where: { tournamentId: cup.id } });
  const seeds = rows.flatMap(({ seed }) => seed ?? []);
  expect(new Set(seeds).size).toBe(seeds.length);
  expect(rows.filter(({ registrationStatus, seed }) => registrationStatus !== 'approved' && seed !== null)).toEqual([]);
  const last = await put({ method: 'random' });
  expect(last.body.seeds).toHaveLength(12);
});
