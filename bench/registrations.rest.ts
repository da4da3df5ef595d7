import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent } from 'undici';
import { pool } from '@/server/db';
import { makeProject, makeSubscription, makeTournament } from '@/test/factories';
import { cpuMs, serverCpuMs } from './cpu';
import { startProcess } from './process';

const slots = 256;
const parallel = 24;

type Player = { bearer: string };

/**
 * Registers every player over REST while one receiver gets the events, emails included.
 * @returns processor time of the server and of PostgreSQL for each registration, in milliseconds
 */
async function round(all: Player[], server: { child: ChildProcess; url: string }, receiver: string, name: string) {
  const { project } = await makeProject();
  await makeSubscription(project.id, { url: `${receiver}/instant/${name}` });
  const { id } = await makeTournament(project.id, { maxParticipants: slots, waitlistEnabled: true });
  const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
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
  for (const until = Date.now() + 60_000; Date.now() < until; await pause(20)) {
    const arrived = (await (await fetch(`${receiver}/${name}`)).json()) as { distinct: number };
    if (arrived.distinct >= expected) break;
  }
  // The results of the last requests and the emails are written.
  await pause(1_000);
  await agent.close();
  return (cpu() - before) / all.length;
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
