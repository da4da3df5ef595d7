import { threadMs } from '@/server/limits/thread-meter';

/** Milliseconds of this thread for one call; how busy the machine and other threads are does not count. */
export function costOf(work: () => void): number {
  const before = threadMs();
  work();
  return threadMs() - before;
}

/** Takes so many milliseconds of this thread. */
export function occupy(ms: number): void {
  const [before, began] = [threadMs(), performance.now()];
  while (threadMs() - before < ms || performance.now() - began < ms);
}
