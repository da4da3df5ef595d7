import { newId } from '@/domain/ids';
import { teamInvitationLifetime } from '@/domain/teams/invitations';
import { Prisma } from '@/generated/prisma/client';
import { afterCommit, db, type Tx } from '@/server/db';
import { sendAfterCommit } from '@/server/jobs/client';
import { placesDisowned } from '@/server/jobs/events';
import { hashedBlock } from '@/server/limits/rate-limit';
import { renewRates } from '@/server/limits/take-quota';
import { endSessions } from '@/server/routers/auth/data';
import { expiryAfter } from '@/server/routers/auth/rules';

/**
 * Gives an unconfirmed account to the owner of its address. Whoever created it may be a stranger: all their ways in end, and
 * the owner is asked again about what they agreed to, because it lets others send emails. Settings and rates are as in a new
 * account. The row must be locked for it before anything else locks it. All of it happens in the database: whoever created the
 * account chose how many rows there are.
 * @param ip from which the owner does this
 * @param name of the owner; left out: unknown, and the account keeps its name
 * @returns the new session version
 */
export async function takeOver(tx: Tx, userId: string, ip: string, name?: string): Promise<number> {
  await tx.user.update({
    where: { id: userId },
    data: { name, timezone: null, emailNotifications: true, createdFrom: hashedBlock(ip) },
    select: { id: true },
  });
  const { changes } = await disown(tx, userId);
  if (changes > 0) afterCommit(tx, () => recount(userId));
  await leaveTeams(tx, userId);
  await renewRates(tx, userId);
  await tx.$executeRaw`UPDATE "user" SET "takenOverAt" = clock_timestamp() WHERE "id" = ${userId}`;
  return endSessions(tx, userId, { accessTokens: true });
}

/** Rows of each table that one transaction of `disownInBatches` changes at most. */
const batchSize = 5_000;

/**
 * Begins a takeover with what the account has agreed to play, for whoever has just proven that the address is theirs. A stranger may
 * have agreed to more than one transaction can take back; what others hold meanwhile is left to `takeOver`.
 */
export async function disownInBatches(userId: string): Promise<void> {
  for (;;) {
    const { places, changes } = await disown(db, userId, batchSize);
    if (changes > 0) recount(userId);
    if (Math.max(...places, changes) < batchSize) return;
  }
}

/**
 * Has a user count as never having agreed to play, nor having cancelled with a roster that theirs has to equal once rosters are
 * locked. Where they were substituted, they are no longer there to be asked again, so what
 * they had played is taken from them by `recount`.
 * @param limit of rows of each table; left out: all, also those that others hold
 * @returns how many registrations, roster places and substitutions there were
 */
async function disown(tx: Tx, userId: string, limit?: number): Promise<{ places: number[]; changes: number }> {
  const disownIn = (table: string, agreed: Prisma.Sql, change: Prisma.Sql) => {
    const name = Prisma.raw(`"${table}"`);
    const some = Prisma.sql`ctid = ANY (ARRAY(
      SELECT ctid FROM ${name} WHERE ${agreed} LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED))`;
    return tx.$executeRaw`UPDATE ${name} SET ${change} WHERE ${limit === undefined ? agreed : some}`;
  };
  const now = Prisma.sql`clock_timestamp()`;
  const places = [
    await disownIn(
      'participant',
      Prisma.sql`"userId" = ${userId} AND ("acceptedAt" IS NOT NULL OR "cancelledRoster" <> '{}')`,
      Prisma.sql`"acceptedAt" = NULL, "cancelledRoster" = '{}', "updatedAt" = ${now}`,
    ),
    await disownIn(
      'roster_member',
      Prisma.sql`"userId" = ${userId} AND "acceptedAt" IS NOT NULL`,
      Prisma.sql`"acceptedAt" = NULL`,
    ),
  ];
  const replaced = Prisma.sql`"outUserId" = ${userId} AND "outAccepted"`;
  const changes = await disownIn('roster_change', replaced, Prisma.sql`"outAccepted" = false, "disownedAt" = ${now}`);
  return { places, changes };
}

/** By a function, because it needs the locks of the tournaments, for which nobody who holds the user's waits. */
function recount(userId: string): void {
  void sendAfterCommit(placesDisowned.create({ userId }));
}

/**
 * Asks a user again about their teams, whose members count as having agreed to its rosters. A stranger may have been given teams to
 * lead, too: they go to the next member, and those without any are disbanded, because a team always has a captain.
 */
async function leaveTeams(tx: Tx, userId: string): Promise<void> {
  await tx.$queryRaw`
    WITH "locked" AS MATERIALIZED (
      SELECT FROM "team" WHERE "id" IN (SELECT "teamId" FROM "team_member" WHERE "userId" = ${userId})
      ORDER BY "id" FOR NO KEY UPDATE)
    SELECT count(*) FROM "locked"`;
  const hasOthers = Prisma.sql`EXISTS (SELECT FROM "team_member" o WHERE o."teamId" = own."teamId" AND o."userId" <> ${userId})`;
  await tx.$executeRaw`
    UPDATE "team" t SET "disbandedAt" = clock_timestamp(), "version" = t."version" + 1, "updatedAt" = clock_timestamp()
    FROM "team_member" own
    WHERE own."userId" = ${userId} AND t."id" = own."teamId" AND t."disbandedAt" IS NULL AND NOT ${hasOthers}`;
  // A unique index allows one captain for each team, so the user steps down first.
  await tx.$executeRaw`
    UPDATE "team_member" own SET "role" = 'player'
    WHERE own."userId" = ${userId} AND own."role" = 'captain' AND ${hasOthers}`;
  await tx.$executeRaw`
    UPDATE "team_member" m SET "role" = 'captain'
    FROM "team_member" own CROSS JOIN LATERAL (
      SELECT o."userId" FROM "team_member" o WHERE o."teamId" = own."teamId" AND o."userId" <> ${userId}
      ORDER BY o."role", o."createdAt", o."userId" LIMIT 1) next
    WHERE own."userId" = ${userId} AND m."teamId" = own."teamId" AND m."userId" = next."userId"
      AND NOT EXISTS (SELECT FROM "team_member" c WHERE c."teamId" = own."teamId" AND c."role" = 'captain')`;
  // Ids begin with the time, as all do.
  const idTime = newId('tiv').slice(0, -16);
  await tx.$executeRaw`
    WITH "left" AS (
      DELETE FROM "team_member" own USING "team_member" c
      WHERE own."userId" = ${userId} AND c."teamId" = own."teamId" AND c."role" = 'captain' AND c."userId" <> ${userId}
      RETURNING own."teamId", own."role", c."userId" AS "captainId")
    INSERT INTO "team_invitation" ("id", "teamId", "userId", "role", "invitedById", "expiresAt")
    SELECT ${idTime} || left(md5(gen_random_uuid()::text), 16), "teamId", ${userId}, "role", "captainId",
      ${expiryAfter(teamInvitationLifetime)}
    FROM "left" ON CONFLICT DO NOTHING`;
}
