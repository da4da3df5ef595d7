import { hkdfSync } from 'node:crypto';
import { EncryptJWT } from 'jose';
import { encode } from 'next-auth/jwt';
import { afterAll, expect, test } from 'vitest';
import { env } from '@/env';
import { sessionUser } from '@/server/auth/session';
import { closeDatabase, db } from '@/server/db';
import { authOptions } from '@/server/http/web-auth';
import { endSessions, lockUser } from '@/server/routers/auth/data';
import { makeUser } from '@/test/factories';

afterAll(() => closeDatabase());

const secret = env.AUTH_SECRET ?? '';
const cookie = async (token: object, key = secret, name = 'next-auth.session-token') =>
  new Headers({ cookie: `theme=dark; ${name}=${await encode({ token: { ...token }, secret: key })}; bad` });

test('a session cookie is valid until the user signs out everywhere', async () => {
  const user = await makeUser();
  const headers = await cookie({ sub: user.id, sv: 0 });
  expect(await sessionUser(headers)).toMatchObject({ id: user.id, email: user.email });
  await db.$transaction(async (tx) => {
    await lockUser(tx, user.id);
    await endSessions(tx, user.id, { accessTokens: false });
  });
  expect(await sessionUser(headers)).toBeNull();
});

test('cookies and headers that are not ours start no session', async () => {
  const user = await makeUser();
  const token = { sub: user.id, sv: 0 };
  expect(await sessionUser(new Headers())).toBeNull();
  expect(await sessionUser(new Headers({ cookie: 'next-auth.session-token=%E0%A4%A' }))).toBeNull();
  expect(await sessionUser(await cookie(token, 'another secret of thirty-two bytes'))).toBeNull();
  expect(await sessionUser(await cookie(token, secret, '__Secure-next-auth.session-token'))).toBeNull();
  expect(await sessionUser(await cookie({ sub: user.id }))).toBeNull();
  const bearer = `Bearer ${await encode({ token, secret })}`;
  expect(await sessionUser(new Headers({ authorization: bearer }))).toBeNull();
});

test('a cookie that has its key derived from a password is not decrypted, however right it is', async () => {
  const { id: sub } = await makeUser();
  const key = new Uint8Array(hkdfSync('sha256', secret, '', 'NextAuth.js Generated Encryption Key', 32));
  const sealedBy = (alg: string) =>
    new EncryptJWT({ sub, sv: 0 }).setProtectedHeader({ alg, enc: 'A256GCM' }).setIssuedAt().encrypt(key);
  const headersOf = (token: string) => new Headers({ cookie: `next-auth.session-token=${token}` });
  expect(await sessionUser(headersOf(await sealedBy('dir')))).toMatchObject({ id: sub });
  const costly = await sealedBy('PBES2-HS512+A256KW');
  expect(await sessionUser(headersOf(costly))).toBeNull();
  expect(await authOptions.jwt?.decode?.({ token: costly, secret })).toBeNull();
});

test('a session ends thirty days after the sign-in, however often its cookie was renewed', async () => {
  const { id: sub } = await makeUser();
  const renew = async (daysAgo: number) => {
    const iat = Math.floor(Date.now() / 1000) - daysAgo * 86_400;
    const renewed = await authOptions.callbacks?.jwt?.({ token: { sub, sv: 0, iat } } as never);
    return cookie((await authOptions.callbacks?.jwt?.({ token: { ...renewed } } as never)) ?? {});
  };
  expect(await sessionUser(await renew(29))).toMatchObject({ id: sub });
  expect(await sessionUser(await renew(30))).toBeNull();
});
