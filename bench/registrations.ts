import pg from 'pg';
import { newId } from '@/domain/ids';
import { env } from '@/env';
import { signAccessToken } from '@/server/auth/bearer';
import { createContext } from '@/server/context';
import { db } from '@/server/db';
import { appRouter } from '@/server/routers/_app';
import { createCallerFactory } from '@/server/trpc';
import { makeProject, makeTournament } from '@/test/factories';
import { cpuMs, serverCpuMs } from './cpu';
import { registerOverRest } from './registrations.rest';
import type { Result } from './run';

const players = 2_000;
const slots = 256;
const parallel = 16;
const rounds = Number(process.env.ROUNDS ?? 3);

type Player = { id: string; name: string; bearer: string };

async function makePlayers(): Promise<Player[]> {
  const rows = Array.from({ length: players }, (_, index) => {
    const id = newId('usr');
    return { id, name: `Player ${index}`, email: `${id}@bench.test`, emailVerifiedAt: new Date() };
  });
  await db.user.createMany({ data: rows });
  return Promise.all(
    rows.map(async ({ id, name }) => ({
      id,
      name,
      bearer: `Bearer ${await signAccessToken({ id, sessionVersion: 0 })}`,
    })),
  );
}

async function makeCup() {
  const { project } = await makeProject();
  return makeTournament(project.id, { maxParticipants: slots, waitlistEnabled: true });
}

/** Runs `one` for every player, `parallel` at a time. @returns runs per second */
async function rate(all: Player[], one: (player: Player) => Promise<void>): Promise<number> {
  const queue = [...all];
  async function worker() {
    for (let player = queue.pop(); player; player = queue.pop()) await one(player);
  }
  const begin = performance.now();
  await Promise.all(Array.from({ length: parallel }, worker));
  return all.length / ((performance.now() - begin) / 1_000);
}

const createCaller = createCallerFactory(appRouter);

/** Ours: the whole procedure, including the check of the token. */
async function throughRouter(all: Player[]): Promise<number> {
  const cup = await makeCup();
  const perSecond = await rate(all, async ({ bearer }) => {
    const context = createContext({
      requestId: newId('req'),
      ip: '127.0.0.1',
      transport: 'rest',
      authorization: bearer,
      setHeader: () => undefined,
    });
    await createCaller(context).participants.register({ tournamentId: cup.id });
  });
  await expectExact(cup.id);
  return perSecond;
}

/** The floor: the same rows under the same lock, by prepared statements, without anything else. */
async function bareLoop(all: Player[], pool: pg.Pool): Promise<number> {
  const cup = await makeCup();
  const perSecond = await rate(all, async ({ id: userId, name }) => {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      const lock = await client.query({
        name: 'lock',
        text: `SELECT "status", "startDate", "currentParticipants", "maxParticipants" FROM "tournament" WHERE "id" = $1 FOR UPDATE`,
        values: [cup.id],
      });
      const full = lock.rows[0].currentParticipants >= lock.rows[0].maxParticipants;
      const id = newId('prt');
      await client.query({
        name: full ? 'wait' : 'enter',
        text: `INSERT INTO "participant" ("id", "tournamentId", "userId", "name", "registrationStatus", "waitlistOrder", "updatedAt")
          VALUES ($1, $2, $3, $4, ${full ? `'waitlisted', nextval('participant_waitlist_order')` : `'approved', NULL`}, now())`,
        values: [id, cup.id, userId, name],
      });
      if (!full) {
        await client.query({
          name: 'count',
          text: `UPDATE "tournament" SET "currentParticipants" = "currentParticipants" + 1 WHERE "id" = $1`,
          values: [cup.id],
        });
      }
      for (const type of full ? ['participant.registered', 'participant.waitlisted'] : ['participant.registered']) {
        await client.query({
          name: 'tell',
          text: `WITH added AS (
              INSERT INTO "domain_event" ("id", "projectId", "type", "aggregateType", "aggregateId", "payload")
              VALUES ($1, $2, $3, 'participant', $4, $5) RETURNING "id", "projectId", "sequence"
            ) INSERT INTO "pending_event" ("eventId", "projectId", "sequence") SELECT * FROM added`,
          values: [newId('evt'), cup.projectId, type, id, { tournamentId: cup.id, participantId: id, userId, name }],
        });
      }
      await client.query('COMMIT');
    } finally {
      client.release();
    }
  });
  await expectExact(cup.id);
  return perSecond;
}

async function expectExact(tournamentId: string): Promise<void> {
  const count = (registrationStatus: 'approved' | 'waitlisted') =>
    db.participant.count({ where: { tournamentId, registrationStatus } });
  const found = [await count('approved'), await count('waitlisted')];
  if (found[0] !== slots || found[1] !== players - slots) throw new Error(`not exact: ${found.join(' and ')}`);
}

const middle = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/**
 * 2,000 registrations on one tournament of 256 with a waitlist, 16 at a time; the median of three rounds of each. And the
 * processor time of one over REST with its deliveries and emails, against that of the floor's last round.
 */
export async function run(): Promise<Result[]> {
  const all = await makePlayers();
  const pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: env.DATABASE_POOL_SIZE });
  const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const cpu = () => cpuMs(process.pid) + serverCpuMs(rows[0]?.pid ?? 0);
  let bareMs = 0;
  const ours: number[] = [];
  const floor: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = cpu();
    floor.push(await bareLoop(all, pool));
    bareMs = (cpu() - before) / players;
    ours.push(await throughRouter(all));
  }
  await pool.end();
  const restMs = await registerOverRest(all, rounds);
  const result = { ours: middle(ours), floor: middle(floor) };
  return [
    {
      name: 'registrations',
      ratio: result.ours / result.floor,
      ...result,
      unit: 'registrations/s',
      aim: 'ratio 0.60',
    },
    {
      name: 'registration over REST, delivered',
      ratio: bareMs / restMs,
      ours: restMs,
      floor: bareMs,
      unit: 'ms of processor',
      aim: '2.5 ms',
    },
  ];
}
