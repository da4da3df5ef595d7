import { webcrypto } from 'node:crypto';
import { errors as joseErrors, jwtVerify, SignJWT } from 'jose';
import { lifetimes } from '@/domain/accounts/lifetimes';
import { second } from '@/domain/time/durations';
import { env } from '@/env';
import { Prisma } from '@/generated/prisma/client';
import type { UserGetPayload } from '@/generated/prisma/models';
import { hashToken } from '@/server/auth/api-keys';
import { lastUseOf } from '@/server/auth/last-use';
import { anyOf, columnsOf, db, rowsOf } from '@/server/db';
import { Batcher } from '@/server/jobs/embedded/batcher';

export type AuthUser = {
  id: string;
  email: string;
  name: string;
  timezone: string | null;
  emailVerified: boolean;
  suspended: boolean;
  instanceAdmin: boolean;
  /** Raised whenever all sessions end. */
  sessionVersion: number;
  /** When its address proved to be somebody else's than whoever may have created it; null: never. */
  takenOverAt: Date | null;
};

let imported: Promise<webcrypto.CryptoKey> | undefined;

/** Imported once: jose would import bytes again for each token. */
function signingKey(): Promise<webcrypto.CryptoKey> {
  if (!env.AUTH_SECRET) throw new Error('AUTH_SECRET is not set');
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  imported ??= webcrypto.subtle.importKey('raw', Buffer.from(env.AUTH_SECRET), algorithm, false, ['sign', 'verify']);
  return imported;
}

const userSelect = {
  id: true,
  email: true,
  name: true,
  timezone: true,
  emailVerifiedAt: true,
  suspendedAt: true,
  instanceAdmin: true,
  sessionVersion: true,
  takenOverAt: true,
} as const;
type UserRow = UserGetPayload<{ select: typeof userSelect }>;

/**
 * Whether an account administers the instance: by its flag in the database, or by a confirmed address in
 * INSTANCE_ADMINS.
 */
export function isInstanceAdmin(user: {
  email: string;
  emailVerifiedAt: Date | null;
  instanceAdmin: boolean;
}): boolean {
  return user.instanceAdmin || (user.emailVerifiedAt !== null && env.INSTANCE_ADMINS.includes(user.email));
}

/** Requests that arrive while a statement runs share the next one. */
const users = new Batcher<string, UserRow | null>(100, async (ids) => {
  const rows = await rowsOf<UserRow>(
    db,
    Prisma.sql`SELECT ${columnsOf('u', userSelect)} FROM "user" u WHERE u."id" = ${anyOf(ids)}`,
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => found.get(id) ?? null);
});

/** The user, unless their account was deleted or all sessions of `sessionVersion` were ended. */
export async function loadUser(id: string, sessionVersion?: number): Promise<AuthUser | null> {
  const row = await users.add(id);
  return row && (sessionVersion === undefined || row.sessionVersion === sessionVersion) ? toAuthUser(row) : null;
}

function toAuthUser(row: UserRow): AuthUser {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    timezone: row.timezone,
    emailVerified: row.emailVerifiedAt !== null,
    suspended: row.suspendedAt !== null,
    instanceAdmin: isInstanceAdmin(row),
    sessionVersion: row.sessionVersion,
    takenOverAt: row.takenOverAt,
  };
}

const issuer = 'laurel';
const tokenType = { alg: 'HS256', typ: 'at+jwt' };

/** A signed access token (JWT, HS256). */
export async function signAccessToken(user: { id: string; sessionVersion: number }): Promise<string> {
  return new SignJWT({ sv: user.sessionVersion })
    .setProtectedHeader(tokenType)
    .setSubject(user.id)
    .setIssuer(issuer)
    .setIssuedAt()
    .setExpirationTime(`${lifetimes.accessToken / second}s`)
    .sign(await signingKey());
}

type Claims = { sub: string; sv: number; exp: number };

/** Access tokens whose signatures this process has checked: checking one takes longer than reading its user. */
const checked = new Map<string, Claims>();
const maxChecked = 10_000;

/** What an access token says; null when it is not ours, or has expired. */
async function readAccessToken(token: string): Promise<Claims | null> {
  const known = checked.get(token);
  if (known) return known.exp > Math.floor(Date.now() / second) ? known : null;
  const { alg, typ } = tokenType;
  try {
    const rules = { issuer, typ, algorithms: [alg], requiredClaims: ['exp'] };
    const { payload } = await jwtVerify(token, await signingKey(), rules);
    const { sub, sv, exp = 0 } = payload;
    if (typeof sub !== 'string' || typeof sv !== 'number') return null;
    const [oldest] = checked.keys();
    if (checked.size >= maxChecked && oldest !== undefined) checked.delete(oldest);
    const claims = { sub, sv, exp };
    checked.set(token, claims);
    return claims;
  } catch (error) {
    if (error instanceof joseErrors.JOSEError) return null;
    throw error;
  }
}

/** Whether an `Authorization` header has a personal access token. */
export function hasPersonalToken(authorization: string | undefined): boolean {
  return /^Bearer +lpat_/i.test(authorization ?? '');
}

/** The user behind a Bearer value: an access token or a personal access token (`lpat_…`). Null when it is not valid. */
export async function resolveBearer(token: string): Promise<AuthUser | null> {
  if (token.startsWith('lpat_')) return resolvePersonalAccessToken(token);
  const claims = await readAccessToken(token);
  return claims && (await loadUser(claims.sub, claims.sv));
}

type TokenRow = UserRow & { tokenHash: string; tokenId: string };

/** As `users`: anybody can send tokens that do not exist, and no flood of them may stand in the line for the database. */
const accessTokens = new Batcher<string, TokenRow | null>(100, async (hashes) => {
  const rows = await rowsOf<TokenRow>(
    db,
    Prisma.sql`
    SELECT ${columnsOf('u', userSelect)}, t."tokenHash", t."id" AS "tokenId"
    FROM "personal_access_token" t JOIN "user" u ON u."id" = t."userId"
    WHERE t."tokenHash" = ${anyOf(hashes)} AND t."revokedAt" IS NULL AND (t."expiresAt" IS NULL OR t."expiresAt" > now())`,
  );
  const found = new Map(rows.map((row) => [row.tokenHash, row]));
  return hashes.map((hash) => found.get(hash) ?? null);
});

const recordUse = lastUseOf('personal_access_token');

async function resolvePersonalAccessToken(token: string): Promise<AuthUser | null> {
  const row = await accessTokens.add(hashToken(token));
  if (!row) return null;
  recordUse(row.tokenId);
  return toAuthUser(row);
}
