import { expect, test } from 'vitest';
import { hashPassword, passwordMatches } from './passwords';

test('a block of addresses that has hundreds of passwords hashed delays another by few of them', async () => {
  let done = 0;
  const many = Array.from({ length: 40 }, async (_, at) => {
    await hashPassword('a stranger signs up', `198.51.100.${at}`);
    done += 1;
  });
  const own = await hashPassword('correct horse battery', '192.0.2.1');
  expect(await passwordMatches('correct horse battery', own, '192.0.2.1')).toBe(true);
  expect(await passwordMatches('wrong horse battery', own, '192.0.2.1')).toBe(false);
  expect(done).toBeLessThan(20);
  await Promise.all(many);
});
