import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';

// argon2id: 19 MiB, two passes, one lane.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** argon2id in PHC format. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, cost);
}

// Created at load, so that the first check of an unknown account takes no longer than others.
const placeholder = hashPassword(randomBytes(16).toString('hex'));

/** Whether the password matches the hash. Without a hash, it takes as long and returns false. */
export async function passwordMatches(password: string, passwordHash: string | null | undefined): Promise<boolean> {
  const matches = await verify(passwordHash ?? (await placeholder), password);
  return matches && passwordHash != null;
}
