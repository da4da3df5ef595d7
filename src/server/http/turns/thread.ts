import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds between looks whether the thread has been idle. */
const lookMs = 2;

/** Resolves after some time, or as soon as nothing else wants the thread. */
export async function leaveThread(ms: number): Promise<void> {
  const until = performance.now() + ms;
  while (performance.now() < until) {
    const before = performance.eventLoopUtilization();
    await pause(lookMs);
    if (performance.eventLoopUtilization(before).idle >= lookMs / 2) return;
  }
}
