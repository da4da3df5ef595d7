import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { env } from '@/env';

const ivLength = 12;
const tagLength = 16;

export type Keyring = {
  /** Encrypts under the first key. */
  encrypt: (plaintext: string) => string;
  /** @throws Error when it was encrypted under a key that is not in the ring, or was altered */
  decrypt: (encrypted: string) => string;
  /** Begins every text that the first key encrypted. */
  currentPrefix: string;
};

/**
 * AES-256-GCM under the first of several keys; texts of all of them can be read. That is how a key is replaced: the new
 * one goes in front, the old one stays until nothing is under it any more.
 * @param keys 32 bytes each in base64, with commas between
 */
export function makeKeyring(keys: string): Keyring {
  const ring = keys.split(',').map((text) => {
    const key = Buffer.from(text.trim(), 'base64');
    return { id: createHash('sha256').update(key).digest('hex').slice(0, 8), key };
  });
  const [current] = ring;
  if (!current) throw new Error('there is no key');

  return {
    currentPrefix: `${current.id}.`,
    encrypt(plaintext) {
      const iv = randomBytes(ivLength);
      const cipher = createCipheriv('aes-256-gcm', current.key, iv);
      const sealed = Buffer.concat([iv, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${current.id}.${sealed.toString('base64url')}`;
    },
    decrypt(encrypted) {
      const [keyId, body = ''] = encrypted.split('.');
      const found = ring.find(({ id }) => id === keyId);
      if (!found) throw new Error('This secret was encrypted under another SECRETS_KEY');
      const sealed = Buffer.from(body, 'base64url');
      if (sealed.length < ivLength + tagLength) throw new Error('This is not an encrypted secret');
      const iv = sealed.subarray(0, ivLength);
      const decipher = createDecipheriv('aes-256-gcm', found.key, iv, { authTagLength: tagLength });
      decipher.setAuthTag(sealed.subarray(-tagLength));
      return decipher.update(sealed.subarray(ivLength, -tagLength), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}

let own: Keyring | undefined;

function keyring(): Keyring {
  if (!env.SECRETS_KEY) throw new Error('SECRETS_KEY is not set');
  own ??= makeKeyring(env.SECRETS_KEY);
  return own;
}

/**
 * Encrypts a text under the first key of SECRETS_KEY.
 * @returns `<key id>.<base64url of iv, ciphertext and tag>`
 */
export const encryptSecret = (plaintext: string): string => keyring().encrypt(plaintext);

/**
 * The text behind `encryptSecret`.
 * @throws Error when it was encrypted under a key that SECRETS_KEY does not hold, or was altered
 */
export const decryptSecret = (encrypted: string): string => keyring().decrypt(encrypted);

/** Begins what is encrypted under the first key; anything else waits to be encrypted anew. */
export const currentKeyPrefix = (): string => keyring().currentPrefix;
