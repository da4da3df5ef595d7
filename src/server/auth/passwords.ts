import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { turnOf } from '@/domain/network/address-ranges';
import { FairQueue } from '@/server/worker/fair-queue';

// argon2id: 19 MiB, two passes, one lane.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const holder = globalThis as typeof globalThis & { laurelPasswords?: FairQueue };

/**
 * A hash takes a processor for thirty milliseconds, and anyone may have one made. One processor is left to everything else,
 * and those who ask take turns. Next bundles its own copy of this module; both copies share the queue.
 */
holder.laurelPasswords ??= new FairQueue({
  running: [Math.max(1, availableParallelism() - 1)],
  waiting: 5_000,
  waitingOfOwner: 1_000,
});
const queue = holder.laurelPasswords;

/**
 * argon2id in PHC format.
 * @param ip whose turn it takes
 * @throws OVERLOADED when too many wait
 */
export function hashPassword(password: string, ip = ''): Promise<string> {
  return queue.run(turnOf(ip), () => hash(password, cost));
}

// Created at load, so that the first check of an unknown account takes no longer than others.
const placeholder = hashPassword(randomBytes(16).toString('hex'));

/**
 * Whether the password matches the hash. Without a hash, it takes as long and returns false.
 * @param ip whose turn it takes
 * @throws OVERLOADED when too many wait
 */
export async function passwordMatches(
  password: string,
  passwordHash: string | null | undefined,
  ip: string,
): Promise<boolean> {
  const against = passwordHash ?? (await placeholder);
  const matches = await queue.run(turnOf(ip), () => verify(against, password));
  return matches && passwordHash != null;
}
