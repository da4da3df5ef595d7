import '@/test/store';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { makeStage, outageMs, play, type Stage, testTimeout } from '@/inngest/scene.fixture';
import { until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';

// An Inngest server that does not answer while work of every kind is under way. Prints rows of the table in docs/webhooks.md.
vi.setConfig({ testTimeout });
const api = setupTestServer();
let stage: Stage;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const outage = `${outageMs / 1_000} s`;

beforeAll(async () => {
  stage = await makeStage();
  await stage.start();
  await until(() => stage.inngest.calls() > 0);
});
afterEach(async () => {
  await stage.inngest.setFault('none');
});
afterAll(() => stage.stop());

it.each([1, 3])('it is down (%i)', async (factor) => {
  const doubled = await play(api, stage, `down ${(factor * outageMs) / 1_000} s`, async (announce) => {
    await stage.inngest.setFault('down');
    await announce();
    await pause(outageMs * factor);
    await stage.inngest.setFault('none');
  });
  expect(doubled).toEqual([]);
});

it('it hangs', async () => {
  const doubled = await play(api, stage, `hangs ${(1.5 * outageMs) / 1_000} s`, async (announce) => {
    await stage.inngest.setFault('hangs');
    await announce();
    await pause(outageMs * 1.5);
    await stage.inngest.setFault('none');
  });
  expect(doubled).toEqual([]);
});

it('it is down when Laurel starts', async () => {
  const doubled = await play(api, stage, `down ${outage} at the start`, async (announce) => {
    await stage.kill();
    await stage.inngest.setFault('down');
    await stage.start();
    await announce();
    await pause(outageMs);
    await stage.inngest.setFault('none');
  });
  expect(doubled).toEqual([]);
});
