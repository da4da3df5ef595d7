import { expect, onTestFinished, test } from 'vitest';
import { bundledWorker } from '@/test/thread';
import { drawLinkPreview } from './link-preview';
import { installWorker } from './offload';
import { WorkerThread } from './thread';

const shown = { title: 'Harbor Cup', facts: 'Counter-Strike 2', figures: [{ label: 'Start', value: 'Dec 5, 2026' }] };

test('the image of a link preview is drawn in the worker thread', async () => {
  const thread = new WorkerThread(await bundledWorker(new URL('../../worker.ts', import.meta.url)));
  installWorker(thread);
  onTestFinished(async () => {
    installWorker(undefined);
    await thread.stop();
  });
  const { body } = await drawLinkPreview({ owner: 'a project' }, shown);
  expect(thread.isRunning).toBe(true);
  expect(Buffer.from(body.subarray(1, 4)).toString()).toBe('PNG');
  expect(body.length).toBeGreaterThan(5_000);
});
