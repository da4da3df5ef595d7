import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';

// argon2id: 19 MiB, two passes, one lane.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** argon2id in PHC format. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, cost);
}

// Made at load, so that the first unknown account costs no more than the next.
const placeholder = hashPassword(randomBytes(16).toString('hex'));

/** Whether the password is the one behind the hash. Without a hash it takes as long and is false. */
export async function passwordMatches(password: string, passwordHash: string | null | undefined): Promise<boolean> {
  const matches = await verify(passwordHash ?? (await placeholder), password);
  return matches && passwordHash != null;
}
