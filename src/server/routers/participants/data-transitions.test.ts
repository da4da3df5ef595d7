import { expect, test } from 'vitest';
import { db, pool } from '@/server/db';
import { makeMember, makeProject, makeTournament, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { createRegistration, type NewRegistration, readRegistrationContext } from './registration/data';

const api = setupTestServer();

const connections = 16;
const operations = 500;

/** Numbers below 1 that are the same at every run; the order in which connections get them is not. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/**
 * Reads, as anyone might in the middle of it all, whether more are in than may, the count is not that of the rows, or a
 * slot is free while someone waits whom no organizer put on the waitlist.
 */
async function brokenInvariants(tournamentId: string): Promise<unknown[]> {
  const { rows } = await pool.query(
    `SELECT t."currentParticipants", t."maxParticipants", n.* FROM "tournament" t, LATERAL (
       SELECT count(*) FILTER (WHERE p."registrationStatus" = 'approved'
                AND p."status" NOT IN ('withdrew', 'disqualified', 'no_show')) AS taken,
              count(*) FILTER (WHERE p."registrationStatus" = 'waitlisted' AND p."decidedById" IS NULL) AS waiting
       FROM "participant" p WHERE p."tournamentId" = t."id") n
     WHERE t."id" = $1 AND (n.taken <> t."currentParticipants" OR n.taken > t."maxParticipants"
       OR (n.taken < t."maxParticipants" AND n.waiting > 0))`,
    [tournamentId],
  );
  return rows;
}

type Told = {
  participantId: string;
  userId: string;
  registrationStatus: string;
  status: string;
  previous: { registrationStatus: string; status: string } | null;
  maxParticipants: number;
};
type Row = { registrationStatus: string; status: string };
const gone = ['withdrew', 'disqualified', 'no_show'];
const holds = (row: Row) => row.registrationStatus === 'approved' && !gone.includes(row.status);

/** Follows all events from the beginning, request by request; fails where one could not have happened. */
async function replay(projectId: string, firstCap: number) {
  const events = await db.domainEvent.findMany({
    where: { projectId },
    orderBy: { sequence: 'asc' },
    select: { type: true, payload: true, metadata: true },
  });
  let cap = firstCap;
  const rows = new Map<string, Row>();
  let queue: { id: string; byStaff: boolean }[] = [];
  const requests = new Map<string, typeof events>();
  for (const event of events) {
    const { requestId } = event.metadata as { requestId: string };
    requests.set(requestId, [...(requests.get(requestId) ?? []), event]);
  }
  for (const told of requests.values()) {
    const first = told[0]?.type;
    const moved = new Set<string>();
    for (const { type, payload, metadata } of told) {
      const event = payload as unknown as Told;
      if (type === 'tournament.updated') cap = event.maxParticipants;
      if (!type.startsWith('participant.')) continue;
      const { participantId: id, registrationStatus, status, previous } = event;
      const before = rows.get(id) ?? null;
      // A registration that joins the waitlist is told of twice, with the same states.
      if (!(type === 'participant.waitlisted' && first === 'participant.registered')) expect(previous).toEqual(before);
      const automatic = type === 'participant.approved' && first !== 'participant.approved';
      if (automatic) expect(queue.find((waiting) => !moved.has(waiting.id))?.id).toBe(id);
      moved.add(id);
      queue = queue.filter((waiting) => waiting.id !== id);
      if (type === 'participant.removed') rows.delete(id);
      else rows.set(id, { registrationStatus, status });
      const actor = (metadata as { actor: { id: string } }).actor.id;
      if (registrationStatus === 'waitlisted' && type !== 'participant.removed') {
        queue.push({ id, byStaff: actor !== event.userId });
      }
    }
    const taken = [...rows.values()].filter(holds).length;
    expect(taken).toBeLessThanOrEqual(cap);
    if (taken < cap) expect(queue.filter((waiting) => !waiting.byStaff)).toEqual([]);
    if (told.some(({ type }) => type === 'registration.full')) expect(taken).toBe(cap);
  }
  return { rows, queue: queue.map(({ id }) => id), cap, types: new Set(events.map(({ type }) => type)) };
}

/** A tournament that is hard to keep right: small, with a waitlist, approval and a check-in that is over. */
async function makeContested(requiresApproval: boolean) {
  const { project, owner } = await makeProject();
  const organizer = await makeMember(project.id, 'ORGANIZER');
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000);
  const cup = await makeTournament(project.id, {
    ...{ maxParticipants: 8, waitlistEnabled: true, requiresApproval },
    ...{ checkInOpensAt: at(-2), checkInClosesAt: at(-1) },
  });
  const players = await Promise.all(Array.from({ length: 32 }, () => makeUser()));
  return { project, staff: [owner, organizer], cup, players };
}

test.each([
  ['without approval', false, 20_261_121],
  ['with approval', true, 4_711],
])(
  '500 random operations from 16 connections keep cap, queue and events true, %s',
  async (_name, approval, seed) => {
    const { project, staff, cup, players } = await makeContested(approval);
    const random = randomFrom(seed);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
    const path = `/tournaments/${cup.id}`;

    const self = {
      register: (bearer: string) => api.post(`${path}/participants/register`, { bearer }),
      cancel: (bearer: string) => api.post(`${path}/registrations/me/cancel`, { bearer }),
    };
    const patch = (what: string) => (id: string, bearer: string) =>
      api.patch(`${path}/registrations/${id}/${what}`, { bearer });
    const post = (what: string, body?: unknown) => (id: string, bearer: string) =>
      api.post(`${path}/participants/${id}/${what}`, { bearer, body });
    const many = (action: 'reconsider' | 'undo_check_in' | 'mark_no_show' | 'waitlist' | 'remove') => {
      return async (id: string, bearer: string) => {
        const others = await db.participant.findMany({
          where: { tournamentId: cup.id },
          select: { id: true },
          take: 4,
        });
        const participantIds = [...new Set([id, pick(others).id, pick(others).id])];
        await api.trpc(bearer).participants.bulk.mutate({ tournamentId: cup.id, action, participantIds });
        return { status: 200 };
      };
    };
    const byStaff = [
      ...[patch('approve'), patch('approve'), patch('approve'), patch('reject'), patch('waitlist'), patch('promote')],
      ...[post('checkin'), post('disqualify', { reason: 'Unfair' }), post('reinstate'), post('reinstate')],
      (id: string, bearer: string) => api.delete(`${path}/participants/${id}`, { bearer }),
      ...[many('reconsider'), many('undo_check_in'), many('mark_no_show'), many('waitlist'), many('remove')],
    ];
    async function operate(): Promise<{ status: number }> {
      const chance = random();
      const player = pick(players);
      if (chance < 0.35) return self.register(player.bearer);
      if (chance < 0.45) return self.cancel(player.bearer);
      const { bearer } = pick(staff);
      if (chance < 0.52) {
        return api.patch(path, { bearer, body: { maxParticipants: 2 + Math.floor(random() * 14) } });
      }
      const entrant = await db.participant.findUnique({
        where: { tournamentId_userId: { tournamentId: cup.id, userId: player.id } },
        select: { id: true },
      });
      return entrant ? pick(byStaff)(entrant.id, bearer) : self.register(player.bearer);
    }

    let left = operations;
    const statuses = new Map<number, number>();
    const broken: unknown[] = [];
    async function work() {
      while (left > 0) {
        left -= 1;
        const { status } = await operate();
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        broken.push(...(await brokenInvariants(cup.id)));
      }
    }
    await Promise.all(Array.from({ length: connections }, work));
    expect(broken).toEqual([]);
    expect([...statuses.keys()].filter((status) => ![200, 201, 404, 409].includes(status))).toEqual([]);
    expect((statuses.get(200) ?? 0) + (statuses.get(201) ?? 0)).toBeGreaterThan(operations / 4);

    const told = await replay(project.id, 8);
    const rows = await db.participant.findMany({
      where: { tournamentId: cup.id },
      orderBy: { waitlistOrder: 'asc' },
      select: { id: true, registrationStatus: true, status: true },
    });
    expect(Object.fromEntries(told.rows)).toEqual(
      Object.fromEntries(rows.map(({ id, registrationStatus, status }) => [id, { registrationStatus, status }])),
    );
    expect(told.queue).toEqual(rows.filter((row) => row.registrationStatus === 'waitlisted').map(({ id }) => id));
    const tournament = await db.tournament.findUniqueOrThrow({ where: { id: cup.id } });
    expect([tournament.maxParticipants, tournament.currentParticipants]).toEqual([told.cap, rows.filter(holds).length]);
    expect([...told.types]).toEqual(
      expect.arrayContaining([
        'participant.approved',
        'participant.waitlisted',
        'participant.removed',
        'registration.full',
      ]),
    );
  },
  180_000,
);

test('registering again, decided on a registration that is removed before the writing, writes nothing', async () => {
  const { project } = await makeProject();
  const cup = await makeTournament(project.id);
  const player = await makeUser();
  const path = `/tournaments/${cup.id}`;
  const { body } = await api.post<{ id: string }>(`${path}/participants/register`, { bearer: player.bearer });
  await api.post(`${path}/registrations/me/cancel`, { bearer: player.bearer });
  const { tournament } = await readRegistrationContext(db, cup.id, player.id);
  const entrant: NewRegistration = {
    id: body.id,
    again: true,
    type: 'individual',
    userId: player.id,
    name: player.name,
    teamId: null,
    answers: {},
    roster: [],
    onFree: 'approved',
    onFull: null,
    events: { free: [], last: [], full: [] },
  };
  await db.participant.delete({ where: { id: body.id } });
  expect(await createRegistration(db, tournament, entrant)).toBeNull();
  expect(await db.participant.count({ where: { tournamentId: cup.id } })).toBe(0);
  expect((await db.tournament.findUniqueOrThrow({ where: { id: cup.id } })).currentParticipants).toBe(0);
  const anew = await api.post<{ id: string }>(`${path}/participants/register`, { bearer: player.bearer });
  expect([anew.status, anew.body.id === body.id]).toEqual([201, false]);
});
