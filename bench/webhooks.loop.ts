import { Agent } from 'undici';
import { examplePayload, signedPost } from './signed-post';

/** Where to send signed POSTs, how many, and so many at a time. */
export type Loop = { url: string; requests: number; parallel: number };

/** A process that sends signed POSTs and does nothing else, and says how many milliseconds they took. */
process.on('disconnect', () => process.exit(0));
process.on('message', async ({ url, requests, parallel }: Loop) => {
  const agent = new Agent();
  const started = performance.now();
  let sent = 0;
  async function loop(): Promise<void> {
    while (sent < requests) {
      sent += 1;
      await signedPost(agent, url, { id: `evt_${sent}`, payload: examplePayload, occurredAt: new Date() });
    }
  }
  await Promise.all(Array.from({ length: parallel }, loop));
  process.send?.(performance.now() - started);
  await agent.close();
});
process.send?.('ready');
