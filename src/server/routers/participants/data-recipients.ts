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

type Reachable = { emailNotifications: boolean; emailVerifiedAt: Date | null; suspendedAt: Date | null };

/** An address that nobody has confirmed may belong to someone who has never heard of us. */
export const wantsEmail = (user: Reachable | undefined) =>
  Boolean(user?.emailNotifications && user.emailVerifiedAt && !user.suspendedAt);
