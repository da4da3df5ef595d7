import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { db } from '@/server/db';
import { emitEvents, makeProject, makeSubscription } from '@/test/factories';
import { startNameServer } from '@/test/name-server';
import type { Publication } from './webhooks.publisher';

const rate = Number(process.env.ISOLATION_RATE ?? 300);
const seconds = Number(process.env.ISOLATION_SECONDS ?? 10);
const backlog = Number(process.env.ISOLATION_BACKLOG ?? 100_000);
const receivers = 60;
const checks = 400;

type Arrived = { distinct: number; p50: number | null; p99: number | null };
type Row = { name: string; p50: number; p99: number; lost: number };
type Neighbour = { name: string; start: (projectId: string) => Promise<void> };

const path = (name: string) => fileURLToPath(new URL(`./${name}`, import.meta.url));
const children: ChildProcess[] = [];

async function start(name: string): Promise<{ child: ChildProcess; said: unknown }> {
  const child = fork(path(name), { execArgv: name.endsWith('.mjs') ? [] : ['--import', 'tsx'] });
  children.push(child);
  const [said] = await once(child, 'message');
  return { child, said };
}

/** Project A: a good receiver and a steady rate. @returns how late its events arrived, and how many did not */
async function measure(name: string, url: string, publisher: ChildProcess): Promise<Row> {
  const { project } = await makeProject();
  await makeSubscription(project.id, { url: `${url}/instant/${name}` });
  const events = rate * seconds;
  const publication: Publication = { projectId: project.id, events, parallel: 24, rate };
  publisher.send(publication);
  await once(publisher, 'message');
  const read = async () =>
    (await fetch(`${url.replace('receiver.test', '127.0.0.1')}/${name}`)).json() as Promise<Arrived>;
  const patience = performance.now() + 60_000;
  let arrived = await read();
  while (arrived.distinct < events && performance.now() < patience) {
    await pause(50);
    arrived = await read();
  }
  return { name, p50: arrived.p50 ?? 0, p99: arrived.p99 ?? 0, lost: events - arrived.distinct };
}

/**
 * What a project does to another one beside it: A's latency alone, and beside a project B with receivers that hang, answer
 * late or drip, names that hang, health checks that hang, and a backlog. Everything is on one machine, so B's use of the
 * processors counts too.
 */
export async function run() {
  const hanging = await startNameServer((name) => (name.endsWith('.hang') ? undefined : '127.0.0.1'));
  process.env.WEBHOOK_NAME_SERVERS = hanging.address;
  const receiver = await start('receiver.mjs');
  // A host name, so that A's requests are resolved as well.
  const url = `http://receiver.test:${receiver.said}`;
  await start('webhooks.worker.ts');
  const { child: publisher } = await start('webhooks.publisher.ts');

  const subscribe = (kind: string) => async (projectId: string) => {
    const settings = { timeoutMs: 60_000, enableCircuitBreaker: false };
    for (let count = 0; count < receivers; count += 1) {
      await makeSubscription(projectId, { url: `${url}/${kind}/b${count}`, ...settings });
    }
    await emitEvents(projectId, 50);
    await pause(500);
  };
  const neighbours: Neighbour[] = [
    { name: `${receivers} receivers that hang`, start: subscribe('hung') },
    { name: `${receivers} that answer after 55 s`, start: subscribe('late') },
    { name: `${receivers} that drip a byte a second`, start: subscribe('drip') },
    {
      name: 'names that hang in DNS',
      async start(projectId) {
        for (let count = 0; count < receivers; count += 1) {
          await makeSubscription(projectId, {
            url: `http://r${count}.${projectId}.hang:1/`,
            enableCircuitBreaker: false,
          });
        }
        await emitEvents(projectId, 50);
      },
    },
    {
      name: `${checks} health checks that hang`,
      async start(projectId) {
        const healthCheck = { enabled: true, intervalSeconds: 60, expectedStatusCodes: [] };
        for (let count = 0; count < checks; count += 1) {
          await makeSubscription(projectId, { url: `${url}/hung/c${count}`, events: ['webhook.test'], healthCheck });
        }
        // Checks begin with each minute.
        await pause(60_000 - (Date.now() % 60_000) + 500);
      },
    },
    {
      name: `a backlog of ${backlog} events`,
      async start(projectId) {
        await makeSubscription(projectId, { url: `${url}/slow/backlog` });
        for (let emitted = 0; emitted < backlog; emitted += 5_000)
          await emitEvents(projectId, Math.min(5_000, backlog - emitted));
      },
    },
  ];

  await measure('warm', url, publisher);
  const rows: Row[] = [await measure('alone', url, publisher)];
  for (const neighbour of neighbours) {
    const { project } = await makeProject();
    await neighbour.start(project.id);
    rows.push({ ...(await measure(`n${rows.length}`, url, publisher)), name: neighbour.name });
    await db.webhookSubscription.deleteMany({ where: { projectId: project.id } });
    await db.pendingEvent.deleteMany({ where: { projectId: project.id } });
    await pause(1_500);
  }
  rows.push({ ...(await measure('again', url, publisher)), name: 'alone, again' });
  for (const child of children) child.disconnect();
  await hanging.close();
  console.log(`A sends ${rate} events a second for ${seconds} s.\n`);
  for (const { name, p50, p99, lost } of rows) {
    console.log(
      `${name.padEnd(36)} p50 ${String(p50).padStart(6)} ms   p99 ${String(p99).padStart(6)} ms   lost ${lost}`,
    );
  }
  const alone = Math.max(rows[0]?.p99 ?? 0, rows.at(-1)?.p99 ?? 0);
  const worst = Math.max(...rows.slice(1, -1).map((row) => row.p99));
  return { name: 'isolation', aim: 'p99 1.2x + 10', ratio: worst / alone, ours: worst, floor: alone, unit: 'ms p99' };
}
