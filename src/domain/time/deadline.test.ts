import { expect, test } from 'vitest';
import { withDeadline } from './deadline';

test('passes on what work in time comes to, and gives up on work that never ends', async () => {
  await expect(withDeadline(Promise.resolve(7), 10_000, 'late')).resolves.toBe(7);
  await expect(withDeadline(Promise.reject(new Error('broken')), 10_000, 'late')).rejects.toThrow('broken');
  await expect(withDeadline(new Promise(() => undefined), 1, 'late')).rejects.toThrow('late');
});
