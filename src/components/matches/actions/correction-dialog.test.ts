import { environmentManager, isServer, QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Correction } from '@/components/matches/types';
import { previewOptions } from './correction-dialog';

beforeEach(() => {
  vi.useFakeTimers();
  environmentManager.setIsServer(() => false);
});
afterEach(() => {
  vi.useRealTimers();
  environmentManager.setIsServer(() => isServer);
});

/** An open dialog whose bracket is at `version`. */
function openDialog() {
  const read = vi.fn((): Promise<Correction> => Promise.resolve({ allowed: true, affected: [] }));
  const optionsAt = (version: number, choice = 'a') => previewOptions([choice], version, read);
  const observer = new QueryObserver(new QueryClient(), optionsAt(0));
  const close = observer.subscribe(() => undefined);
  const change = (version: number, choice?: string) => observer.setOptions(optionsAt(version, choice));
  return { read, change, close, previewed: () => observer.getCurrentResult().data?.version };
}

test('players who change the bracket all the time cause a preview every five seconds at most', async () => {
  const { read, change, close, previewed } = openDialog();
  await vi.advanceTimersByTimeAsync(0);
  for (let version = 1; version <= 150; version += 1) {
    change(version);
    await vi.advanceTimersByTimeAsync(400);
  }
  expect(read.mock.calls.length).toBeGreaterThan(6);
  expect(read.mock.calls.length).toBeLessThanOrEqual(1 + 60 / 5);
  // The last change is previewed, and then nothing until the next.
  await vi.advanceTimersByTimeAsync(5_000);
  expect(previewed()).toBe(150);
  const before = read.mock.calls.length;
  await vi.advanceTimersByTimeAsync(600_000);
  expect(read).toHaveBeenCalledTimes(before);
  close();
});

test('another choice is previewed at once', async () => {
  const { read, change, close, previewed } = openDialog();
  await vi.advanceTimersByTimeAsync(0);
  change(1, 'b');
  await vi.advanceTimersByTimeAsync(0);
  expect(read).toHaveBeenCalledTimes(2);
  expect(previewed()).toBe(1);
  close();
});
