import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { env } from '@/env';
import { mintClientToken } from '@/server/auth/anti-cheat-clients';
import { db } from '@/server/db';
import { makeAntiCheatClient, makeProject, makeUser } from '@/test/factories';
import { holdLock, waiting } from '@/test/locks';
import { until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';
import { changeInTurn, changesOfCaller, changesOfNetwork, reportInTurn, reportsOfCaller } from './turns';

const api = setupTestServer();
beforeAll(() => {
  env.TRUSTED_PROXIES = 1;
});
afterAll(() => {
  env.TRUSTED_PROXIES = 0;
});

/** Enrolls clients of an account. */
async function enroll(projectId: string, userId: string, count: number) {
  const all = Array.from({ length: count }, async () => {
    const { token, tokenHash } = mintClientToken();
    const { id } = await makeAntiCheatClient(projectId, userId);
    await db.antiCheatClient.update({ where: { id }, data: { tokenHash } });
    return { id, token };
  });
  return Promise.all(all);
}

let sequence = 0;
const send = (token: string, ip: string, headers: Record<string, string> = {}) => {
  sequence += 1;
  const report = { sequence, at: new Date().toISOString(), kind: 'reaction', data: { ms: 200 } };
  return api.post('/anti-cheat/clients/me/reports', {
    bearer: `Bearer ${token}`,
    body: { reports: [report] },
    headers: { 'X-Forwarded-For': ip, ...headers },
  });
};

test('of the clients of one account a few report at a time, and those of others of its network beside', async () => {
  const ip = '198.51.100.50';
  const { project, owner } = await makeProject();
  const clients = await enroll(project.id, owner.id, 3 * reportsOfCaller);
  const [other] = await enroll(project.id, (await makeUser()).id, 1);
  // Their tokens are known then.
  await Promise.all(clients.map(({ token }) => send(token, ip)));
  const release = await holdLock('SELECT 1 FROM "anti_cheat_client" WHERE "id" = ANY ($1) FOR UPDATE', [
    clients.map(({ id }) => id),
  ]);
  const reports = clients.map(({ token }) => send(token, ip));
  // Two more begin when two have waited for long.
  await until(async () => (await waiting()) === reportsOfCaller + 2);
  for (let count = 0; count < 10; count += 1) expect((await send(other?.token ?? '', ip)).status).toBe(200);
  expect(await waiting()).toBe(reportsOfCaller + 2);
  await release();
  expect(new Set((await Promise.all(reports)).map(({ status }) => status))).toEqual(new Set([200]));
});

test('reports of a venue take no turns of its changes, and those that keep their response do', async () => {
  const ip = '198.51.100.51';
  const { project, owner } = await makeProject();
  const [client] = await enroll(project.id, owner.id, 1);
  const ends: (() => void)[] = [];
  const changes = Array.from({ length: changesOfNetwork }, (_, at) =>
    changeInTurn(
      { ip, caller: `player ${Math.floor(at / changesOfCaller)}` },
      () => new Promise<void>((resolve) => ends.push(resolve)),
    ),
  );
  await expect.poll(() => ends.length).toBe(changesOfNetwork);
  let isKept = false;
  const kept = send(client?.token ?? '', ip, { 'Idempotency-Key': 'one' }).finally(() => {
    isKept = true;
  });
  for (let count = 0; count < 10; count += 1) expect((await send(client?.token ?? '', ip)).status).toBe(200);
  expect(isKept).toBe(false);
  for (const end of ends) end();
  expect((await kept).status).toBe(200);
  await Promise.all(changes);
});

test('past what an account may take of the thread, its reports begin one after the other, by their bytes', async () => {
  const ip = '198.51.100.52';
  const ends: (() => void)[] = [];
  const begun = { small: 0, large: 0, others: 0 };
  const report = (caller: string, bytes: number, name: keyof typeof begun) =>
    reportInTurn({ ip, caller }, bytes, () => {
      begun[name] += 1;
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const few = Array.from({ length: reportsOfCaller }, () => report('honest', 4 * 1024, 'small'));
  await expect.poll(() => begun.small).toBe(reportsOfCaller);
  // Three of these are more than a tenth of a second.
  const many = Array.from({ length: 12 }, () => report('flooding', 80 * 1024, 'large'));
  await expect.poll(() => begun.large).toBe(3);
  for (let round = 0; round < 50; round += 1) await setImmediate();
  expect(begun.large).toBe(3);
  const others = Array.from({ length: reportsOfCaller }, () => report('another', 4 * 1024, 'others'));
  await expect.poll(() => begun.others).toBe(reportsOfCaller);
  const all = [...few, ...many, ...others];
  while (begun.large < many.length || ends.length > 0) {
    for (const end of ends.splice(0)) end();
    await setImmediate();
  }
  await Promise.all(all);
});
