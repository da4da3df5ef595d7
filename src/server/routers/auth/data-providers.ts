import { emailField } from '@/domain/accounts/forms';
import { db } from '@/server/db';
import { refuse } from '@/server/errors';
import { fillCreatedFrom, type LockedUser, lockUser, markVerified, userOrigin } from '@/server/routers/auth/data';
import { createUser } from '@/server/routers/auth/data-sign-up';
import { disownInBatches, takeOver } from '@/server/routers/auth/data-takeover';

/**
 * The user who signs in with Discord, Google or Twitch. Links accounts by an email address that the provider has verified,
 * and creates the user if there is none.
 * @throws INVALID_CREDENTIALS when the provider has not verified an address, ACCOUNT_SUSPENDED
 */
export async function userForProvider(profile: {
  provider: string;
  providerAccountId: string;
  email: string | null;
  emailVerified: boolean;
  name: string;
  ip: string;
}): Promise<{ id: string; sessionVersion: number }> {
  const { provider, providerAccountId, name, ip } = profile;
  // A provider may vouch for what is an address to it; a list of addresses, say, would be sent to all of them.
  const { data: email = null } = emailField.safeParse(profile.emailVerified ? profile.email : null);
  const link = { where: { provider_providerAccountId: { provider, providerAccountId } }, select: { userId: true } };
  if (email && !(await db.account.findUnique(link))) {
    const unconfirmed = await db.user.findUnique({ where: { email, emailVerifiedAt: null }, select: { id: true } });
    if (unconfirmed) await disownInBatches(unconfirmed.id);
  }
  return db.$transaction(async (tx) => {
    const linked = await tx.account.findUnique(link);
    if (linked) {
      const user = signedIn(await lockUser(tx, linked.userId));
      await fillCreatedFrom(tx, user.id, ip);
      return user;
    }
    if (!email) throw refuse('INVALID_CREDENTIALS');

    const created = await createUser(tx, null, { email, name, passwordHash: null, projectId: null, ip });
    const { id, emailVerifiedAt } = await tx.user.findUniqueOrThrow({
      where: created ?? { email },
      select: { id: true, emailVerifiedAt: true },
    });
    const user = signedIn(await lockUser(tx, id, { toTakeOver: emailVerifiedAt === null }));
    await tx.account.createMany({ data: { provider, providerAccountId, userId: id }, skipDuplicates: true });
    if (user.emailVerifiedAt) return user;
    // The creator of the unconfirmed account never proved that the address is theirs, so they lose access to it.
    await tx.user.update({ where: { id }, data: { passwordHash: null }, select: { id: true } });
    const sessionVersion = await takeOver(tx, id, ip, name);
    await markVerified(tx, userOrigin(id, null), { id, name });
    return { id, sessionVersion };
  });
}

function signedIn(user: LockedUser | null): LockedUser {
  if (!user) throw refuse('INVALID_CREDENTIALS');
  if (user.suspendedAt) throw refuse('ACCOUNT_SUSPENDED');
  return user;
}
