import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeKeyring } from '@/server/crypto';

const key = () => randomBytes(32).toString('base64');

test('the first key encrypts, every key of the ring decrypts', () => {
  const [old, fresh] = [key(), key()];
  const before = makeKeyring(old);
  const during = makeKeyring(`${fresh}, ${old}`);
  const after = makeKeyring(fresh);
  const kept = before.encrypt('geheim');
  expect(during.decrypt(kept)).toBe('geheim');
  expect(kept.startsWith(during.currentPrefix)).toBe(false);
  const anew = during.encrypt(during.decrypt(kept));
  expect(anew.startsWith(during.currentPrefix)).toBe(true);
  expect(after.decrypt(anew)).toBe('geheim');
  expect(() => after.decrypt(kept)).toThrow(/another SECRETS_KEY/);
  expect(() => before.decrypt(anew)).toThrow(/another SECRETS_KEY/);
});
