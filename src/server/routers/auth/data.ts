import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { newId } from '@/domain/ids';
import { networkOf } from '@/domain/network/address-ranges';
import { visibleOutside } from '@/domain/tournaments/visibility';
import type { Prisma } from '@/generated/prisma/client';
import { hashToken } from '@/server/auth/api-keys';
import { accessTokenLifetime, runsInstance, signAccessToken } from '@/server/auth/bearer';
import { passwordMatches } from '@/server/auth/passwords';
import { db, type Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { emit, type Origin } from '@/server/events/emit';
import { inngest } from '@/server/jobs/client';
import { emailQueued } from '@/server/jobs/events';
import { consumeAttempts, forgiveAttempts } from '@/server/limits/rate-limit';
import { logger } from '@/server/logger';
import { attempts, type EmailTokenPurpose, expiryAfter, lifetimes } from '@/server/routers/auth/rules';

/** A random secret of 256 bits and how it is stored. */
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
 * Locks a user's row until the transaction ends. Everything that makes or ends sessions takes this lock first, so that
 * no session slips through while all are being ended.
 */
export async function lockUser(tx: Tx, userId: string): Promise<LockedUser | null> {
  const rows = await tx.$queryRaw<LockedUser[]>`
    SELECT "id", "email", "name", "passwordHash", "emailVerifiedAt", "suspendedAt", "sessionVersion"
    FROM "user" WHERE "id" = ${userId} FOR NO KEY UPDATE`;
  return rows[0] ?? null;
}

/** Starts sending a message of the outbox, after commit. A failure here only waits for the sweep. */
export async function startSending(mailId: string | null): Promise<void> {
  if (!mailId) return;
  try {
    await inngest.send(emailQueued.create({ emailId: mailId }, { id: mailId }));
  } catch (error) {
    logger.warn({ err: error, mailId }, 'mail waits for the next sweep');
  }
}

/**
 * Projects that hear about a user: where they are a member or an entrant, and where their sign-up came from.
 * @returns one null when there is none, so that the event is kept all the same
 */
async function projectsOf(tx: Tx, userId: string): Promise<(string | null)[]> {
  const rows = await tx.$queryRaw<{ projectId: string }[]>`
    SELECT "projectId" FROM "member" WHERE "userId" = ${userId}
    UNION SELECT t."projectId" FROM "roster_member" r JOIN "tournament" t ON t."id" = r."tournamentId" WHERE r."userId" = ${userId}
    UNION SELECT t."projectId" FROM "participant" p JOIN "tournament" t ON t."id" = p."tournamentId" WHERE p."userId" = ${userId}
    UNION SELECT "projectId" FROM "domain_event"
      WHERE "aggregateId" = ${userId} AND "type" = 'user.created' AND "projectId" IS NOT NULL`;
  return rows.length > 0 ? rows.map((row) => row.projectId) : [null];
}

/**
 * Adds a user and `user.created`.
 * @param data.projectId the project whose page or invitation led to the sign-up
 * @returns null when the address is taken
 */
export async function createUser(
  tx: Tx,
  requestId: string | null,
  data: { email: string; name: string; passwordHash: string | null; projectId: string | null },
): Promise<{ id: string } | null> {
  const id = newId('usr');
  const { count } = await tx.user.createMany({
    data: { id, email: data.email, name: data.name, passwordHash: data.passwordHash },
    skipDuplicates: true,
  });
  if (count === 0) return null;
  await emit(tx, userOrigin(id, requestId), {
    projectId: data.projectId,
    type: 'user.created',
    aggregateId: id,
    payload: { userId: id, name: data.name },
  });
  return { id };
}

/**
 * The project whose page or invitation led to a sign-up. The token of an open invitation to the address proves it.
 */
export async function signUpSource(
  tx: Tx,
  input: { email: string; invitationToken?: string; tournamentId?: string },
): Promise<{ projectId: string | null; provesAddress: boolean }> {
  const { email, invitationToken, tournamentId } = input;
  if (invitationToken) {
    const open = {
      tokenHash: hashToken(invitationToken),
      email,
      acceptedAt: null,
      revokedAt: null,
      expiresAt: { gt: new Date() },
    };
    const invitation = await tx.invitation.findUnique({ where: open, select: { projectId: true } });
    if (invitation) return { projectId: invitation.projectId, provesAddress: true };
    const toTeam = await tx.teamInvitation.findUnique({ where: { ...open, declinedAt: null }, select: { id: true } });
    if (toTeam) return { projectId: null, provesAddress: true };
  }
  if (tournamentId) {
    const tournament = await tx.tournament.findFirst({
      where: {
        OR: [{ id: tournamentId }, { slug: tournamentId }],
        ...visibleOutside,
      },
      select: { projectId: true },
    });
    if (tournament) return { projectId: tournament.projectId, provesAddress: false };
  }
  return { projectId: null, provesAddress: false };
}

/** Marks the address as the user's own and tells their projects, once. */
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

/** A single-use link token for the user, as it goes into the mail. */
export async function mintEmailToken(tx: Tx, userId: string, purpose: EmailTokenPurpose): Promise<string> {
  const { token, tokenHash } = mintToken();
  await tx.emailToken.create({
    data: { id: newId('emt'), userId, purpose, tokenHash, expiresAt: expiryAfter(lifetimes[purpose]) },
    select: { id: true },
  });
  return token;
}

/**
 * Spends a link token and locks its user.
 * @throws INVALID_TOKEN when unknown, spent, expired or for another purpose
 */
export async function spendEmailToken(tx: Tx, token: string, purpose: EmailTokenPurpose): Promise<LockedUser> {
  const now = new Date();
  const [row] = await tx.emailToken.updateManyAndReturn({
    where: { tokenHash: hashToken(token), purpose, usedAt: null, expiresAt: { gt: now } },
    data: { usedAt: now },
    select: { userId: true },
  });
  const user = row && (await lockUser(tx, row.userId));
  if (!user) throw refuse('INVALID_TOKEN');
  return user;
}

/**
 * Signs the user out everywhere: web sessions, access tokens and refresh tokens. The row must be locked.
 * @param options.accessTokens also revokes personal access tokens
 */
export async function endSessions(tx: Tx, userId: string, options: { accessTokens: boolean }): Promise<number> {
  const now = new Date();
  await tx.refreshToken.updateMany({ where: { userId, revokedAt: null }, data: { revokedAt: now } });
  if (options.accessTokens) {
    await tx.personalAccessToken.updateMany({ where: { userId, revokedAt: null }, data: { revokedAt: now } });
  }
  const { sessionVersion } = await tx.user.update({
    where: { id: userId },
    data: { sessionVersion: { increment: 1 } },
    select: { sessionVersion: true },
  });
  return sessionVersion;
}

/**
 * Checks an e-mail address and password, counting the attempt. An unknown account takes as long and says the same.
 * @throws INVALID_CREDENTIALS, ACCOUNT_SUSPENDED (only with the right password), TOO_MANY_ATTEMPTS
 */
export async function authenticate(credentials: {
  email: string;
  password: string;
  ip: string;
}): Promise<{ id: string; name: string; sessionVersion: number }> {
  const { email, password } = credentials;
  const ip = networkOf(credentials.ip);
  const pair = `${email} ${ip}`;
  await consumeAttempts('sign-in-address', ip, attempts.signInFromAddress);
  await consumeAttempts('sign-in-pair', pair, attempts.signInPair);
  await consumeAttempts('sign-in-account', email, attempts.signInToAccount);

  const user = await db.user.findUnique({
    where: { email },
    select: { id: true, name: true, passwordHash: true, suspendedAt: true, sessionVersion: true },
  });
  const matches = await passwordMatches(password, user?.passwordHash);
  if (!user || !matches) throw refuse('INVALID_CREDENTIALS');
  // Only failures add up: a venue behind one address and a person who signs in often are not attackers.
  await Promise.all([
    forgiveAttempts('sign-in-address', ip, 1),
    forgiveAttempts('sign-in-pair', pair, 1),
    forgiveAttempts('sign-in-account', email, 1),
  ]);
  if (user.suspendedAt) throw refuse('ACCOUNT_SUSPENDED');
  return { id: user.id, name: user.name, sessionVersion: user.sessionVersion };
}

export type TokenPair = { accessToken: string; tokenType: 'Bearer'; expiresIn: number; refreshToken: string };

/** The next refresh token of a family and an access token. The user's row must be locked. */
export async function issueTokens(
  tx: Tx,
  user: { id: string; sessionVersion: number },
  familyId?: string,
): Promise<TokenPair> {
  const id = newId('rft');
  const { token, tokenHash } = mintToken('lrt_');
  await tx.refreshToken.create({
    data: { id, userId: user.id, familyId: familyId ?? id, tokenHash, expiresAt: expiryAfter(lifetimes.refreshToken) },
    select: { id: true },
  });
  return {
    accessToken: await signAccessToken(user),
    tokenType: 'Bearer',
    expiresIn: accessTokenLifetime,
    refreshToken: token,
  };
}

/**
 * The user behind a sign-in with Discord, Google or Twitch. Links by an e-mail address that the provider has verified,
 * and creates the user when there is none.
 * @throws INVALID_CREDENTIALS when the provider vouches for no address, ACCOUNT_SUSPENDED
 */
export async function userOfProvider(profile: {
  provider: string;
  providerAccountId: string;
  email: string | null;
  emailVerified: boolean;
  name: string;
}): Promise<{ id: string; sessionVersion: number }> {
  const { provider, providerAccountId } = profile;
  const email = profile.emailVerified && profile.email ? profile.email.trim().toLowerCase() : null;
  return db.$transaction(async (tx) => {
    const linked = await tx.account.findUnique({
      where: { provider_providerAccountId: { provider, providerAccountId } },
      select: { userId: true },
    });
    if (linked) return signedIn(await lockUser(tx, linked.userId));
    if (!email) throw refuse('INVALID_CREDENTIALS');

    const created = await createUser(tx, null, { email, name: profile.name, passwordHash: null, projectId: null });
    const id = created?.id ?? (await tx.user.findUniqueOrThrow({ where: { email }, select: { id: true } })).id;
    const user = signedIn(await lockUser(tx, id));
    await tx.account.createMany({ data: { provider, providerAccountId, userId: id }, skipDuplicates: true });
    if (user.emailVerifiedAt) return user;
    // Whoever chose the password of an unconfirmed account never proved the address: it loses every way in.
    await tx.user.update({ where: { id }, data: { passwordHash: null }, select: { id: true } });
    const sessionVersion = await endSessions(tx, id, { accessTokens: true });
    await markVerified(tx, userOrigin(id, null), user);
    return { id, sessionVersion };
  });
}

function signedIn(user: LockedUser | null): LockedUser {
  if (!user) throw refuse('INVALID_CREDENTIALS');
  if (user.suspendedAt) throw refuse('ACCOUNT_SUSPENDED');
  return user;
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

/** The account as its owner reads it. */
export function presentMe(row: Prisma.UserGetPayload<{ select: typeof meSelect }>) {
  const { emailVerifiedAt, passwordHash, createdAt, ...rest } = row;
  return {
    ...rest,
    emailVerified: emailVerifiedAt !== null,
    hasPassword: passwordHash !== null,
    instanceAdmin: runsInstance(row),
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

/** A personal access token as lists show it: never the token. */
export function presentAccessToken(row: Prisma.PersonalAccessTokenGetPayload<{ select: typeof accessTokenSelect }>) {
  return {
    ...row,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  };
}

/**
 * Runs the work but answers no sooner than after a tenth of a second, so that the time tells nothing of whether an
 * account exists.
 */
export async function unhurried<Result>(work: Promise<Result>): Promise<Result> {
  const [result] = await Promise.all([work, setTimeout(100)]);
  return result;
}

/**
 * Deletes links and refresh tokens a week after they ended, and sent or given-up mail after thirty days.
 * @returns how many rows went
 */
export async function forgetExpired(now: Date = new Date()): Promise<number> {
  const ago = (days: number) => new Date(now.getTime() - days * 86_400_000);
  const gone = await Promise.all([
    db.emailToken.deleteMany({ where: { expiresAt: { lt: ago(7) } } }),
    db.refreshToken.deleteMany({ where: { expiresAt: { lt: ago(7) } } }),
    db.outgoingMail.deleteMany({
      where: { createdAt: { lt: ago(30) }, OR: [{ sentAt: { not: null } }, { failedAt: { not: null } }] },
    }),
  ]);
  return gone.reduce((sum, { count }) => sum + count, 0);
}

/** What a person does to their own account without being signed in yet. */
export function userOrigin(userId: string, requestId: string | null): Origin {
  return { actor: { type: 'user', id: userId }, requestId };
}
