import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { lifetimes } from '@/domain/accounts/lifetimes';
import { newId } from '@/domain/ids';
import { blockOf, networkOf, siteOf } from '@/domain/network/address-ranges';
import { second } from '@/domain/time/durations';
import { Prisma } from '@/generated/prisma/client';
import { hashToken } from '@/server/auth/api-keys';
import { type AuthUser, isInstanceAdmin, signAccessToken } from '@/server/auth/bearer';
import { passwordMatches } from '@/server/auth/passwords';
import { db, type Tx, waitBriefly } from '@/server/db';
import { refuse } from '@/server/errors';
import { emit, type Origin } from '@/server/events/emit';
import {
  consumeAttempts,
  consumeAttemptsOf,
  forgiveAttempts,
  hashedBlock,
  isRemembered,
  remember,
} from '@/server/limits/rate-limit';
import { attempts, type EmailTokenPurpose, expiryAfter, knownForSeconds } from '@/server/routers/auth/rules';

/** A random secret of 256 bits, and the hash to store. */
export function mintToken(prefix = ''): { token: string; tokenHash: string } {
  const token = prefix + randomBytes(32).toString('base64url');
  return { token, tokenHash: hashToken(token) };
}

export type LockedUser = {
  id: string;
  email: string;
  name: string;
  passwordHash: string | null;
  emailVerifiedAt: Date | null;
  suspendedAt: Date | null;
  sessionVersion: number;
};

/**
 * Locks a user's row until the transaction ends. Whatever creates or ends sessions acquires this lock first, so that no
 * session is created while all of them are being ended. From then on, the transaction waits for no other row for long: a change
 * that the user makes in a tournament waits for this one, and everybody in the tournament with it.
 * @param options.toTakeOver also waits for what holds the account as one whose owner has agreed to play, which sessions do not
 */
export async function lockUser(
  tx: Tx,
  userId: string,
  { toTakeOver = false }: { toTakeOver?: boolean } = {},
): Promise<LockedUser | null> {
  // The filter is looked at once the row is locked: for that, a transaction may wait.
  const rows = await tx.$queryRaw<LockedUser[]>`
    WITH "locked" AS MATERIALIZED (
      SELECT "id", "email", "name", "passwordHash", "emailVerifiedAt", "suspendedAt", "sessionVersion"
      FROM "user" WHERE "id" = ${userId} ${toTakeOver ? Prisma.sql`FOR UPDATE` : Prisma.sql`FOR NO KEY UPDATE`})
    SELECT * FROM "locked" WHERE ${waitBriefly} IS NOT NULL`;
  return rows[0] ?? null;
}

/**
 * Locks the account of a caller who gets another credential, or changes what counts by account, and checks that their session
 * has not ended since it was looked up: otherwise the new one would outlive the end of all of them. What writes an event or an
 * audit entry has the session checked by that, last of all; so nobody who holds this lock waits for a tournament.
 * @throws UNAUTHENTICATED
 */
export async function lockCaller(tx: Tx, { id, sessionVersion }: AuthUser): Promise<void> {
  const user = await lockUser(tx, id);
  if (user?.sessionVersion !== sessionVersion) throw refuse('UNAUTHENTICATED');
}

/**
 * The projects that a user's events go to: those where they are a member, the one where they signed up, and those where they have
 * agreed to play; a hundred at most, since who is not confirmed may register as often as they like. Anybody can name them on a
 * roster, and learns nothing about them by that; nor by having signed up for them with their address, before they took the account over.
 * @returns a single null when there is none, so that the event is stored all the same
 */
async function projectsOf(tx: Tx, userId: string): Promise<(string | null)[]> {
  const rows = await tx.$queryRaw<{ projectId: string }[]>`
    SELECT "projectId" FROM (
      SELECT "projectId", 1 AS place FROM "member" WHERE "userId" = ${userId}
      UNION ALL SELECT "projectId", 2 FROM "domain_event"
        WHERE "aggregateId" = ${userId} AND "type" = 'user.created' AND "projectId" IS NOT NULL
          AND NOT EXISTS (SELECT FROM "user" WHERE "id" = ${userId} AND "takenOverAt" IS NOT NULL)
      UNION ALL SELECT t."projectId", 3 FROM "roster_member" r JOIN "tournament" t ON t."id" = r."tournamentId"
        WHERE r."userId" = ${userId} AND r."acceptedAt" IS NOT NULL
      UNION ALL SELECT t."projectId", 3 FROM "participant" p JOIN "tournament" t ON t."id" = p."tournamentId"
        WHERE p."userId" = ${userId} AND p."acceptedAt" IS NOT NULL) p
    GROUP BY "projectId" ORDER BY min(place), "projectId" LIMIT 100`;
  return rows.length > 0 ? rows.map((row) => row.projectId) : [null];
}

/** Marks the user's address as confirmed and emits `user.verified`, unless it already was. */
export async function markVerified(tx: Tx, origin: Origin, user: { id: string; name: string }): Promise<void> {
  const { count } = await tx.user.updateMany({
    where: { id: user.id, emailVerifiedAt: null },
    data: { emailVerifiedAt: new Date() },
  });
  if (count === 0) return;
  const payload = { userId: user.id, name: user.name };
  const projectIds = await projectsOf(tx, user.id);
  await emit(
    tx,
    origin,
    ...projectIds.map((projectId) => ({ projectId, type: 'user.verified' as const, aggregateId: user.id, payload })),
  );
}

/** Creates a single-use token for the link in an email. @param network that signed up, where the link answers a sign-up */
export async function mintEmailToken(
  tx: Tx,
  userId: string,
  purpose: EmailTokenPurpose,
  network: string | null = null,
): Promise<string> {
  const { token, tokenHash } = mintToken();
  await tx.emailToken.create({
    data: { id: newId('emt'), userId, purpose, tokenHash, network, expiresAt: expiryAfter(lifetimes[purpose]) },
    select: { id: true },
  });
  return token;
}

/**
 * Uses up the token of a link and locks its user.
 * @param purposes what the link may be for
 * @param options for `lockUser`
 * @throws INVALID_TOKEN when it is unknown, used, expired or for another purpose
 */
export async function consumeEmailToken(
  tx: Tx,
  token: string,
  purposes: EmailTokenPurpose[],
  options: { toTakeOver?: boolean } = {},
): Promise<LockedUser & { purpose: EmailTokenPurpose }> {
  const now = new Date();
  const [row] = await tx.emailToken.updateManyAndReturn({
    where: { tokenHash: hashToken(token), purpose: { in: purposes }, usedAt: null, expiresAt: { gt: now } },
    data: { usedAt: now },
    select: { userId: true, purpose: true },
  });
  const user = row && (await lockUser(tx, row.userId, options));
  if (!user) throw refuse('INVALID_TOKEN');
  return { ...user, purpose: row.purpose };
}

/**
 * Signs the user out everywhere: ends web sessions, access tokens and refresh tokens, which all have the version of their time. The
 * row must be locked.
 * @param options.accessTokens also revokes what else works without the password: personal access tokens and anti-cheat
 * clients
 */
export async function endSessions(tx: Tx, userId: string, options: { accessTokens: boolean }): Promise<number> {
  if (options.accessTokens) {
    const now = new Date();
    await tx.personalAccessToken.updateMany({ where: { userId, revokedAt: null }, data: { revokedAt: now } });
    await tx.antiCheatClient.updateMany({ where: { userId, revokedAt: null }, data: { revokedAt: now } });
  }
  const { sessionVersion } = await tx.user.update({
    where: { id: userId },
    data: { sessionVersion: { increment: 1 } },
    select: { sessionVersion: true },
  });
  return sessionVersion;
}

type Limit = { points: number; seconds: number };

/** How many networks' attempts a block has together; one person has 256 in one of IPv4, and 65,536 in one of IPv6. */
const networksOfBlock = 10;

/** What to count an attempt by: the network and its block. */
function limitsOf(name: string, ip: string, limit: Limit): [name: string, subject: string, limit: Limit][] {
  return [
    [name, networkOf(ip), limit],
    [`${name}-block`, blockOf(ip), { ...limit, points: networksOfBlock * limit.points }],
  ];
}

/**
 * Counts what anybody may ask for, by network and block.
 * @throws TOO_MANY_ATTEMPTS
 */
export async function countAsked(name: string, ip: string, limit: Limit): Promise<void> {
  for (const counted of limitsOf(name, ip, limit)) await consumeAttempts(...counted);
}

/** The two requests of a sign-in with Discord, Google or Twitch: before and after the person was there. */
const providerSteps = { signin: 'provider-start', callback: 'provider-address' };
type ProviderStep = keyof typeof providerSteps;

const providerLimits = (step: ProviderStep, ip: string) =>
  limitsOf(providerSteps[step], ip, attempts.providerFromAddress);

/**
 * Counts a step of a sign-in with a provider, which `forgiveProviderSignIn` takes back once they have confirmed it.
 * @throws TOO_MANY_ATTEMPTS
 */
export async function countProviderSignIn(step: ProviderStep, ip: string): Promise<void> {
  for (const counted of providerLimits(step, ip)) await consumeAttempts(...counted);
}

export async function forgiveProviderSignIn(ip: string): Promise<void> {
  const counted = [...providerLimits('signin', ip), ...providerLimits('callback', ip)];
  await Promise.all(counted.map(([name, subject]) => forgiveAttempts(name, subject, 1)));
}

/**
 * Counts an attempt to sign in, which `forgive` takes back. One account from one address is asked first, so that
 * guesses at it that are refused do not use up the attempts of everybody there; and who has signed in from the address
 * before is refused by nothing else, so that strangers behind it, or all over the world, do not lock them out.
 * @throws TOO_MANY_ATTEMPTS
 */
async function countSignIn(email: string, ip: string): Promise<{ forgive: () => Promise<void> }> {
  // Otherwise one person with an ordinary IPv6 connection could use up the attempts of all.
  const pair = `${email} ${siteOf(ip)}`;
  const counted: [string, string][] = [];
  const forgive = async () => {
    await Promise.all(counted.map(([name, subject]) => forgiveAttempts(name, subject, 1)));
  };
  const count = async (name: string, subject: string, limit: Limit) => {
    await consumeAttempts(name, subject, limit);
    counted.push([name, subject]);
  };
  await count('sign-in-pair', pair, attempts.signInPair);
  try {
    await count('sign-in-block-pair', `${email} ${blockOf(ip)}`, attempts.signInBlockPair);
    await count('sign-in-account', email, attempts.signInToAccount);
    for (const [name, subject, limit] of limitsOf('sign-in-address', ip, attempts.signInFromAddress)) {
      await count(name, subject, limit);
    }
  } catch (refusal) {
    if (await isRemembered(knownSignIn, pair)) return { forgive };
    await forgive();
    throw refusal;
  }
  return { forgive };
}

const knownSignIn = 'sign-in';

/** Accounts of before blocks were stored get that of a sign-in: without one, their emails share connections with many others'. */
export async function fillCreatedFrom(tx: Tx, id: string, ip: string): Promise<void> {
  await tx.user.updateMany({ where: { id, createdFrom: null }, data: { createdFrom: hashedBlock(ip) } });
}

/**
 * Checks an email address and password, and counts the attempt. An unknown account takes as long and gets the same error.
 * @throws INVALID_CREDENTIALS, ACCOUNT_SUSPENDED (only with the right password), TOO_MANY_ATTEMPTS
 */
export async function authenticate(credentials: {
  email: string;
  password: string;
  ip: string;
}): Promise<{ id: string; name: string; sessionVersion: number }> {
  const { email, password, ip } = credentials;
  const { forgive } = await countSignIn(email, ip);

  const user = await db.user.findUnique({
    where: { email },
    select: { id: true, name: true, passwordHash: true, suspendedAt: true, sessionVersion: true, takenOverAt: true },
  });
  const matches = await passwordMatches(password, user?.passwordHash, ip);
  if (!user || !matches) throw refuse('INVALID_CREDENTIALS');
  // Only failures count: a venue behind one address, or a person who signs in often, is not an attacker.
  await Promise.all([forgive(), remember(knownSignIn, `${email} ${siteOf(ip)}`, knownForSeconds)]);
  await consumeAttemptsOf(user, 'sign-ins', attempts.signIns);
  if (user.suspendedAt) throw refuse('ACCOUNT_SUSPENDED');
  await fillCreatedFrom(db, user.id, ip);
  return { id: user.id, name: user.name, sessionVersion: user.sessionVersion };
}

export type TokenPair = { accessToken: string; tokenType: 'Bearer'; expiresIn: number; refreshToken: string };

/** Creates the next refresh token of a family, and an access token. The user's row must be locked. */
export async function issueTokens(
  tx: Tx,
  user: { id: string; sessionVersion: number },
  familyId?: string,
): Promise<TokenPair> {
  const id = newId('rft');
  const { token, tokenHash } = mintToken('lrt_');
  await tx.refreshToken.create({
    data: {
      ...{ id, userId: user.id, sessionVersion: user.sessionVersion, familyId: familyId ?? id, tokenHash },
      expiresAt: expiryAfter(lifetimes.refreshToken),
    },
    select: { id: true },
  });
  return {
    accessToken: await signAccessToken(user),
    tokenType: 'Bearer',
    expiresIn: lifetimes.accessToken / second,
    refreshToken: token,
  };
}

export const meSelect = {
  id: true,
  email: true,
  name: true,
  timezone: true,
  emailVerifiedAt: true,
  emailNotifications: true,
  passwordHash: true,
  instanceAdmin: true,
  createdAt: true,
} as const satisfies Prisma.UserSelect;

/** An account as its owner reads it. */
export function presentMe(row: Prisma.UserGetPayload<{ select: typeof meSelect }>) {
  const { emailVerifiedAt, passwordHash, createdAt, ...rest } = row;
  return {
    ...rest,
    emailVerified: emailVerifiedAt !== null,
    hasPassword: passwordHash !== null,
    instanceAdmin: isInstanceAdmin(row),
    createdAt: createdAt.toISOString(),
  };
}

export const accessTokenSelect = {
  id: true,
  name: true,
  lastFour: true,
  expiresAt: true,
  lastUsedAt: true,
  createdAt: true,
} as const satisfies Prisma.PersonalAccessTokenSelect;

/** A personal access token in a list, without the token itself. */
export function presentAccessToken(row: Prisma.PersonalAccessTokenGetPayload<{ select: typeof accessTokenSelect }>) {
  return {
    ...row,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  };
}

/** Waits for the work, and at least 100 ms, so that the response time does not reveal whether an account exists. */
export async function withMinimumDuration<Result>(work: Promise<Result>): Promise<Result> {
  const [result] = await Promise.all([work, setTimeout(100)]);
  return result;
}

/** The origin of a change that someone makes to their own account before they are signed in. */
export function userOrigin(userId: string, requestId: string | null): Origin {
  return { actor: { type: 'user', id: userId }, requestId };
}
