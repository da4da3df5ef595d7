import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { singleFlight } from './single-flight';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('what is made is shared by all who ask meanwhile, and kept for its time', async () => {
  let made = 0;
  const read = singleFlight(async () => ++made, 1_000);
  expect(await Promise.all([read(), read()])).toEqual([1, 1]);
  vi.advanceTimersByTime(999);
  expect(await read()).toBe(1);
  vi.advanceTimersByTime(1);
  expect(await read()).toBe(2);
});

test('without a time, nothing is kept once it is made', async () => {
  let made = 0;
  const read = singleFlight(async () => ++made);
  expect([await Promise.all([read(), read()]), await read()]).toEqual([[1, 1], 2]);
});

test('a failure is shared and not kept', async () => {
  let made = 0;
  const read = singleFlight(async () => {
    made += 1;
    if (made === 1) throw new Error('lost');
    return made;
  }, 1_000);
  expect((await Promise.allSettled([read(), read()])).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await read()).toBe(2);
});
