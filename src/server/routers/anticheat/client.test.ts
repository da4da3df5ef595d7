import { afterEach, expect, test } from 'vitest';
import { env } from '@/env';
import { db } from '@/server/db';
import { isClientRunning } from '@/server/routers/anticheat/data';
import { makeMember } from '@/test/factories';
import { holdLock } from '@/test/locks';
import { until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';
import { injector, setupAntiCheat } from './anticheat.fixture';

const server = setupTestServer();
const defaults = { ...env };
afterEach(() => void Object.assign(env, defaults));

const aim = (sequence: number) => ({
  sequence,
  at: new Date().toISOString(),
  kind: 'aim',
  data: { degrees: 10, durationMs: 80, hit: true, weapon: 'ak47' },
});

const withFields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, at]));

test('a heartbeat makes the client run, and only with its own token', async () => {
  const { project, player, apiKey, enroll } = await setupAntiCheat(server);
  const client = await enroll();
  const running = () => isClientRunning(db, { projectId: project.id, gameId: 'cs2' }, player.id);
  expect(await running()).toBe(false);
  expect(await client.beat()).toMatchObject({ status: 200, body: { serverTime: expect.any(String) } });
  expect(await running()).toBe(true);
  const path = '/anti-cheat/clients/me/heartbeat';
  for (const credentials of [{}, player, { bearer: 'Bearer lac_unknown' }, { apiKey }]) {
    expect(await server.post(path, credentials)).toMatchObject({ status: 401, reason: 'CLIENT_TOKEN_INVALID' });
  }
  const asUser = await server.get('/me', { bearer: `Bearer ${client.token}` });
  expect(asUser).toMatchObject({ status: 401, reason: 'INVALID_ACCESS_TOKEN' });
});

test('reports are stored once, in whatever order they arrive', async () => {
  const { enroll } = await setupAntiCheat(server);
  const client = await enroll();
  expect(await client.report(aim(4), aim(5))).toMatchObject({ status: 200, body: { accepted: 2, lastSequence: 5 } });
  expect(await client.report(aim(1), aim(2), aim(4))).toMatchObject({ body: { accepted: 2, lastSequence: 5 } });
  const again = await Promise.all(Array.from({ length: 8 }, () => client.report(aim(5), aim(6), aim(7))));
  expect(again.reduce((sum, { body }) => sum + body.accepted, 0)).toBe(2);
  const rows = await db.antiCheatReport.findMany({ where: { clientId: client.id }, orderBy: { sequence: 'asc' } });
  expect(rows.map(({ sequence }) => Number(sequence))).toEqual([1, 2, 4, 5, 6, 7]);
  expect(rows[0]).toMatchObject({ kind: 'aim', data: { weapon: 'ak47' } });
});

test('a batch with one bad report is refused as a whole, and the place is named', async () => {
  const { enroll } = await setupAntiCheat(server);
  const client = await enroll();
  const bad: [Record<string, unknown>, string][] = [
    [{ ...aim(2), kind: 'screen' }, 'reports.1.kind'],
    [{ ...aim(2), data: { degrees: 'far' } }, 'reports.1.data.degrees'],
    [{ ...aim(2), data: { ...aim(2).data, note: 'x'.repeat(5_000) } }, 'reports.1.data'],
    [{ ...aim(2), data: { ...aim(2).data, ...withFields(98) } }, 'reports.1.data'],
    [{ ...aim(2), data: { ...aim(2).data, nested: withFields(97) } }, 'reports.1.data'],
    [{ ...aim(2), at: 'yesterday' }, 'reports.1.at'],
    [{ ...aim(2), sequence: 0 }, 'reports.1.sequence'],
  ];
  for (const [report, path] of bad) {
    const answer = await client.report(aim(1), report);
    expect(answer).toMatchObject({ status: 400, reason: 'VALIDATION_FAILED' });
    expect(answer.text).toContain(`"${path}"`);
  }
  expect((await client.report(...Array.from({ length: 101 }, (_, index) => aim(index + 1)))).status).toBe(400);
  expect(await db.antiCheatReport.count({ where: { clientId: client.id } })).toBe(0);
});

test('one client cannot send without limit, and another is not held up by it', async () => {
  env.ANTI_CHEAT_REPORTS_PER_MINUTE = 10;
  const { enroll } = await setupAntiCheat(server);
  const [flooding, calm] = [await enroll(), await enroll()];
  const floods = await Promise.all(Array.from({ length: 16 }, (_, at) => flooding.report(injector(at + 1))));
  expect(floods.filter(({ status }) => status === 200)).toHaveLength(10);
  const refused = floods.find(({ status }) => status === 429);
  expect(refused).toMatchObject({ reason: 'QUOTA_EXCEEDED' });
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await calm.report(injector(1))).toMatchObject({ status: 200 });
  expect(await flooding.beat()).toMatchObject({ status: 200 });
});

/** A report of about 1 KiB. */
const big = (sequence: number) => ({
  sequence,
  at: new Date().toISOString(),
  kind: 'process',
  data: { name: 'a', note: 'x'.repeat(800) },
});

test('a client cannot send without limit in bytes, and learns when to try again', async () => {
  Object.assign(env, { ANTI_CHEAT_REPORTS_PER_MINUTE: 1_000, ANTI_CHEAT_KIB_PER_CLIENT_PER_HOUR: 10 });
  const { enroll, start } = await setupAntiCheat(server);
  const [flooding, calm] = [await enroll(), await enroll()];
  await start();
  const floods = await Promise.all(Array.from({ length: 16 }, (_, at) => flooding.report(big(at + 1))));
  expect(floods.filter(({ status }) => status === 200)).toHaveLength(10);
  const refused = floods.find(({ status }) => status === 429);
  expect(refused).toMatchObject({ reason: 'QUOTA_EXCEEDED' });
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(refused?.headers.get('x-ratelimit-limit')).toBe('10');
  expect(await db.antiCheatReport.count({ where: { clientId: flooding.id } })).toBe(10);
  expect(await calm.report(big(1))).toMatchObject({ status: 200 });
  expect(await flooding.beat()).toMatchObject({ status: 200 });
  const never = await calm.report(...Array.from({ length: 11 }, (_, at) => big(at + 2)));
  expect([never.status, never.headers.get('retry-after')]).toEqual([429, null]);
  expect(await calm.report(big(2))).toMatchObject({ status: 200, body: { accepted: 1 } });
});

test('past a rate of its own, reports of a client are refused before they are checked or sent to the database', async () => {
  Object.assign(env, { ANTI_CHEAT_REPORTS_PER_MINUTE: 10, ANTI_CHEAT_KIB_PER_CLIENT_PER_HOUR: 10 });
  const { enroll } = await setupAntiCheat(server);
  const [many, large] = [await enroll(), await enroll()];
  expect((await many.report(...[1, 2, 3, 4, 5, 6, 7, 8].map(injector))).status).toBe(200);
  expect((await large.report(...[1, 2, 3, 4, 5, 6].map(big))).status).toBe(200);
  // More than is left, as the database says.
  const [manySaid, largeSaid] = [
    await many.report(injector(9), injector(10), injector(11)),
    await large.report(...[7, 8, 9, 10, 11, 12].map(big)),
  ];
  expect([manySaid.status, largeSaid.status]).toEqual([429, 429]);
  const headers = ({ headers: of }: typeof manySaid) => [of.get('x-ratelimit-limit'), of.get('x-ratelimit-remaining')];

  const unchecked = (report: object) => ({ ...report, kind: 'no such kind' });
  const release = await holdLock('SELECT 1 FROM "anti_cheat_client" WHERE "id" = ANY ($1) FOR UPDATE', [
    [many.id, large.id],
  ]);
  const manyMore = await many.report(...[9, 10, 11].map(injector).map(unchecked));
  const largeMore = await large.report(...[7, 8, 9, 10, 11, 12].map(big).map(unchecked));
  await release();
  for (const [more, said] of [
    [manyMore, manySaid],
    [largeMore, largeSaid],
  ] as const) {
    expect(more).toMatchObject({ status: 429, reason: 'QUOTA_EXCEEDED' });
    expect(Number(more.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(headers(more)).toEqual(headers(said));
  }
  // What is left can be used, in any order.
  expect(await many.report(unchecked(injector(9)))).toMatchObject({ status: 400 });
  expect(await many.report(injector(9), injector(10))).toMatchObject({ status: 200, body: { accepted: 2 } });
  expect(await large.report(big(7))).toMatchObject({ status: 200, body: { accepted: 1 } });
});

test('once the database may have freed a rate, it is asked again', async () => {
  env.ANTI_CHEAT_REPORTS_PER_MINUTE = 2;
  const { enroll } = await setupAntiCheat(server);
  const client = await enroll();
  expect((await client.report(injector(1), injector(2))).status).toBe(200);
  // The window frees them in five seconds.
  await db.$executeRaw`
    UPDATE "rate_limit_window" SET "slots" = ARRAY[(extract(epoch FROM clock_timestamp()) * 1000)::bigint - 55000]
    WHERE "subject" = ${`quota:antiCheatReports:${client.id}`}`;
  expect((await client.report(injector(3))).status).toBe(429);
  await until(async () => (await client.report(injector(3))).status === 200);
});

test('the sessions of a project share a limit in bytes, and clients outside of them cannot use it up', async () => {
  Object.assign(env, { ANTI_CHEAT_KIB_PER_PROJECT_PER_HOUR: 6, ANTI_CHEAT_KIB_OUTSIDE_SESSIONS_PER_HOUR: 3 });
  const { project, enroll, start } = await setupAntiCheat(server);
  const [one, other] = [await enroll(), await enroll()];
  const outsider = await enroll((await makeMember(project.id, 'MEMBER')).bearer);
  await start();
  const outside = await Promise.all(Array.from({ length: 8 }, (_, at) => outsider.report(big(at + 1))));
  expect(outside.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(outside.reduce((sum, { body }) => sum + body.accepted, 0)).toBe(3);
  expect(await db.antiCheatReport.count({ where: { clientId: outsider.id } })).toBe(3);
  const { lastSequence } = await db.antiCheatClient.findUniqueOrThrow({ where: { id: outsider.id } });
  expect(lastSequence).toBe(8n);

  const inside = await Promise.all(Array.from({ length: 10 }, (_, at) => (at % 2 ? one : other).report(big(at + 1))));
  expect(inside.filter(({ status }) => status === 200)).toHaveLength(6);
  expect(inside.find(({ status }) => status === 429)).toMatchObject({ reason: 'QUOTA_EXCEEDED' });
  const stranger = await setupAntiCheat(server);
  const elsewhere = await stranger.enroll();
  await stranger.start();
  expect(await elsewhere.report(big(1))).toMatchObject({ status: 200, body: { accepted: 1 } });
  // What the client's own rates had granted for refused reports came back.
  Object.assign(env, { ANTI_CHEAT_KIB_PER_PROJECT_PER_HOUR: 1_000, ANTI_CHEAT_KIB_PER_CLIENT_PER_HOUR: 12 });
  const more = await Promise.all(Array.from({ length: 6 }, (_, at) => one.report(big(at + 20))));
  expect(more.every(({ status }) => status === 200)).toBe(true);
});

test('a client of a suspended account is refused', async () => {
  const { player, enroll } = await setupAntiCheat(server);
  const client = await enroll();
  await db.user.update({ where: { id: player.id }, data: { suspendedAt: new Date() } });
  expect(await client.beat()).toMatchObject({ status: 401 });
});
