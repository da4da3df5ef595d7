/** Takes so many milliseconds of the processor. */
export function occupy(ms: number): void {
  const before = process.cpuUsage();
  const tookMs = () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  while (tookMs() < ms);
}
