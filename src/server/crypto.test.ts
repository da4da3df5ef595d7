import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { decryptSecret, encryptSecret, makeKeyring } from '@/server/crypto';

const key = () => randomBytes(32).toString('base64');

test('the first key encrypts, and every key of the ring decrypts', () => {
  const [old, fresh] = [key(), key()];
  const before = makeKeyring(old);
  const during = makeKeyring(`${fresh}, ${old}`);
  const after = makeKeyring(fresh);
  const encrypted = before.encrypt('secret');
  expect(during.decrypt(encrypted)).toBe('secret');
  expect(encrypted.startsWith(during.currentPrefix)).toBe(false);
  const renewed = during.encrypt(during.decrypt(encrypted));
  expect(renewed.startsWith(during.currentPrefix)).toBe(true);
  expect(after.decrypt(renewed)).toBe('secret');
  expect(() => after.decrypt(encrypted)).toThrow(/another SECRETS_KEY/);
  expect(() => before.decrypt(renewed)).toThrow(/another SECRETS_KEY/);
});

test('decrypting returns the plaintext; the ciphertext differs each time and cannot be altered', () => {
  const encrypted = encryptSecret('secret');
  expect(decryptSecret(encrypted)).toBe('secret');
  expect(encryptSecret('secret')).not.toBe(encrypted);
  const [keyId, body = ''] = encrypted.split('.');
  expect(() => decryptSecret(`${keyId}.${body.startsWith('A') ? 'B' : 'A'}${body.slice(1)}`)).toThrow();
  expect(() => decryptSecret(`00000000.${body}`)).toThrow(/another SECRETS_KEY/);
});
