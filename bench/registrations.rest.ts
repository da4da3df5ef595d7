import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent } from 'undici';
import { db, pool } from '@/server/db';
import { makeProject, makeSubscription, makeTournament } from '@/test/factories';
import { cpuMs, serverCpuMs } from './cpu';
import { startProcess } from './process';

const slots = 256;
const parallel = 24;

type Player = { bearer: string };

/** Waits until something is there. @throws Error when it is not after a minute */
async function until(there: () => Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + 60_000; !(await there()); await pause(100)) {
    if (Date.now() > end) throw new Error(`not all ${what} came`);
  }
}

/**
 * Registers every player over REST while one receiver gets the events, emails included.
 * @returns processor time of the server and of PostgreSQL for each registration, in milliseconds
 */
async function round(all: Player[], server: { child: ChildProcess; url: string }, receiver: string, name: string) {
  const { project } = await makeProject();
  await makeSubscription(project.id, { url: `${receiver}/instant/${name}` });
  const { id } = await makeTournament(project.id, { maxParticipants: slots, waitlistEnabled: true });
  // Kept for the whole round: the server's processes are found by this one.
  const client = await pool.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const backend = rows[0]?.pid ?? 0;
  const cpu = () => cpuMs(server.child.pid ?? 0) + serverCpuMs(backend);
  const agent = new Agent({ connections: parallel });
  const before = cpu();
  const queue = [...all];
  async function register(): Promise<void> {
    for (let player = queue.pop(); player; player = queue.pop()) {
      const { statusCode, body } = await agent.request({
        origin: server.url,
        path: `/api/v1/tournaments/${id}/participants/register`,
        method: 'POST',
        headers: { authorization: player.bearer },
      });
      const text = await body.text();
      if (statusCode !== 201) throw new Error(`a registration answered ${statusCode}: ${text}`);
    }
  }
  await Promise.all(Array.from({ length: parallel }, register));
  // One for each registration, another for each that waits, and one that says that it is full.
  const expected = all.length + Math.max(0, all.length - slots) + 1;
  const arrived = async () => ((await (await fetch(`${receiver}/${name}`)).json()) as { distinct: number }).distinct;
  await until(async () => (await arrived()) >= expected, 'deliveries');
  const sent = () => db.outgoingMail.count({ where: { sourceId: project.id, sentAt: { not: null } } });
  await until(async () => (await sent()) >= all.length, 'emails');
  // The results of the last requests are written.
  await pause(500);
  await agent.close();
  const used = cpu() - before;
  client.release();
  return used / all.length;
}

/** The processor time of a registration over REST with its deliveries: the median of rounds after one that warms up. */
export async function registerOverRest(all: Player[], rounds: number): Promise<number> {
  const receiver = await startProcess('./receiver.mjs');
  const { child, url } = await startProcess('./registrations.server.ts');
  const costs: number[] = [];
  for (let turn = 0; turn <= rounds; turn += 1) {
    const cost = await round(all, { child, url }, receiver.url, `rest${turn}`);
    if (turn > 0) costs.push(cost);
  }
  child.disconnect();
  receiver.child.disconnect();
  return costs.sort((a, b) => a - b)[Math.floor(costs.length / 2)] ?? 0;
}
