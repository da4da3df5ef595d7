import { afterEach, expect, test, vi } from 'vitest';
import { resolveApiKey } from '@/server/auth/api-keys';
import { createContext } from '@/server/context';
import { db } from '@/server/db';
import { makeApiKey, makeProject, makeUser } from '@/test/factories';

const facts = { requestId: 'req_1', ip: '127.0.0.1', transport: 'rest', setHeader: () => undefined } as const;

const realNow = performance.now.bind(performance);
/** Moves the clock of the process to so many seconds from now. */
function passSeconds(seconds: number): void {
  vi.spyOn(performance, 'now').mockImplementation(() => realNow() + seconds * 1_000);
}
afterEach(() => vi.restoreAllMocks());

test('a request that has waited since its session was looked up asks again whether it has ended', async () => {
  const { id, bearer } = await makeUser();
  const context = createContext({ ...facts, authorization: bearer });
  expect((await context.requireUser()).id).toBe(id);
  await db.user.update({ where: { id }, data: { sessionVersion: { increment: 1 } } });
  passSeconds(1);
  await expect(context.requireUser()).rejects.toMatchObject({ reason: 'INVALID_ACCESS_TOKEN' });
});

test('so does one with an API key, and is counted once', async () => {
  const { project } = await makeProject();
  const { id, key } = await makeApiKey(project.id);
  const left: string[] = [];
  const setHeader = (name: string, value: string) => {
    if (name === 'X-RateLimit-Remaining') left.push(value);
  };
  const context = createContext({ ...facts, setHeader, apiKey: key });
  expect((await context.requireKey()).id).toBe(id);
  passSeconds(1);
  expect((await context.requireKey()).id).toBe(id);
  expect(left).toHaveLength(1);

  await db.apiKey.update({ where: { id }, data: { revokedAt: new Date() } });
  await vi.waitUntil(async () => (await resolveApiKey(key)) === null, { timeout: 10_000 });
  passSeconds(2);
  await expect(context.requireKey()).rejects.toMatchObject({ reason: 'API_KEY_INVALID' });
});

test('streams share a look-up by the cookie where the header for tokens is empty', async () => {
  const open = (id: string, authorization?: string) => {
    const user = { id, email: `${id}@players.test`, name: id, emailVerified: true, suspended: false };
    return createContext({
      ...facts,
      ...(authorization === undefined ? {} : { authorization }),
      cookie: `session=${id}`,
      sessionUser: async () => user as never,
    });
  };
  for (const authorization of ['', undefined]) {
    const streams = ['usr_a', 'usr_b', 'usr_a'].map((id) => open(id, authorization));
    for (const stream of streams) stream.recheckUser();
    const users = await Promise.all(streams.map((stream) => stream.requireUser()));
    expect(users.map(({ id }) => id)).toEqual(['usr_a', 'usr_b', 'usr_a']);
  }
});

test('streams of an account whose address is not confirmed do not count for whoever confirms it', async () => {
  const counted: (string | null)[] = [];
  const countStream = async (account: string | null) => void counted.push(account);
  for (const emailVerified of [false, true]) {
    const user = { id: 'usr_a', email: 'a@players.test', name: 'A', emailVerified, suspended: false };
    await createContext({ ...facts, countStream, sessionUser: async () => user as never }).admitStream();
  }
  await createContext({ ...facts, countStream }).admitStream();
  expect(new Set(counted).size).toBe(3);
  expect(counted.slice(1)).toEqual(['usr_a', null]);
});
