import { expect, onTestFinished, test } from 'vitest';
import { callerStore } from '@/server/http/caller-address';
import { installWorker } from '@/server/worker/offload';
import { WorkerThreads } from '@/server/worker/thread';
import { bundledWorker } from '@/test/thread';
import { linkPreview } from './link-preview';

test('who asks for the previews of many projects delays another network by few of them', async () => {
  const thread = new WorkerThreads(await bundledWorker(new URL('../server/worker/thread.fixture.ts', import.meta.url)));
  installWorker(thread);
  onTestFinished(async () => {
    installWorker(undefined);
    await thread.stop();
  });
  const answered: string[] = [];
  const ask = async (ip: string, project: string) => {
    const { signal } = new AbortController();
    await callerStore.run({ ip, signal }, () => linkPreview(project, { title: project, facts: '', figures: [] }));
    answered.push(project);
  };
  const many = Array.from({ length: 20 }, (_, number) => ask('192.0.2.1', `project ${number}`));
  await Promise.all([...many, ask('198.51.100.1', 'another')]);
  expect(answered).toHaveLength(21);
  expect(answered.indexOf('another')).toBeLessThan(6);
});
