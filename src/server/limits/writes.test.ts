import { afterEach, expect, test } from 'vitest';
import { env } from '@/env';
import { db } from '@/server/db';
import { consumeAttempts } from '@/server/limits/rate-limit';
import { attempts } from '@/server/routers/auth/rules';
import { startCup } from '@/server/routers/matches/matches.fixture';
import { makeMember, makeUser } from '@/test/factories';
import { holdLock, someoneWaits, waiting } from '@/test/locks';
import { setupTestServer } from '@/test/server';
import { takeNow } from './take-now';
import { countWrite, uncountedWrites } from './writes';

const server = setupTestServer();
const defaults = { ...env };
afterEach(() => void Object.assign(env, defaults));

test('an account changes so many things in a day, and its first thousand cost no statement', async () => {
  env.WRITES_PER_USER_PER_DAY = 5;
  const user = await makeUser();
  const rename = () => server.patch('/me', { bearer: user.bearer, body: { name: 'Ada' } });
  for (let count = 0; count < uncountedWrites; count += 1) await countWrite(user.id);
  const windows = () => db.$queryRaw`SELECT 1 FROM "rate_limit_window" WHERE "subject" = ${`quota:writes:${user.id}`}`;
  expect(await windows()).toEqual([]);
  const answers = await Promise.all(Array.from({ length: 12 }, rename));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused).toMatchObject({ reason: 'QUOTA_EXCEEDED' });
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await server.get('/me', { bearer: user.bearer })).toMatchObject({ status: 200 });
  const other = await makeUser();
  expect(await server.patch('/me', { bearer: other.bearer, body: { name: 'Bo' } })).toMatchObject({ status: 200 });
});

test('however many writes of an account are counted at once, one of them waits in the database', async () => {
  const [user, other] = [await makeUser(), await makeUser()];
  await takeNow('writes', user.id);
  const window = [`quota:writes:${user.id}`];
  const release = await holdLock('SELECT FROM "rate_limit_window" WHERE "subject" = $1 FOR UPDATE', window);
  const taken = Array.from({ length: 8 }, () => takeNow('writes', user.id));
  await someoneWaits();
  // Others are counted meanwhile, again and again.
  for (let round = 0; round < 5; round += 1) {
    await takeNow('writes', other.id);
    expect(await waiting()).toBe(1);
  }
  await release();
  await Promise.all(taken);
});

test('what takes the server long is limited by account, whether it succeeds or not', async () => {
  env.HEAVY_CALLS_PER_USER_PER_MINUTE = 3;
  const cup = await startCup(server, 4);
  const exportOnce = (bearer: string) => server.get(`/tournaments/${cup.tournamentId}/export`, { bearer });
  const organizer = await makeMember(cup.project.id, 'ORGANIZER');
  const statuses = [];
  for (let count = 0; count < 4; count += 1) statuses.push((await exportOnce(organizer.bearer)).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
  const draw = await server.get(`/tournaments/${cup.tournamentId}/draw`, organizer);
  expect(draw).toMatchObject({ status: 429, reason: 'QUOTA_EXCEEDED' });
  expect(await exportOnce((await makeMember(cup.project.id, 'ORGANIZER')).bearer)).toMatchObject({ status: 200 });
});

test('signing in and refreshing again and again does not store tokens without end', async () => {
  const user = await makeUser();
  const email = `${user.id}@limits.test`;
  const password = 'correct horse battery';
  await server.post('/auth/register', { body: { email, password, name: 'Ada' } });
  type Pair = { refreshToken: string };
  const first = await server.post<Pair>('/auth/token', { body: { email, password } });
  const { id } = await db.user.findUniqueOrThrow({ where: { email } });
  // All but the one above and the one below.
  for (let count = 2; count < attempts.signIns.points; count += 1)
    await consumeAttempts('sign-ins', id, attempts.signIns);
  const next = await server.post<Pair>('/auth/refresh', { body: { refreshToken: first.body.refreshToken } });
  expect(next.status).toBe(200);
  const { refreshToken } = next.body;
  expect(await server.post('/auth/refresh', { body: { refreshToken } })).toMatchObject({ status: 429 });
  expect(await server.post('/auth/token', { body: { email, password } })).toMatchObject({ status: 429 });
});
