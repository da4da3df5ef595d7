import { networkOf } from '@/domain/network/address-ranges';
import { env } from '@/env';
import type { Tx } from '@/server/db';
import { limitOf } from '@/server/limits/quotas';
import { hashedBlock, hashedSubject } from '@/server/limits/rate-limit';
import { takeWindows } from '@/server/limits/take-quota';
import { takeUpTo } from '@/server/limits/take-up-to';

/**
 * What providers of mailboxes deliver as to `name@` of the same domain, besides `name+anything@`: Gmail and Proton ignore dots, Proton
 * other marks as well; Yahoo adds keywords after a hyphen; at Yandex a hyphen is a dot; and Fastmail has names as domains.
 */
const providers: readonly [domain: RegExp, mailbox: (name: string, domain: string) => string][] = [
  [/^(?:gmail|googlemail)\.com$/, (name) => `${name.replaceAll('.', '')}@gmail.com`],
  [/^(?:proton\.me|protonmail\.com|pm\.me)$/, (name, domain) => `${name.replace(/[._-]/g, '')}@${domain}`],
  [/^(?:yahoo\.[a-z.]+|ymail\.com|rocketmail\.com)$/, (name, domain) => `${name.replace(/-.*/, '')}@${domain}`],
  [/^(?:yandex\.[a-z.]+|ya\.ru)$/, (name, domain) => `${name.replaceAll('-', '.')}@${domain}`],
  [/^[^.]+\.fastmail\.(?:com|fm)$/, (_name, domain) => domain.replace('.', '@')],
];

/** The address of a mailbox itself, as which all that its provider delivers there counts. */
function plainAddress(address: string): string {
  const [name = '', domain = ''] = address.toLowerCase().split(/\+[^@]*@|@/);
  const [, mailbox] = providers.find(([pattern]) => pattern.test(domain)) ?? [];
  return mailbox ? mailbox(name, domain) : `${name}@${domain}`;
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

/** What an address gets that others cause, and what its owner causes. */
const budgets = { ofOthers: ['emails', 'emailsPerDay'], own: ['ownEmails'] } as const;

/** Takes `weight` from the windows of each key. @returns which had as much left */
async function takeEach(tx: Tx, budget: keyof typeof budgets, keys: readonly string[], weight = 1): Promise<boolean[]> {
  if (keys.length === 0) return [];
  const wanted = new Map<string, number>();
  for (const key of keys) wanted.set(key, (wanted.get(key) ?? 0) + weight);
  const left = await takeUpTo(tx, budgets[budget], wanted);
  return keys.map((key) => {
    const count = left.get(key) ?? 0;
    left.set(key, count - weight);
    return count >= weight;
  });
}

/** As what invitations to a mailbox are counted, besides as emails to it. */
const invitationsOf = (mailbox: string) => `invitations:${mailbox}`;

/** As how many an invitation counts among invitations, so that they get half of a budget. */
const invitationWeight = () => Math.min(2, env.EMAILS_PER_ADDRESS_PER_HOUR, env.EMAILS_PER_ADDRESS_PER_DAY);

/**
 * Takes one email from the budget of each address: what other people may cause there. Invitations get half of it at most:
 * strangers must not delay what a player hears of their tournaments.
 * @returns which of the emails can be sent by themselves; the others are for the digest
 */
export async function admitEmails(
  tx: Tx,
  addresses: readonly string[],
  { areInvitations }: { areInvitations: boolean },
): Promise<boolean[]> {
  const mailboxes = addresses.map(mailboxOf);
  if (!areInvitations) return takeEach(tx, 'ofOthers', mailboxes);
  const keys = mailboxes.map(invitationsOf);
  const mayInvite = await takeEach(tx, 'ofOthers', keys, invitationWeight());
  const admitted = await takeEach(
    tx,
    'ofOthers',
    mailboxes.filter((_, index) => mayInvite[index]),
  );
  return mayInvite.map((may) => may && admitted.shift() === true);
}

/** In how many milliseconds the budget that has just refused an email to an address may have room for it. */
export async function roomInMs(
  tx: Tx,
  address: string,
  { areInvitations }: { areInvitations: boolean },
): Promise<number> {
  const mailbox = mailboxOf(address);
  const weights = new Map([[mailbox, 1]]);
  if (areInvitations) weights.set(invitationsOf(mailbox), invitationWeight());
  let ms = 0;
  for (const name of budgets.ofOthers) {
    const windows = await takeWindows(tx, name, new Map([...weights.keys()].map((key) => [key, 0])));
    for (const [key, { used_before: used, free_in_ms: freeIn }] of windows) {
      if (used + (weights.get(key) ?? 0) > limitOf(name)) ms = Math.max(ms, Number(freeIn));
    }
  }
  return ms;
}

/** Takes one email from what the owner of each address may cause there. @returns as `admitEmails` */
export function admitOwnEmails(tx: Tx, addresses: readonly string[]): Promise<boolean[]> {
  return takeEach(tx, 'own', addresses.map(mailboxOf));
}

/**
 * Whether one more email may go to an address that someone entered, of a kind such as "choose a new password". Every
 * network has its own budget, and a block of them half of what all have, so that a stranger cannot use it up for the owner. Aliases of a mailbox with which anybody may
 * have signed up share one, and take nothing from the address itself and from what its owner has confirmed.
 */
export async function mayEmailOnRequest(
  tx: Tx,
  kind: string,
  request: { address: string; ip: string; isConfirmed: boolean },
): Promise<boolean> {
  const { address, ip, isConfirmed } = request;
  const isShared = isAlias(address) && !isConfirmed;
  const mailbox = `${kind}:${isShared ? `aliases:${mailboxOf(address)}` : hashedSubject(address.toLowerCase())}`;
  const counted = [
    ['accountEmails', `${mailbox}:${hashedSubject(networkOf(ip))}`],
    ['accountEmailsOfBlock', `${mailbox}:${hashedBlock(ip)}`],
    ['accountEmailsOfAll', mailbox],
  ] as const;
  for (const [name, subject] of counted) {
    if ((await takeUpTo(tx, [name], new Map([[subject, 1]]))).get(subject) !== 1) return false;
  }
  return true;
}
