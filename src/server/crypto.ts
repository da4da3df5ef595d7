import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { env } from '@/env';

const ivLength = 12;
const tagLength = 16;

export type Keyring = {
  /** Encrypts with the first key. */
  encrypt: (plaintext: string) => string;
  /** @throws Error when it was encrypted with a key that is not in the ring, or was altered */
  decrypt: (encrypted: string) => string;
  /** The beginning of everything that the first key encrypted. */
  currentPrefix: string;
};

/**
 * AES-256-GCM with several keys: the first one encrypts, and all of them decrypt. To replace a key, put the new one in
 * front, and remove the old one once nothing is encrypted with it.
 * @param keys 32 bytes each in base64, separated by commas
 */
export function makeKeyring(keys: string): Keyring {
  const ring = keys.split(',').map((text) => {
    const key = Buffer.from(text.trim(), 'base64');
    return { id: createHash('sha256').update(key).digest('hex').slice(0, 8), key };
  });
  const [current] = ring;
  if (!current) throw new Error('No encryption key');

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
      if (!found) throw new Error('This secret was encrypted with another SECRETS_KEY');
      const sealed = Buffer.from(body, 'base64url');
      if (sealed.length < ivLength + tagLength) throw new Error('This is not an encrypted secret');
      const iv = sealed.subarray(0, ivLength);
      const decipher = createDecipheriv('aes-256-gcm', found.key, iv, { authTagLength: tagLength });
      decipher.setAuthTag(sealed.subarray(-tagLength));
      return decipher.update(sealed.subarray(ivLength, -tagLength), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}

let configured: Keyring | undefined;

function keyring(): Keyring {
  if (!env.SECRETS_KEY) throw new Error('SECRETS_KEY is not set');
  configured ??= makeKeyring(env.SECRETS_KEY);
  return configured;
}

/**
 * Encrypts text with the first key of SECRETS_KEY.
 * @returns `<key id>.<base64url of iv, ciphertext and tag>`
 */
export const encryptSecret = (plaintext: string): string => keyring().encrypt(plaintext);

/**
 * Decrypts what `encryptSecret` returned.
 * @throws Error when it was encrypted with a key that is not in SECRETS_KEY, or was altered
 */
export const decryptSecret = (encrypted: string): string => keyring().decrypt(encrypted);

/** The beginning of secrets encrypted with the first key. All others have to be encrypted again. */
export const currentKeyPrefix = (): string => keyring().currentPrefix;
