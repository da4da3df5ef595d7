/** Milliseconds of the processor since `before`. */
function tookMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Milliseconds of the processor for one call; how busy the machine is does not count. */
export function costOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  return tookMs(before);
}

/** Takes so many milliseconds of the processor in this thread: others of the process may use another one meanwhile. */
export function occupy(ms: number): void {
  const [before, began] = [process.cpuUsage(), performance.now()];
  while (tookMs(before) < ms || performance.now() - began < ms);
}
