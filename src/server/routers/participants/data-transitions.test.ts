import { expect, test } from 'vitest';
import { db, pool } from '@/server/db';
import { makeMember, makeProject, makeTournament, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();

const connections = 16;
const operations = 500;

/** Random numbers below 1, the same in every run. The order in which connections get them differs. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/**
 * Checks, while others write, that no more participants than allowed have a slot, that the count matches the rows, and
 * that no slot is free while someone is waiting. Participants whom an organizer put on the waitlist may wait.
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

type ParticipantPayload = {
  participantId: string;
  userId: string;
  registrationStatus: string;
  status: string;
  previous: { registrationStatus: string; status: string } | null;
  maxParticipants: number;
};
type Row = { registrationStatus: string; status: string };
const withoutSlot = ['withdrew', 'disqualified', 'no_show'];
const hasSlot = (row: Row) => row.registrationStatus === 'approved' && !withoutSlot.includes(row.status);

/** Replays all events, request by request. Fails on an event that could not have happened. */
async function replay(projectId: string, firstCap: number) {
  const events = await db.domainEvent.findMany({
    where: { projectId },
    orderBy: { sequence: 'asc' },
    select: { type: true, payload: true, metadata: true },
  });
  let cap = firstCap;
  const rows = new Map<string, Row>();
  let waitlist: { id: string; byStaff: boolean }[] = [];
  const requests = new Map<string, typeof events>();
  for (const event of events) {
    const { requestId } = event.metadata as { requestId: string };
    requests.set(requestId, [...(requests.get(requestId) ?? []), event]);
  }
  for (const emitted of requests.values()) {
    const first = emitted[0]?.type;
    const changed = new Set<string>();
    for (const { type, payload, metadata } of emitted) {
      const event = payload as unknown as ParticipantPayload;
      if (type === 'tournament.updated') cap = event.maxParticipants;
      if (!type.startsWith('participant.')) continue;
      const { participantId: id, registrationStatus, status, previous } = event;
      const before = rows.get(id) ?? null;
      // A registration that joins the waitlist emits two events with the same states.
      if (!(type === 'participant.waitlisted' && first === 'participant.registered')) expect(previous).toEqual(before);
      const automatic = type === 'participant.approved' && first !== 'participant.approved';
      if (automatic) expect(waitlist.find((waiting) => !changed.has(waiting.id))?.id).toBe(id);
      changed.add(id);
      waitlist = waitlist.filter((waiting) => waiting.id !== id);
      if (type === 'participant.removed') rows.delete(id);
      else rows.set(id, { registrationStatus, status });
      const actor = (metadata as { actor: { id: string } }).actor.id;
      if (registrationStatus === 'waitlisted' && type !== 'participant.removed') {
        waitlist.push({ id, byStaff: actor !== event.userId });
      }
    }
    const taken = [...rows.values()].filter(hasSlot).length;
    expect(taken).toBeLessThanOrEqual(cap);
    if (taken < cap) expect(waitlist.filter((waiting) => !waiting.byStaff)).toEqual([]);
    if (emitted.some(({ type }) => type === 'registration.full')) expect(taken).toBe(cap);
  }
  return { rows, waitlist: waitlist.map(({ id }) => id), cap, types: new Set(events.map(({ type }) => type)) };
}

/** A small tournament with a waitlist and a check-in that is over, so that every action is possible. */
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
  '500 random operations from 16 connections keep slots, waitlist and events consistent, %s',
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
      const participant = await db.participant.findUnique({
        where: { tournamentId_userId: { tournamentId: cup.id, userId: player.id } },
        select: { id: true },
      });
      return participant ? pick(byStaff)(participant.id, bearer) : self.register(player.bearer);
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

    const replayed = await replay(project.id, 8);
    const rows = await db.participant.findMany({
      where: { tournamentId: cup.id },
      orderBy: { waitlistOrder: 'asc' },
      select: { id: true, registrationStatus: true, status: true },
    });
    expect(Object.fromEntries(replayed.rows)).toEqual(
      Object.fromEntries(rows.map(({ id, registrationStatus, status }) => [id, { registrationStatus, status }])),
    );
    expect(replayed.waitlist).toEqual(
      rows.filter((row) => row.registrationStatus === 'waitlisted').map(({ id }) => id),
    );
    const tournament = await db.tournament.findUniqueOrThrow({ where: { id: cup.id } });
    expect([tournament.maxParticipants, tournament.currentParticipants]).toEqual([
      replayed.cap,
      rows.filter(hasSlot).length,
    ]);
    expect([...replayed.types]).toEqual(
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
