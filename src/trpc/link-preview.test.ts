import { expect, onTestFinished, test } from 'vitest';
import { callerStore } from '@/server/http/caller-address';
import { installWorker } from '@/server/worker/offload';
import { WorkerThreads } from '@/server/worker/thread';
import { bundledWorker } from '@/test/thread';
import { linkPreview } from './link-preview';

test.each([
  ['of a project of its own', 'another'],
  ['that the network has asked for last', 'project 19'],
])('who asks for the previews of many projects delays another network by few of them, for one %s', async (_, asked) => {
  const thread = new WorkerThreads(await bundledWorker(new URL('../server/worker/thread.fixture.ts', import.meta.url)));
  installWorker(thread);
  onTestFinished(async () => {
    installWorker(undefined);
    await thread.stop();
  });
  const answered: string[] = [];
  const ask = async (ip: string, project: string) => {
    const { signal } = new AbortController();
    await callerStore.run({ ip, signal }, () =>
      linkPreview(project, { title: `${asked} ${project}`, facts: '', figures: [] }),
    );
    answered.push(`${project} for ${ip}`);
  };
  const many = Array.from({ length: 20 }, (_, number) => ask('192.0.2.1', `project ${number}`));
  await Promise.all([...many, ask('198.51.100.1', asked)]);
  expect(answered).toHaveLength(21);
  expect(answered.indexOf(`${asked} for 198.51.100.1`)).toBeLessThan(6);
});
