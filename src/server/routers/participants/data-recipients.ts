import { Prisma } from '@/generated/prisma/client';
import type { UserGetPayload } from '@/generated/prisma/models';
import { anyOf, columnsOf, db, rowsOf, type Tx } from '@/server/db';

const recipientSelect = {
  id: true,
  name: true,
  email: true,
  timezone: true,
  emailNotifications: true,
  emailVerifiedAt: true,
  suspendedAt: true,
  createdFrom: true,
} as const;
type Recipient = UserGetPayload<{ select: typeof recipientSelect }>;

/** The people who could get an email, by id. */
export async function readRecipients(ids: Iterable<string>, tx: Tx = db): Promise<Map<string, Recipient>> {
  const users = await rowsOf<Recipient>(
    tx,
    Prisma.sql`SELECT ${columnsOf('u', recipientSelect)} FROM "user" u WHERE u."id" = ${anyOf(ids)}`,
  );
  return new Map(users.map((user) => [user.id, user]));
}
export type Recipients = Awaited<ReturnType<typeof readRecipients>>;

/**
 * Whose turn emails take that a player causes others to get in somebody else's tournament, as invitations do: with the organizer's, who
 * has many accounts named, or report against them, would have the organizer's other emails wait. Those whose block is not known
 * count as one, since they can all be one person's.
 */
export const askedByPlayer = (player: Pick<Recipient, 'createdFrom'> | null | undefined): string =>
  player?.createdFrom ?? 'unknown';

type Reachable = Pick<Recipient, 'emailVerifiedAt' | 'suspendedAt'>;

/** An address that nobody has confirmed may belong to someone who has never heard of us. */
export const isReachable = ({ emailVerifiedAt, suspendedAt }: Reachable) =>
  emailVerifiedAt !== null && suspendedAt === null;

export const wantsEmail = (user: (Reachable & Pick<Recipient, 'emailNotifications'>) | undefined) =>
  Boolean(user?.emailNotifications && isReachable(user));

/** The accounts that play for participants, as registrants or on a roster, and have agreed to. */
export function readPlayers(
  tx: Tx,
  participantIds: readonly (string | null)[],
): Promise<{ participantId: string; userId: string }[]> {
  const ids = participantIds.filter((id) => id !== null);
  return rowsOf(
    tx,
    Prisma.sql`
    SELECT p."id" AS "participantId", p."userId" FROM "participant" p
    WHERE p."id" = ${anyOf(ids)} AND p."userId" IS NOT NULL AND p."acceptedAt" IS NOT NULL
    UNION SELECT r."participantId", r."userId" FROM "roster_member" r
    WHERE r."participantId" = ${anyOf(ids)} AND r."userId" IS NOT NULL AND r."acceptedAt" IS NOT NULL`,
  );
}
