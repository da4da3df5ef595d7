// Loaded into a server that is measured: tells its parent how long the event loop was blocked and what processor time
// was used.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

if (isMainThread && process.send) {
  const resolution = 1;
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  let used = process.cpuUsage();
  process.on('message', (message) => {
    if (message === 'begin') {
      delay.reset();
      used = process.cpuUsage();
      process.send({ cpuMs: 0, blockMs: 0 });
    } else if (message === 'end') {
      const { user, system } = process.cpuUsage(used);
      // The timer that measures has to run once more to notice what held it up.
      setTimeout(() => {
        process.send({ cpuMs: (user + system) / 1000, blockMs: Math.max(0, delay.max / 1e6 - resolution) });
      }, 5);
    }
  });
}
