import { db, type Tx } from '@/server/db';

/** The people who could get an email, by id. */
export async function readRecipients(ids: Iterable<string>, tx: Tx = db) {
  const users = await tx.user.findMany({
    where: { id: { in: [...new Set(ids)] } },
    select: {
      id: true,
      name: true,
      email: true,
      timezone: true,
      emailNotifications: true,
      emailVerifiedAt: true,
      suspendedAt: true,
    },
  });
  return new Map(users.map((user) => [user.id, user]));
}
export type Recipients = Awaited<ReturnType<typeof readRecipients>>;

type Reachable = { emailNotifications: boolean; emailVerifiedAt: Date | null; suspendedAt: Date | null };

/** An address that nobody has confirmed may belong to someone who has never heard of us. */
export const wantsEmail = (user: Reachable | undefined) =>
  Boolean(user?.emailNotifications && user.emailVerifiedAt && !user.suspendedAt);
