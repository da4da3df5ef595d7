import pg from 'pg';
import { newId } from '@/domain/ids';
import { env } from '@/env';
import { signAccessToken } from '@/server/auth/bearer';
import { db } from '@/server/db';
import { callAs, type StartedCup, startCup } from './cups';
import { percentiles } from './latency';
import type { Result } from './run';

const perSecond = 64;
const seconds = 2;

type Open = { id: string; bearer: string; winnerId: string };

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The open matches of the first round with a Bearer of the better side and of its opponent. */
async function openMatches({ tournament }: StartedCup): Promise<{ first: Open[]; answers: Open[] }> {
  const matches = await db.match.findMany({
    where: { tournamentId: tournament.id, status: 'ready' },
    select: { id: true, participantAId: true, participantBId: true },
    orderBy: { number: 'asc' },
    take: (perSecond * seconds) / 2,
  });
  const participants = await db.participant.findMany({
    where: { tournamentId: tournament.id },
    select: { id: true, userId: true },
  });
  const userOf = new Map(participants.map(({ id, userId }) => [id, userId]));
  await db.user.updateMany({
    where: { id: { in: participants.flatMap(({ userId }) => userId ?? []) } },
    data: { emailVerifiedAt: new Date() },
  });
  const bearerOf = async (id: string | null) =>
    `Bearer ${await signAccessToken({ id: userOf.get(id ?? '') ?? '', sessionVersion: 0 })}`;
  const first: Open[] = [];
  const answers: Open[] = [];
  for (const { id, participantAId, participantBId } of matches) {
    const winnerId = participantAId ?? '';
    first.push({ id, bearer: await bearerOf(participantAId), winnerId });
    answers.push({ id, bearer: await bearerOf(participantBId), winnerId });
  }
  return { first, answers };
}

/** Starts one call every 1/64 s, whether or not the ones before are done. @returns how long each took */
async function atRate<T>(items: readonly T[], call: (item: T) => Promise<unknown>): Promise<number[]> {
  const begin = performance.now();
  return Promise.all(
    items.map(async (item, index) => {
      const due = (index * 1000) / perSecond;
      await pause(Math.max(0, begin + due - performance.now()));
      const started = performance.now();
      await call(item);
      return performance.now() - started;
    }),
  );
}

/** Every reported match is decided as reported, its winner is in the next match, and each was completed once. */
async function expectConsistent({ tournament }: StartedCup, reported: readonly Open[]): Promise<void> {
  const rows = await db.match.findMany({ where: { tournamentId: tournament.id } });
  const byNumber = new Map(rows.map((row) => [row.number, row]));
  const wrong = reported.filter(({ id, winnerId }) => {
    const row = rows.find((one) => one.id === id);
    const to = row?.winnerTo as { match: number; slot: 0 | 1 } | null | undefined;
    const next = to && byNumber.get(to.match);
    const there = to?.slot === 0 ? next?.participantAId : next?.participantBId;
    return row?.status !== 'completed' || row.winnerId !== winnerId || there !== winnerId;
  });
  const completed = await db.domainEvent.count({
    where: { type: 'match.completed', aggregateId: { in: reported.map(({ id }) => id) } },
  });
  if (wrong.length > 0 || completed !== reported.length) {
    throw new Error(`${wrong.length} results lost or inconsistent, ${completed} of ${reported.length} events`);
  }
}

/** The floor: the tournament's lock, two rows and an event by prepared statements, at the same rate. */
async function bareReport(pool: pg.Pool, cup: StartedCup, { id, winnerId }: Open): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query({
      name: 'lock',
      text: `SELECT 1 FROM "tournament" WHERE "id" = $1 FOR UPDATE`,
      values: [cup.tournament.id],
    });
    await client.query({
      name: 'decide',
      text: `UPDATE "match" SET "winnerId" = $2, "version" = "version" + 1 WHERE "id" = $1`,
      values: [id, winnerId],
    });
    await client.query({
      name: 'version',
      text: `UPDATE "bracket" SET "version" = "version" + 1 WHERE "tournamentId" = $1`,
      values: [cup.tournament.id],
    });
    await client.query({
      name: 'tell',
      text: `WITH added AS (
          INSERT INTO "domain_event" ("id", "projectId", "type", "aggregateType", "aggregateId", "payload")
          VALUES ($1, $2, 'match.completed', 'match', $3, $4) RETURNING "id", "projectId", "sequence"
        ) INSERT INTO "pending_event" ("eventId", "projectId", "sequence") SELECT * FROM added`,
      values: [newId('evt'), cup.project.id, id, { tournamentId: cup.tournament.id, matchId: id }],
    });
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}

/** 64 reports a second on one bracket of 256: each match is reported by one side and confirmed by an equal report. */
export async function run(): Promise<Result[]> {
  const pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: env.DATABASE_POOL_SIZE });
  const bare = await startCup(256);
  const floorMatches = await openMatches(bare);
  const all = [...floorMatches.first, ...floorMatches.answers];
  const floor = percentiles(await atRate(all, (open) => bareReport(pool, bare, open)));
  await pool.end();

  const cup = await startCup(256);
  const { first, answers } = await openMatches(cup);
  const report = ({ id, bearer, winnerId }: Open) => callAs(bearer).matches.report({ matchId: id, winnerId });
  const times = await atRate(first, report);
  const ours = percentiles([...times, ...(await atRate(answers, report))]);
  await expectConsistent(cup, first);
  return (['p50', 'p99'] as const).map((share) => ({
    name: `${perSecond} reports a second, 256 participants, 0 lost`,
    ours: ours[share],
    floor: floor[share],
    unit: `ms (${share})`,
    ratio: floor[share] / ours[share],
    aim: '',
  }));
}
