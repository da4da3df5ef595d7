import { expect, onTestFinished, test, vi } from 'vitest';
import { isDrawable } from '@/domain/text/drawable';
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

test('no character that may be drawn is looked for on the internet', async () => {
  const { fetch } = globalThis;
  const asked: string[] = [];
  vi.stubGlobal('fetch', (address: string) => {
    // The renderer loads itself so.
    if (String(address).startsWith('data:')) return fetch(address);
    asked.push(String(address));
    return Promise.reject(new Error('no network'));
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const all = Array.from({ length: 0x2200 }, (_, code) => String.fromCharCode(code)).filter(isDrawable);
  expect(all.length).toBeGreaterThan(400);
  for (const name of ['Śląsk Open', 'Nguyễn Cup', 'Türkiye Kupası', 'Žalgiris – “Finále”'])
    expect(isDrawable(name)).toBe(true);
  for (const name of ['Кубок', '杯', 'Cup \u{1F3C6}', '\u202ECup']) expect(isDrawable(name)).toBe(false);
  for (let from = 0; from < all.length; from += 60) {
    const some = all.slice(from, from + 60).join('');
    await drawLinkPreview({ owner: 'a project' }, { title: some, facts: some, figures: [] });
  }
  expect(asked).toEqual([]);
});
