import { expect, test } from 'vitest';
import { evaluate, injector, setupAntiCheat } from '@/server/routers/anticheat/anticheat.fixture';
import { setupTestServer } from '@/test/server';
import { storedWindows } from './data-stored-reports';

const server = setupTestServer();

test('of a report, what the rules read is read, and nothing else that the client sent', async () => {
  const { enroll } = await setupAntiCheat(server);
  const client = await enroll();
  const at = new Date().toISOString();
  const data = {
    reaction: { ms: 180 },
    aim: { degrees: 30, durationMs: 8, hit: true },
    input: { control: 'jump', intervalsMs: [40, 41] },
    process: { name: 'game.exe' },
    module: { name: 'game.dll', sha256: 'a', expectedSha256: null },
  };
  const reports = Object.entries(data).map(([kind, named], index) => ({
    ...{ sequence: index + 1, at, kind },
    data: { ...named, more: Array.from({ length: 500 }, () => []) },
  }));
  expect(await client.report(...reports)).toMatchObject({ status: 200, body: { accepted: 5 } });
  const found = [];
  for await (const window of storedWindows(client.id, Date.now() - 60_000, Date.now() + 60_000))
    found.push(...window.reports);
  expect(Object.fromEntries(found.map((report) => [report.kind, report.data]))).toEqual(data);
});

test('a detection does not depend on what else a report has', async () => {
  const { enroll, start } = await setupAntiCheat(server);
  const client = await enroll();
  const { sessionId } = await start();
  const report = injector(1);
  await client.report({ ...report, data: { ...report.data, more: [[], []] } });
  expect(await evaluate(sessionId)).toBe(1);
});
