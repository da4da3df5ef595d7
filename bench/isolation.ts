import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { db, pool } from '@/server/db';
import { emitEvents, makeProject, makeSubscription, makeTournament } from '@/test/factories';
import { startNameServer } from '@/test/name-server';
import { forkFile, startProduct } from './process';
import type { Publication } from './webhooks.publisher';

const rate = Number(process.env.ISOLATION_RATE ?? 300);
const seconds = Number(process.env.ISOLATION_SECONDS ?? 15);
const backlog = Number(process.env.ISOLATION_BACKLOG ?? 100_000);
const receivers = 60;
const checks = 400;
const visitors = 48;

/** What `measure` waits for before it counts an event as lost. */
const patienceMs = 30_000;

type Arrived = { distinct: number; p50: number | null; p99: number | null; usualP99: number | null };
/** `usualP99` is the p99 of a second, as half of the seconds have it: where it is much lower, the tail is a single stall. */
type Row = { name: string; p50: number; p99: number; usualP99: number; lost: number };
type Neighbour = { name: string; start: (projectId: string) => Promise<void> };

async function start(name: string): Promise<{ child: ChildProcess; said: unknown }> {
  const child = await forkFile(name);
  const [said] = await once(child, 'message');
  return { child, said };
}

async function end(child: ChildProcess): Promise<void> {
  child.disconnect();
  await once(child, 'exit');
}

let measured = 0;

/** Project A: a good receiver and a steady rate. @returns how late its events arrived, and how many did not */
async function measure(name: string, url: string, publisher: ChildProcess, forSeconds = seconds): Promise<Row> {
  const { project } = await makeProject();
  measured += 1;
  await makeSubscription(project.id, { url: `${url}/instant/a${measured}` });
  const events = rate * forSeconds;
  const publication: Publication = { projectId: project.id, events, parallel: 24, rate };
  publisher.send(publication);
  await once(publisher, 'message');
  const read = async () =>
    (await fetch(`${url.replace('receiver.test', '127.0.0.1')}/a${measured}`)).json() as Promise<Arrived>;
  const patience = performance.now() + patienceMs;
  let arrived = await read();
  while (arrived.distinct < events && performance.now() < patience) {
    await pause(50);
    arrived = await read();
  }
  const { p50, p99, usualP99 } = arrived;
  return { name, p50: p50 ?? 0, p99: p99 ?? 0, usualP99: usualP99 ?? 0, lost: events - arrived.distinct };
}

/** Copies an event of the project, as if it had been emitted `count` times. */
async function multiply(projectId: string, count: number): Promise<void> {
  await emitEvents(projectId, 1);
  await pool.query(
    `WITH added AS (
       INSERT INTO domain_event (id, "projectId", type, version, "aggregateType", "aggregateId", payload, metadata, "occurredAt")
       SELECT 'evt_' || $1 || n, "projectId", type, version, "aggregateType", "aggregateId", payload, metadata, "occurredAt"
       FROM domain_event, generate_series(2, $2::int) n WHERE "projectId" = $1 RETURNING id, "projectId", sequence
     ) INSERT INTO pending_event ("eventId", "projectId", sequence) SELECT * FROM added`,
    [projectId, count],
  );
  // What writing them leaves behind is not part of the measurement.
  await pool.query('CHECKPOINT');
}

/** What project B does, by the name that chooses it: `isolation:dns`. @param url of the receivers */
function neighboursAt(url: string): Record<string, Neighbour> {
  const subscribe = (kind: string) => async (projectId: string) => {
    const settings = { timeoutMs: 60_000, enableCircuitBreaker: false };
    for (let count = 0; count < receivers; count += 1) {
      await makeSubscription(projectId, { url: `${url}/${kind}/b${count}`, ...settings });
    }
    await emitEvents(projectId, 50);
    await pause(500);
  };
  const check = (kind: string) => async (projectId: string) => {
    const healthCheck = { enabled: true, intervalSeconds: 60, expectedStatusCodes: [] };
    for (let count = 0; count < checks; count += 1) {
      await makeSubscription(projectId, { url: `${url}/${kind}/c${count}`, events: ['webhook.test'], healthCheck });
    }
    // Checks begin with each minute.
    await pause(60_000 - (Date.now() % 60_000) + 500);
  };
  const accumulate = (kind: string) => async (projectId: string) => {
    await makeSubscription(projectId, { url: `${url}/${kind}/backlog` });
    await multiply(projectId, backlog);
  };
  return {
    hang: { name: `${receivers} receivers that hang`, start: subscribe('hung') },
    late: { name: `${receivers} that answer after 55 s`, start: subscribe('late') },
    drip: { name: `${receivers} that drip a byte a second`, start: subscribe('drip') },
    dns: {
      name: `${receivers} names that hang in DNS`,
      async start(projectId) {
        for (let count = 0; count < receivers; count += 1) {
          const name = `http://r${count}.${projectId}.hang:1/`;
          await makeSubscription(projectId, { url: name, enableCircuitBreaker: false });
        }
        await emitEvents(projectId, 50);
      },
    },
    checks: { name: `${checks} health checks that hang`, start: check('hung') },
    answered: { name: `${checks} health checks that are answered`, start: check('instant') },
    backlog: { name: `${backlog} events for one that takes 200 ms`, start: accumulate('slow') },
    wide: {
      name: `${backlog / 20} events for 10 that are quick`,
      async start(projectId) {
        for (let count = 0; count < 10; count += 1) {
          await makeSubscription(projectId, { url: `${url}/instant/w${count}` });
        }
        await multiply(projectId, backlog / 20);
      },
    },
    flood: { name: `${backlog} events for one that is quick`, start: accumulate('instant') },
  };
}

/**
 * What a project does to another one beside it: A's latency alone, and beside a project B with receivers that hang, answer
 * late or drip, names that hang, health checks that hang, and backlogs. Each row has a delivering process of its own, `visitors`
 * the whole product, which has to be built,
 * and A is measured alone before, between and after. Everything is on one machine, so B's use of the processors counts
 * too.
 * @param asked names of rows; none: all
 */
export async function run(asked: string[]) {
  const hanging = await startNameServer((name) => (name.endsWith('.hang') ? undefined : '127.0.0.1'));
  process.env.WEBHOOK_NAME_SERVERS = hanging.address;
  // Each has receivers of its own: A's would otherwise read its requests late while it answers B's.
  const receiver = await start('receiver.mjs');
  const receiverOfB = await start('receiver.mjs');
  // A host name, so that requests are resolved as well.
  const urlOf = ({ said }: { said: unknown }) => `http://receiver.test:${new URL(String(said)).port}`;
  const url = urlOf(receiver);
  const { child: publisher } = await start('webhooks.publisher.ts');

  async function measureBeside(neighbour: Neighbour | null): Promise<Row> {
    const { child: worker } = await start('webhooks.worker.ts');
    await measure('warm-up', url, publisher, 3);
    const { project } = await makeProject();
    await neighbour?.start(project.id);
    const row = await measure(neighbour?.name ?? 'alone', url, publisher);
    await end(worker);
    await db.webhookSubscription.deleteMany({ where: { projectId: project.id } });
    await pool.query('DELETE FROM pending_event');
    await pool.query('VACUUM ANALYZE domain_event, pending_event, webhook_delivery, webhook_attempt');
    return row;
  }

  console.log(`A sends ${rate} events a second for ${seconds} s.\n`);
  const show = ({ name, p50, p99, usualP99, lost }: Row, aim = '') => {
    const tail = `p99 ${p99} ms, of a usual second ${usualP99} ms`;
    console.log(`${name.padEnd(44)} p50 ${p50} ms`.padEnd(60), tail.padEnd(40), `lost ${lost}   ${aim}`);
  };

  /**
   * The whole product beside visitors of one block that ask for pages, accounts and pages that are not there, and beside as many
   * requests that cost little.
   */
  async function measureBesideVisitors(): Promise<{ beside: Row; cheap: Row }> {
    const product = await startProduct();
    const { child: crowd } = await start('crowd.mjs');
    const { project } = await makeProject();
    const { slug } = await makeTournament(project.id);
    const visit = async (kind: 'pages' | 'cheap', forSeconds: number, rate?: number) => {
      const block = kind === 'pages' ? '127.8.0' : '127.8.1';
      crowd.send({ url: product.url, kind, visitors, seconds: forSeconds, page: `/tournaments/${slug}`, block, rate });
      const [answered] = await once(crowd, 'message');
      return Number(answered);
    };
    await Promise.all([visit('pages', 10), measure('warm-up', url, publisher, 10)]);
    const name = `${visitors} visitors: pages, sign-ups, 404s`;
    const [beside, answered] = await Promise.all([measure(name, url, publisher), visit('pages', seconds)]);
    const many = `${answered} health checks instead`;
    const [cheap] = await Promise.all([measure(many, url, publisher), visit('cheap', seconds, answered / seconds)]);
    await end(crowd);
    product.child.kill('SIGTERM');
    await once(product.child, 'exit');
    return { beside, cheap };
  }

  let worst = { ratio: 0, ours: 0, floor: 1 };
  const count = (beside: Row, floor: number) => {
    const ratio = beside.lost > 0 ? Number.POSITIVE_INFINITY : beside.p99 / floor;
    if (ratio > worst.ratio) worst = { ratio, ours: beside.p99, floor };
  };
  if (asked.length === 0 || asked.includes('visitors')) {
    const { beside, cheap } = await measureBesideVisitors();
    show(beside, `aim ${Math.round(1.2 * cheap.p99 + 10)} ms`);
    show(cheap);
    count(beside, cheap.p99);
  }
  let before = await measureBeside(null);
  show(before);
  for (const [key, neighbour] of Object.entries(neighboursAt(urlOf(receiverOfB)))) {
    if (asked.length > 0 && !asked.includes(key)) continue;
    const beside = await measureBeside(neighbour);
    const after = await measureBeside(null);
    const floor = (before.p99 + after.p99) / 2;
    show(beside, `aim ${Math.round(1.2 * floor + 10)} ms`);
    show(after);
    count(beside, floor);
    before = after;
  }
  await Promise.all([end(receiver.child), end(receiverOfB.child), end(publisher), hanging.close()]);
  return { name: 'isolation', aim: '1.2x + 10 ms', unit: 'ms p99', ...worst };
}
