import { getServerSession } from 'next-auth';
import { expect, onTestFinished, test, vi } from 'vitest';
import { db } from '@/server/db';
import { callerStore } from '@/server/http/caller-address';
import { logger } from '@/server/logger';
import { attempts } from '@/server/routers/auth/rules';
import { makeUser } from '@/test/factories';
import { authOptions, guardAuth } from './web-auth';

/** What the guard answers before next-auth; 200 for what it lets pass. */
async function answerTo(path: string, { method = 'GET', ...init }: RequestInit = {}): Promise<Response> {
  const url = new URL(`http://localhost/api/auth/${path}`);
  const nextauth = url.pathname.split('/').slice(3).map(decodeURIComponent);
  const guarded = guardAuth(async () => new Response('passed'));
  return guarded(new Request(url, { method, ...init }), { params: Promise.resolve({ nextauth }) });
}

const json = { 'Content-Type': 'application/json' };

test.each([
  ['callback/credentials', {}, 405],
  ['callback/credentials', { method: 'POST' }, 200],
  ['error/%E2%98%83', {}, 400],
  ['error?error=%0A', {}, 400],
  ['error?error=OAuthCallback', {}, 200],
  [`callback/google?error=${'x'.repeat(101)}`, {}, 400],
  ['session?callbackUrl=foo', {}, 400],
  ['session?callbackUrl=javascript:0', {}, 400],
  ['session?callbackUrl=%2Fme', {}, 200],
  ['session', { headers: { Cookie: 'next-auth.callback-url=foo' } }, 400],
  ['session', { headers: { Cookie: 'next-auth.callback-url=%' } }, 400],
  ['session', { headers: { Cookie: 'next-auth.callback-url=http%3A%2F%2Flocalhost%2Fme' } }, 200],
  ['providers', { headers: json }, 200],
  ['_log', { method: 'POST', headers: json, body: '{"level":"error","code":"x"}' }, 204],
  ['signin', { method: 'POST', headers: json, body: '{' }, 400],
  ['signin', { method: 'POST', headers: json, body: 'null' }, 400],
  ['signin', { method: 'POST', headers: json, body: '{}' }, 200],
  ['signin/discord?prompt=x', { method: 'POST' }, 400],
])('next-auth gets no request that it would fail at: %s %j', async (path, init, status) => {
  expect((await answerTo(path, init)).status).toBe(status);
});

test('people go on to an address of ours that is short enough for a header, and otherwise to the first page', async () => {
  const goOn = (url: string) => authOptions.callbacks?.redirect?.({ url, baseUrl: 'http://localhost' });
  expect(await goOn('/tournaments?q=cup')).toBe('http://localhost/tournaments?q=cup');
  expect(await goOn('https://elsewhere.test/')).toBe('http://localhost');
  for (const part of ['a'.repeat(1_000), '/'.repeat(400), '"'.repeat(200)]) {
    expect(await goOn(`/tournaments/${part}`)).toBe('http://localhost');
  }
});

test('a session cookie that nobody signed is no failure of ours, and writes no line of the log', async () => {
  const errors = vi.spyOn(logger, 'error');
  onTestFinished(() => errors.mockRestore());
  const header = Buffer.from('{"alg":"dir","enc":"A256GCM"}').toString('base64url');
  for (const token of ['x', `${header}..aaaaaaaaaaaaaaaa.bbbb.cccccccccccccccccccccc`]) {
    const req = { headers: {}, cookies: { 'next-auth.session-token': token } };
    const headers: [string, unknown][] = [];
    const res = { getHeader: () => undefined, setHeader: (...header: [string, unknown]) => void headers.push(header) };
    type Args = Parameters<typeof getServerSession>;
    expect(await getServerSession(...([req, res, authOptions] as unknown as Args))).toBeNull();
    expect(JSON.stringify(headers), 'the cookie is removed').toContain('next-auth.session-token=;');
  }
  expect(errors).not.toHaveBeenCalled();
});

test('a failure while it answers gets the status of one', async () => {
  const failing = guardAuth(() => Promise.reject(Object.assign(new Error('no database'), { code: 'ECONNREFUSED' })));
  const context = { params: Promise.resolve({ nextauth: ['session'] }) };
  expect((await failing(new Request('http://localhost/api/auth/session'), context)).status).toBe(503);
});

test('a form whose sender has gone before it was whole is no failure of ours', async () => {
  const failing = guardAuth(() => Promise.reject(new Error('aborted')));
  const context = { params: Promise.resolve({ nextauth: ['callback', 'credentials'] }) };
  const sent = () =>
    failing(new Request('http://localhost/api/auth/callback/credentials', { method: 'POST' }), context);
  const caller = (signal: AbortSignal) => callerStore.run({ ip: '192.0.2.3', signal }, sent);
  expect((await caller(AbortSignal.abort())).status).toBe(499);
  expect((await caller(new AbortController().signal)).status).toBe(500);
});

/** What the guard and next-auth ask of a person at an address who comes back from Discord. */
function from(ip: string, name = 'Ada') {
  const run = <Result>(work: () => Result) => callerStore.run({ ip, signal: AbortSignal.timeout(60_000) }, work);
  const account = { type: 'oauth', provider: 'discord', providerAccountId: ip, access_token: '' } as const;
  return {
    setOut: (provider = 'google') => run(() => answerTo(`signin/${provider}`, { method: 'POST' })),
    comeBack: () => run(() => answerTo('callback/discord?code=none&state=none')),
    isConfirmed: (email: string, { verified }: { verified: boolean }) => {
      const user = { id: ip, name, email: email.toLowerCase() };
      return run(() => authOptions.callbacks?.signIn?.({ user, account, profile: { email, verified } as object }));
    },
  };
}

test('a network that comes back from a provider too often without its word is sent back, and no other', async () => {
  const guesser = from('192.0.2.1');
  for (let count = 1; count < attempts.providerFromAddress.points; count += 1) await guesser.comeBack();
  expect((await guesser.comeBack()).status).toBe(200);
  const refused = await guesser.comeBack();
  expect([refused.status, refused.headers.get('location')]).toEqual([302, '/sign-in?error=TOO_MANY_ATTEMPTS']);
  expect((await from('192.0.2.2').comeBack()).status).toBe(200);
  // The provider knows one of them.
  expect(await guesser.isConfirmed('known@provider.test', { verified: true })).toBe(true);
  expect([(await guesser.comeBack()).status, (await guesser.comeBack()).status]).toEqual([200, 302]);
});

test('a network that sets out for a provider too often is sent back as its page expects it, and no other', async () => {
  const guesser = from('192.0.2.4');
  for (let count = 1; count < attempts.providerFromAddress.points; count += 1) await guesser.setOut();
  expect((await guesser.setOut('twitch')).status).toBe(200);
  const refused = await guesser.setOut();
  expect([refused.status, await refused.json()]).toEqual([429, { url: '/sign-in?error=TOO_MANY_ATTEMPTS' }]);
  expect((await guesser.setOut('credentials')).status).toBe(200);
  expect((await from('192.0.2.5').setOut()).status).toBe(200);
  expect((await guesser.comeBack()).status).toBe(200);
  // The provider knows one of them.
  expect(await guesser.isConfirmed('known-too@provider.test', { verified: true })).toBe(true);
  expect([(await guesser.setOut()).status, (await guesser.setOut()).status]).toEqual([200, 429]);
});

test('a provider vouches for the address that it names, and not for what that is in lower case', async () => {
  const { email } = await makeUser({ email: 'kim@provider.test' });
  const refused = '/sign-in?error=EMAIL_NOT_CONFIRMED';
  expect(await from('192.0.2.9').isConfirmed(email.replace('k', '\u212a'), { verified: true })).toBe(refused);
  expect(await from('192.0.2.9').isConfirmed(email, { verified: false })).toBe(refused);
  expect(await from('192.0.2.9').isConfirmed(email.toUpperCase(), { verified: true })).toBe(true);
});

test('a name at a provider is cut between two characters, because half of one cannot be stored', async () => {
  const long = 'x'.repeat(79);
  for (const [place, name] of [`${long}\u{1f600}`, `A\ud83d`].entries()) {
    const email = `name${place}@provider.test`;
    expect(await from(`192.0.2.${20 + place}`, name).isConfirmed(email, { verified: true })).toBe(true);
    const user = await db.user.findUniqueOrThrow({ where: { email } });
    expect(user.name).toBe([long, 'A\ufffd'][place]);
  }
});
