import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DomainEventModel } from '@/generated/prisma/models';
import { db, pool } from '@/server/db';
import { makeProject, makeTournament, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();

type Payload = { participantId: string; registrationStatus: string; maxParticipants: number };
type Replay = { approved: Set<string>; waitlist: string[]; full: number };

/** Replays the events of one tournament. Fails on an event that could not have happened. */
function replay(events: Pick<DomainEventModel, 'type' | 'payload'>[], firstCap: number): Replay {
  let cap = firstCap;
  const approved = new Set<string>();
  const waitlist: string[] = [];
  let full = 0;
  for (const { type, payload } of events) {
    const { participantId, registrationStatus, maxParticipants } = payload as unknown as Payload;
    if (type === 'tournament.updated') cap = maxParticipants;
    if (type === 'participant.registered') {
      expect(approved.has(participantId) || waitlist.includes(participantId)).toBe(false);
      if (registrationStatus === 'approved') {
        expect(waitlist).toEqual([]);
        approved.add(participantId);
      }
    } else if (type === 'participant.waitlisted') {
      expect(approved.size).toBe(cap);
      waitlist.push(participantId);
    } else if (type === 'participant.approved') {
      expect(waitlist.shift()).toBe(participantId);
      approved.add(participantId);
    } else if (type === 'participant.withdrawn') {
      const place = waitlist.indexOf(participantId);
      if (place >= 0) waitlist.splice(place, 1);
      else expect(approved.delete(participantId)).toBe(true);
    } else if (type === 'registration.full') {
      expect(approved.size).toBe(cap);
      full += 1;
    }
    expect(approved.size).toBeLessThanOrEqual(cap);
  }
  return { approved, waitlist, full };
}

async function eventsOf(projectId: string) {
  return db.domainEvent.findMany({
    where: { projectId },
    orderBy: { sequence: 'asc' },
    select: { type: true, payload: true },
  });
}

async function rowsOf(tournamentId: string) {
  const rows = await db.participant.findMany({
    where: { tournamentId },
    orderBy: [{ waitlistOrder: 'asc' }, { registeredAt: 'asc' }],
  });
  const withStatus = (status: string) => rows.filter((row) => row.registrationStatus === status);
  return { rows, approved: withStatus('approved'), waitlisted: withStatus('waitlisted') };
}

test('200 registrations at once for 16 slots: 16 are approved, 184 are waitlisted in order', async () => {
  const { project } = await makeProject();
  const cup = await makeTournament(project.id, { maxParticipants: 16, waitlistEnabled: true });
  const players = await Promise.all(Array.from({ length: 200 }, () => makeUser()));
  const responses = await Promise.all(
    players.map(({ bearer }) =>
      api.post<{ registrationStatus: string; id: string }>(`/tournaments/${cup.id}/participants/register`, { bearer }),
    ),
  );
  expect(responses.filter((response) => response.status !== 201)).toEqual([]);
  const countOf = (status: string) =>
    responses.filter((response) => response.body.registrationStatus === status).length;
  expect([countOf('approved'), countOf('waitlisted')]).toEqual([16, 184]);

  const { approved, waitlisted } = await rowsOf(cup.id);
  const events = replay(await eventsOf(project.id), 16);
  expect([...events.approved].sort()).toEqual(approved.map((row) => row.id).sort());
  expect(events.waitlist).toEqual(waitlisted.map((row) => row.id));
  expect(events.full).toBe(1);
  const arrivals = waitlisted.map((row) => row.registeredAt.getTime());
  expect(arrivals).toEqual([...arrivals].sort((a, b) => a - b));
  expect((await db.tournament.findUniqueOrThrow({ where: { id: cup.id } })).currentParticipants).toBe(16);
  expect((await eventsOf(project.id)).filter((event) => event.type === 'participant.registered')).toHaveLength(200);
}, 60_000);

test('without a waitlist, 100 registrations at once for 8 slots: 8 are approved, 92 are refused', async () => {
  const { project } = await makeProject();
  const cup = await makeTournament(project.id, { maxParticipants: 8 });
  const players = await Promise.all(Array.from({ length: 100 }, () => makeUser()));
  const responses = await Promise.all(
    players.map(({ bearer }) => api.post(`/tournaments/${cup.id}/participants/register`, { bearer })),
  );
  expect(responses.filter((response) => response.status === 201)).toHaveLength(8);
  expect(responses.filter((response) => response.reason === 'TOURNAMENT_FULL')).toHaveLength(92);
  expect((await rowsOf(cup.id)).rows).toHaveLength(8);
}, 60_000);

/** Checks the invariants in one statement, while others write. */
async function brokenInvariants(tournamentId: string): Promise<number> {
  const { rows } = await pool.query(
    `SELECT 1 FROM "tournament" t, LATERAL (
       SELECT count(*) FILTER (WHERE p."registrationStatus" = 'approved') AS approved,
              count(*) FILTER (WHERE p."registrationStatus" = 'waitlisted') AS waiting
       FROM "participant" p WHERE p."tournamentId" = t."id") n
     WHERE t."id" = $1 AND (n.approved <> t."currentParticipants" OR n.approved > t."maxParticipants"
       OR (n.approved < t."maxParticipants" AND n.waiting > 0))`,
    [tournamentId],
  );
  return rows.length;
}

test('any mix of registering, cancelling and raising the maximum keeps slots, waitlist and events consistent', async () => {
  const players = await Promise.all(Array.from({ length: 24 }, () => makeUser()));
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ act: fc.constant('register' as const), who: fc.nat(23) }) },
    { weight: 4, arbitrary: fc.record({ act: fc.constant('cancel' as const), who: fc.nat(23) }) },
  );
  const plan = fc.record({
    cap: fc.integer({ min: 2, max: 8 }),
    raiseTo: fc.integer({ min: 8, max: 12 }),
    raiseAt: fc.nat(80),
    steps: fc.array(step, { minLength: 40, maxLength: 120 }),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ cap, raiseTo, raiseAt, steps }) => {
      const { project, owner } = await makeProject();
      const cup = await makeTournament(project.id, { maxParticipants: cap, waitlistEnabled: true });
      const queue = [...steps.entries()];
      const statuses = new Set<number>();
      let broken = 0;
      async function work() {
        for (let next = queue.shift(); next; next = queue.shift()) {
          const [index, { act, who }] = next;
          if (index === raiseAt) {
            const body = { maxParticipants: raiseTo };
            const raised = await api.patch(`/tournaments/${cup.id}`, { bearer: owner.bearer, body });
            expect(raised.status).toBe(200);
          }
          const path = act === 'register' ? 'participants/register' : 'registrations/me/cancel';
          const response = await api.post(`/tournaments/${cup.id}/${path}`, { bearer: players[who]?.bearer });
          statuses.add(response.status);
          broken += await brokenInvariants(cup.id);
        }
      }
      await Promise.all(Array.from({ length: 8 }, work));
      expect(broken).toBe(0);
      expect([...statuses].filter((status) => ![200, 201, 404, 409].includes(status))).toEqual([]);

      const { approved, waitlisted } = await rowsOf(cup.id);
      const replayed = replay(await eventsOf(project.id), cap);
      expect([...replayed.approved].sort()).toEqual(approved.map((row) => row.id).sort());
      expect(replayed.waitlist).toEqual(waitlisted.map((row) => row.id));
    }),
    { numRuns: 6, endOnFailure: true },
  );
}, 120_000);
