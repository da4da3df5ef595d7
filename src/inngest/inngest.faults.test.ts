import '@/test/store';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { makeStage, outageMs, play, type Stage, testTimeout } from '@/inngest/scene.fixture';
import { until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';

// Faults of an Inngest server while work of every kind is under way. Prints rows of the table in docs/webhooks.md.
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

it('without a fault', async () => {
  expect(await play(api, stage, 'none', (announce) => announce())).toEqual([]);
});

it('it answers late', async () => {
  const doubled = await play(api, stage, `answers late for ${outage}`, async (announce) => {
    await stage.inngest.setFault('late');
    await announce();
    await pause(outageMs);
    await stage.inngest.setFault('none');
  });
  expect(doubled).toEqual([]);
});

it('it takes events and forgets them', async () => {
  const doubled = await play(api, stage, `forgets for ${outage}`, async (announce) => {
    await stage.inngest.setFault('forgets');
    await announce();
    await pause(outageMs);
    await stage.inngest.setFault('none');
  });
  expect(doubled).toEqual([]);
});

it('it is killed right after it took events, and has forgotten them', async () => {
  const doubled = await play(api, stage, 'killed when it took events', async (announce) => {
    await stage.inngest.restart({ durable: true, bufferMs: 60_000 });
    await announce();
    await stage.inngest.restart({ durable: true, bufferMs: 265 });
  });
  expect(doubled).toEqual([]);
});

it('it restarts empty: without functions, runs and events', async () => {
  const doubled = await play(api, stage, 'restarts empty', async (announce) => {
    await announce();
    await stage.inngest.restart();
  });
  expect(doubled).toEqual([]);
});

it('it knows no functions, and takes events', async () => {
  const doubled = await play(api, stage, 'unknown functions', async (announce) => {
    await stage.inngest.restart();
    await announce();
  });
  expect(doubled).toEqual([]);
});
