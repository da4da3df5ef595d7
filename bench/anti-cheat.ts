import type { ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { newId } from '@/domain/ids';
import { mintClientToken } from '@/server/auth/anti-cheat-clients';
import { db, pool } from '@/server/db';
import { deleteOldReports } from '@/server/routers/anticheat/data-reports';
import { makeProject } from '@/test/factories';
import { type BenchClient, play, type Sent } from './anti-cheat.clients';
import { cpuMs, serverCpuMs } from './cpu';
import { startSides } from './process';
import type { Result } from './run';

const clientCount = Number(process.env.ANTI_CHEAT_CLIENTS ?? 1_000);
const seconds = Number(process.env.ANTI_CHEAT_SECONDS ?? 20);
const playersPerSession = 10;

/** Clients of a project, all of them wired into a running session of ten. */
async function enroll(count: number): Promise<BenchClient[]> {
  const { project } = await makeProject();
  const clients = Array.from({ length: count }, () => ({
    id: newId('acl'),
    userId: newId('usr'),
    ...mintClientToken(),
  }));
  await db.user.createMany({
    data: clients.map(({ userId }) => ({ id: userId, name: 'Player', email: `${userId}@players.test` })),
  });
  await db.antiCheatClient.createMany({
    data: clients.map(({ id, userId, tokenHash }) => ({ id, userId, tokenHash, projectId: project.id })),
  });
  for (let from = 0; from < count; from += playersPerSession) {
    const players = clients.slice(from, from + playersPerSession);
    await db.antiCheatSession.create({
      data: {
        id: newId('acs'),
        projectId: project.id,
        matchId: newId('mat'),
        game: 'cs2',
        requestedUserIds: players.map(({ userId }) => userId),
        clients: { create: players.map(({ id }) => ({ clientId: id })) },
      },
    });
  }
  return clients.map(({ id, token, tokenHash }) => ({ id, token, tokenHash }));
}

type Usage = { node: number; postgres: number; generator: number; bytes: number; wal: number; at: number };

async function usage(child: ChildProcess): Promise<Usage> {
  const { rows } = await pool.query<{ pid: number; bytes: string; wal: string }>(`
    SELECT pg_backend_pid() AS pid, pg_total_relation_size('anti_cheat_report') AS bytes,
      pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS wal`);
  const [row] = rows;
  const { user, system } = process.cpuUsage();
  return {
    node: cpuMs(child.pid ?? 0),
    postgres: serverCpuMs(row?.pid ?? 0),
    generator: (user + system) / 1_000,
    bytes: Number(row?.bytes),
    wal: Number(row?.wal),
    at: performance.now(),
  };
}

/** Reports of the clients that are stored. */
async function stored(clients: readonly BenchClient[]): Promise<number> {
  return db.antiCheatReport.count({ where: { clientId: { in: clients.map(({ id }) => id) } } });
}

const gib = (bytes: number) => `${(bytes / 2 ** 30).toFixed(2)} GiB`;

function describe(name: string, sent: Sent, lost: number): void {
  const refused = [...sent.refused].map(([status, count]) => `${count} × ${status}`).join(', ') || 'none';
  console.log(
    `${name.padEnd(44)} p50 ${sent.times.p50.toFixed(1).padStart(7)} ms   p99 ${sent.times.p99.toFixed(1).padStart(7)} ms   ` +
      `lost ${lost}   refused ${refused}   unanswered ${sent.unanswered}`,
  );
}

async function measure(name: string, side: { child: ChildProcess; url: string }, count: number): Promise<Sent> {
  const clients = await enroll(count);
  const before = await usage(side.child);
  const sent = await play(side.url, clients, { postsPerSecond: 1, seconds });
  const after = await usage(side.child);
  const inDatabase = await stored(clients);
  describe(name, sent, sent.acknowledged - inDatabase);
  const ms = after.at - before.at;
  const share = (key: 'node' | 'postgres' | 'generator') => `${Math.round((100 * (after[key] - before[key])) / ms)} %`;
  const hourly = (key: 'bytes' | 'wal') => gib(((after[key] - before[key]) * 3_600_000) / ms);
  console.log(
    `  ${Math.round((inDatabase * 1_000) / ms)} reports/s stored; of one processor: server ${share('node')}, PostgreSQL ` +
      `${share('postgres')}, generator ${share('generator')} (there are ${availableParallelism()}); in an hour ${hourly('bytes')} of reports, ${hourly('wal')} of WAL\n`,
  );
  await db.antiCheatSession.updateMany({ data: { endedAt: new Date() } });
  return sent;
}

/** A project's clients alone, and beside those of a project that send ten times as much. */
async function measureFlood(side: { url: string }): Promise<Result> {
  const calm = await enroll(100);
  const alone = await play(side.url, calm, { postsPerSecond: 1, seconds });
  describe('project B, 100 clients, alone', alone, alone.acknowledged - (await stored(calm)));
  const [beside, flooding] = [await enroll(100), await enroll(100)];
  const [ours, flood] = await Promise.all([
    play(side.url, beside, { postsPerSecond: 1, seconds }),
    play(side.url, flooding, { postsPerSecond: 10, seconds }),
  ]);
  describe('project B beside a flood', ours, ours.acknowledged - (await stored(beside)));
  describe('project A, 100 clients at 10 times the rate', flood, flood.acknowledged - (await stored(flooding)));
  await db.antiCheatSession.updateMany({ data: { endedAt: new Date() } });
  return {
    name: "a project's reports beside another's flood",
    ours: ours.times.p99,
    floor: alone.times.p99,
    unit: 'ms (p99)',
    ratio: alone.times.p99 / ours.times.p99,
    aim: '',
  };
}

/** How fast everything that was stored is deleted again. */
async function measureDeletion(): Promise<void> {
  const begin = performance.now();
  let [total, after] = [0, ''];
  for (let next: string | null = ''; next !== null; after = next ?? '') {
    const outcome = await deleteOldReports(after, new Date());
    total += outcome.deleted;
    next = outcome.next;
  }
  console.log(`\n${total} reports deleted, ${Math.round((total * 1_000) / (performance.now() - begin))}/s\n`);
}

/**
 * 1,000 clients that beat every 10 s and post five reports each second, into the server with its evaluation. The floor is
 * bare Node with one prepared INSERT for each post.
 */
export async function run(): Promise<Result[]> {
  const sides = await startSides('./anti-cheat.server.ts');
  try {
    await measure('warm-up', sides.ours, Math.min(clientCount, 200));
    const floor = await measure(`floor, ${clientCount} clients`, sides.floor, clientCount);
    const ours = await measure(`${clientCount} clients at 5 Hz`, sides.ours, clientCount);
    const flood = await measureFlood(sides.ours);
    await measureDeletion();
    const rows = (['p50', 'p99'] as const).map((key) => ({
      name: `${clientCount} anti-cheat clients at 5 Hz`,
      ours: ours.times[key],
      floor: floor.times[key],
      unit: `ms (${key})`,
      ratio: floor.times[key] / ours.times[key],
      aim: '',
    }));
    return [...rows, flood];
  } finally {
    sides.ours.child.kill();
    sides.floor.child.kill();
  }
}
