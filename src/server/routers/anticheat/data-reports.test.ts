import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { type EnrolledClient, mintClientToken } from '@/server/auth/anti-cheat-clients';
import { closeDatabase, db } from '@/server/db';
import { makeProject, makeUser } from '@/test/factories';
import { holdLock, someoneWaits } from '@/test/locks';
import { deleteOldReports, recordHeartbeat, storeReports } from './data-reports';
import { findOpenSessions } from './data-rounds';
import type { NewReport } from './schema';

afterAll(() => closeDatabase());

/** Enrolled clients of a project. */
async function enroll(count: number): Promise<EnrolledClient[]> {
  const { project } = await makeProject();
  const { id: userId } = await makeUser();
  const clients = Array.from({ length: count }, () => {
    const { tokenHash } = mintClientToken();
    return { id: newId('acl'), projectId: project.id, userId, tokenHash };
  });
  await db.antiCheatClient.createMany({ data: clients });
  return clients;
}

const report = (sequence: number, at = new Date().toISOString()): NewReport => ({
  sequence,
  at,
  kind: 'reaction',
  data: { ms: 200 },
});
const storedOf = (client: EnrolledClient) => db.antiCheatReport.count({ where: { clientId: client.id } });

test('reports of many clients that arrive together are all stored, each under its own client', async () => {
  const clients = await enroll(300);
  const answers = await Promise.all(
    clients.flatMap((client) => [
      storeReports(client, [report(1), report(2)]),
      recordHeartbeat(client),
      storeReports(client, [report(2), report(3)]),
    ]),
  );
  expect(answers).toHaveLength(900);
  const groups = await db.antiCheatReport.groupBy({
    by: ['clientId'],
    where: { clientId: { in: clients.map(({ id }) => id) } },
    _count: true,
  });
  expect(groups.map(({ _count }) => _count)).toEqual(clients.map(() => 3));
  const rows = await db.antiCheatClient.findMany({ where: { id: { in: clients.map(({ id }) => id) } } });
  for (const row of rows) expect(row).toMatchObject({ lastSequence: 3n, lastHeartbeatAt: expect.any(Date) });
});

test('a client whose row is in use waits alone', async () => {
  const [held, free] = await enroll(2);
  if (!held || !free) throw new Error('no clients');
  const release = await holdLock('SELECT 1 FROM "anti_cheat_client" WHERE "id" = $1 FOR UPDATE', [held.id]);
  let stored = false;
  const waiting = storeReports(held, [report(1)]).finally(() => {
    stored = true;
  });
  await someoneWaits();
  expect(await storeReports(free, [report(1)])).toEqual({ accepted: 1, lastSequence: 1 });
  expect(stored).toBe(false);
  await release();
  expect(await waiting).toEqual({ accepted: 1, lastSequence: 1 });
});

test('reports that PostgreSQL does not take fail alone', async () => {
  const clients = await enroll(20);
  const outcomes = await Promise.allSettled(
    clients.map((client, index) =>
      storeReports(client, [report(1, index === 7 ? '+200000-01-01T00:00:00Z' : undefined)]),
    ),
  );
  expect(outcomes.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([7]);
  const counts = await Promise.all(clients.map(storedOf));
  expect(counts).toEqual(clients.map((_, index) => (index === 7 ? 0 : 1)));
});

test('what one project sends at once does not come before what another sends', async () => {
  const [flooding, [calm]] = [await enroll(700), await enroll(1)];
  if (!calm) throw new Error('no client');
  const release = await holdLock('LOCK TABLE "anti_cheat_report" IN SHARE MODE');
  const floods = [storeReports(flooding[0] ?? calm, [report(1)])];
  await someoneWaits();
  for (const client of flooding.slice(1)) floods.push(storeReports(client, [report(1)]));
  const answer = storeReports(calm, [report(1)]);
  await release();
  await Promise.all([...floods, answer]);
  const { receivedAt } = await db.antiCheatReport.findFirstOrThrow({ where: { clientId: calm.id } });
  const later = await db.antiCheatReport.count({
    where: { clientId: { in: flooding.map(({ id }) => id) }, receivedAt: { gt: receivedAt } },
  });
  expect(later).toBeGreaterThan(400);
});

test('a token that stops working is refused at once, although it is remembered', async () => {
  const { id: userId } = await makeUser();
  const ends: [string, (client: EnrolledClient) => Promise<unknown>][] = [
    ['revoked', ({ id }) => db.antiCheatClient.update({ where: { id }, data: { revokedAt: new Date() } })],
    [
      'rotated',
      ({ id }) => db.antiCheatClient.update({ where: { id }, data: { tokenHash: randomBytes(32).toString('hex') } }),
    ],
    ['suspended', () => db.user.update({ where: { id: userId }, data: { suspendedAt: new Date() } })],
    ['deleted', ({ id }) => db.antiCheatClient.delete({ where: { id } })],
  ];
  for (const [name, end] of ends) {
    const [client] = await enroll(1);
    if (!client) throw new Error('no client');
    await db.antiCheatClient.update({ where: { id: client.id }, data: { userId } });
    await db.user.update({ where: { id: userId }, data: { suspendedAt: null } });
    await recordHeartbeat(client);
    await end(client);
    await expect(recordHeartbeat(client), name).rejects.toMatchObject({ reason: 'CLIENT_TOKEN_INVALID' });
    await expect(storeReports(client, [report(1)]), name).rejects.toMatchObject({ reason: 'CLIENT_TOKEN_INVALID' });
    expect(await storedOf(client)).toBe(0);
  }
});

test('old reports are deleted to the last one, and younger ones stay', async () => {
  const clients = await enroll(130);
  const ids = clients.map(({ id }) => id);
  const month = 30 * 86_400_000;
  await db.$executeRaw`
    INSERT INTO "anti_cheat_report" ("clientId", "sequence", "at", "receivedAt", "kind", "data")
    SELECT c, n, now(), now() - interval '30 days' + (n - 200) * interval '1 minute', 'reaction', '{"ms": 200}'
    FROM unnest(${ids}::text[]) c, generate_series(1, 400) n`;
  // Enough for one client to fill several batches.
  await db.$executeRaw`
    INSERT INTO "anti_cheat_report" ("clientId", "sequence", "at", "receivedAt", "kind", "data")
    SELECT ${ids[0]}, n, now(), now() - interval '31 days', 'reaction', '{"ms": 200}' FROM generate_series(1000, 26000) n`;
  const before = new Date(Date.now() - month);
  let [total, after] = [0, ''];
  for (let next: string | null = ''; next !== null; after = next ?? '') {
    const outcome = await deleteOldReports(after, before);
    total += outcome.deleted;
    next = outcome.next;
  }
  const [left] = await db.$queryRaw<{ old: number; young: number }[]>`
    SELECT count(*) FILTER (WHERE "receivedAt" < ${before})::int AS old,
      count(*) FILTER (WHERE "receivedAt" >= ${before})::int AS young
    FROM "anti_cheat_report" WHERE "clientId" = ANY(${ids})`;
  expect(left?.old).toBe(0);
  expect(total).toBe(130 * 400 + 25_001 - (left?.young ?? 0));
  expect(left?.young).toBeGreaterThan(130 * 195);
  expect(await deleteOldReports('', before)).toEqual({ deleted: 0, next: null });
});

test('a project with many sessions is evaluated in turn with the others', async () => {
  const sessionsOf = async (count: number) => {
    const { project } = await makeProject();
    const ids = Array.from({ length: count }, () => newId('acs'));
    await db.antiCheatSession.createMany({
      data: ids.map((id, index) => ({
        id,
        projectId: project.id,
        matchId: 'm',
        game: 'cs2' as const,
        evaluatedUntil: new Date(Date.now() - 60_000 * (count - index)),
      })),
    });
    return ids;
  };
  const [busy, calm] = [await sessionsOf(40), await sessionsOf(2)];
  const found = (await findOpenSessions(1_000)).map(({ id }) => id);
  expect(found.indexOf(calm[1] ?? '')).toBeLessThan(found.indexOf(busy[2] ?? ''));
  expect(busy.map((id) => found.indexOf(id))).toEqual(busy.map((id) => found.indexOf(id)).sort((a, b) => a - b));
});
