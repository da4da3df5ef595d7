import { encodeTime } from 'ulid';
import { teamInvitationLifetime } from '@/domain/teams/invitations';
import { day } from '@/domain/time/durations';
import { deleteBatchSize, deleteInBatches } from '@/server/db';

/**
 * Deletes links and tokens that expired, or were revoked, more than a week ago.
 * @returns how many were deleted
 */
export async function deleteExpiredTokens(now: Date = new Date()): Promise<number> {
  const before = new Date(now.getTime() - 7 * day);
  let deleted = 0;
  for (const table of ['email_token', 'refresh_token']) {
    deleted += await deleteInBatches(
      `DELETE FROM ${table} WHERE id IN
         (SELECT id FROM ${table} WHERE "expiresAt" < $1 ORDER BY "expiresAt" LIMIT ${deleteBatchSize})`,
      [before],
    );
  }
  const accessTokens = `DELETE FROM personal_access_token WHERE id = ANY (ARRAY(
    SELECT id FROM personal_access_token WHERE "expiresAt" < $1 OR "revokedAt" < $1 LIMIT ${deleteBatchSize}))`;
  return deleted + (await deleteInBatches(accessTokens, [before]));
}

/**
 * Deletes invitations to teams, answered or not, a week after they have expired.
 * @returns how many were deleted
 */
export async function deleteOldTeamInvitations(now: Date = new Date()): Promise<number> {
  // Ids begin with their time, so that old invitations are at the beginning of the primary key.
  const before = `tiv_${encodeTime(now.getTime() - teamInvitationLifetime - 7 * day).toLowerCase()}`;
  return deleteInBatches(
    `DELETE FROM team_invitation WHERE id IN
       (SELECT id FROM team_invitation WHERE id < $1 ORDER BY id LIMIT ${deleteBatchSize})`,
    [before],
  );
}

/** Days that an account has to confirm its address, or to take part in something. */
const unusedDays = 30;

/** Where an account has taken part in something, or has agreed to. */
const uses = ['account', 'member', 'participant', 'roster_member', 'team_member', 'anti_cheat_client', 'player_stats'];

/**
 * Whether webhooks still have deliveries about the user `u`, as SQL. Each may have thousands of attempts, so they are deleted by
 * themselves, a few at a time. `OFFSET 0` has PostgreSQL look up the events of each account.
 */
const isDelivered = `EXISTS (
  SELECT FROM domain_event e JOIN webhook_delivery d ON d."eventId" = e.id WHERE e."aggregateId" = u.id OFFSET 0)`;

/**
 * Deletes accounts whose addresses nobody has confirmed and that have done nothing, with the events that they signed up, also in
 * the project whose page they came from: a stranger makes thousands in an hour.
 * @returns how many were deleted
 */
export async function deleteUnusedAccounts(now: Date = new Date()): Promise<number> {
  const unused = uses.map((table) => `AND NOT EXISTS (SELECT FROM ${table} x WHERE x."userId" = u.id)`).join(' ');
  return deleteInBatches(
    `WITH gone AS (
       DELETE FROM "user" WHERE id = ANY (ARRAY(
         SELECT u.id FROM "user" u
         WHERE u."emailVerifiedAt" IS NULL AND u."createdAt" < $1 AND u."suspendedAt" IS NULL AND NOT u."instanceAdmin" ${unused} AND NOT ${isDelivered}
         ORDER BY u."createdAt" LIMIT ${deleteBatchSize} FOR UPDATE OF u SKIP LOCKED))
       RETURNING id
     ), events AS (
       DELETE FROM domain_event e USING gone WHERE e."aggregateId" = gone.id
     )
     SELECT FROM gone`,
    [new Date(now.getTime() - unusedDays * day)],
  );
}
