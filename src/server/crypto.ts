import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { env } from '@/env';

const ivLength = 12;
const tagLength = 16;

function currentKey(): { id: string; key: Buffer } {
  if (!env.SECRETS_KEY) throw new Error('SECRETS_KEY is not set');
  const key = Buffer.from(env.SECRETS_KEY, 'base64');
  return { id: createHash('sha256').update(key).digest('hex').slice(0, 8), key };
}

/**
 * Encrypts a text under SECRETS_KEY with AES-256-GCM.
 * @returns `<key id>.<base64url of iv, ciphertext and tag>`; the key id tells after a change of key which rows are old
 */
export function encryptSecret(plaintext: string): string {
  const { id, key } = currentKey();
  const iv = randomBytes(ivLength);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const sealed = Buffer.concat([iv, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${id}.${sealed.toString('base64url')}`;
}

/**
 * The text behind `encryptSecret`.
 * @throws Error when it was encrypted under another key or was altered
 */
export function decryptSecret(encrypted: string): string {
  const { id, key } = currentKey();
  const [keyId, body = ''] = encrypted.split('.');
  if (keyId !== id) throw new Error('This secret was encrypted under another SECRETS_KEY');
  const sealed = Buffer.from(body, 'base64url');
  if (sealed.length < ivLength + tagLength) throw new Error('This is not an encrypted secret');
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, ivLength), { authTagLength: tagLength });
  decipher.setAuthTag(sealed.subarray(-tagLength));
  return decipher.update(sealed.subarray(ivLength, -tagLength), undefined, 'utf8') + decipher.final('utf8');
}
