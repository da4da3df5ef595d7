import type { Tx } from '@/server/db';
import { hashedSubject } from '@/server/limits/rate-limit';
import { takeWindows } from '@/server/limits/take-quota';
import { takeUpTo } from '@/server/limits/take-up-to';

const gmail = /@(?:gmail|googlemail)\.com$/;

/** The address of a mailbox itself, which gets what is sent to `name+anything@` too; Gmail also ignores dots. */
function plainAddress(address: string): string {
  const plain = address.toLowerCase().replace(/\+[^@]*(?=@)/, '');
  return gmail.test(plain) ? `${plain.replace(gmail, '').replaceAll('.', '')}@gmail.com` : plain;
}

/** Whether an address is one of many for the same mailbox. */
export function isAlias(address: string): boolean {
  return plainAddress(address) !== address.toLowerCase();
}

/** What an address is counted as. */
export function mailboxOf(address: string): string {
  return hashedSubject(plainAddress(address));
}

/** Emails by which anybody reaches an address whose owner has not agreed to hear from them. */
const invitationKinds = ['invitation', 'team_invitation', 'roster_notice'];
export const isInvitation = (kind: string) => invitationKinds.includes(kind);

const budgets = ['emails', 'emailsPerDay'] as const;

/**
 * Takes one email from the budget of each address: what other people may cause there. Invitations get what others leave of
 * it, and take nothing from them: strangers must not delay what a player hears of their tournaments.
 * @returns which of the emails can be sent by themselves; the others are for the digest
 */
export async function admitEmails(
  tx: Tx,
  addresses: readonly string[],
  { areInvitations }: { areInvitations: boolean },
): Promise<boolean[]> {
  const mailboxes = addresses.map(mailboxOf);
  const wanted = new Map<string, number>();
  for (const mailbox of mailboxes) wanted.set(mailbox, (wanted.get(mailbox) ?? 0) + 1);
  if (wanted.size === 0) return [];
  const ofAll = (mailbox: string) => `all:${mailbox}`;
  const all = new Map([...wanted].map(([mailbox, count]) => [ofAll(mailbox), count]));
  const left = await takeUpTo(tx, budgets, areInvitations ? all : wanted);
  if (!areInvitations) {
    const taken = new Map([...left].map(([mailbox, count]) => [ofAll(mailbox), count]));
    for (const name of budgets) await takeWindows(tx, name, taken);
  }
  return mailboxes.map((mailbox) => {
    const key = areInvitations ? ofAll(mailbox) : mailbox;
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count > 0;
  });
}

/**
 * Whether one more email may go to an address that someone entered, of a kind such as "choose a new password". Every
 * network has its own budget, so that a stranger cannot use it up for the owner. Aliases of a mailbox with which anybody may
 * have signed up share one, and take nothing from the address itself and from what its owner has confirmed.
 */
export async function mayEmailOnRequest(
  tx: Tx,
  kind: string,
  request: { address: string; network: string; isConfirmed: boolean },
): Promise<boolean> {
  const { address, network, isConfirmed } = request;
  const isShared = isAlias(address) && !isConfirmed;
  const mailbox = `${kind}:${isShared ? `aliases:${mailboxOf(address)}` : hashedSubject(address.toLowerCase())}`;
  const fromNetwork = `${mailbox}:${hashedSubject(network)}`;
  const own = await takeUpTo(tx, ['accountEmails'], new Map([[fromNetwork, 1]]));
  if (own.get(fromNetwork) !== 1) return false;
  return (await takeUpTo(tx, ['accountEmailsOfAll'], new Map([[mailbox, 1]]))).get(mailbox) === 1;
}
