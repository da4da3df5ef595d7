import '@/test/store';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { inFull, makeStage, play, type Stage, stepsMs, testTimeout } from '@/inngest/scene.fixture';
import { until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';

// Laurel is killed at each step of work of every kind, with an Inngest server. Prints the rows of the table in
// docs/webhooks.md.
vi.setConfig({ testTimeout });
const api = setupTestServer();

const events = ['tournament/scheduled', 'match/reported', 'webhook/replay.requested', 'media/upload.granted'];
const functions = [
  'laurel-emit-registration-changes',
  'laurel-start-tournament-by-schedule',
  'laurel-confirm-reported-result',
  'laurel-webhook-replay',
  'laurel-confirm-uploads',
  'laurel-webhook-drain',
];

let stage: Stage;
/** Steps at which Laurel is still to be killed. */
const left = new Set<string>();
let afterMs = 0;
let starting: Promise<void> | null = null;
let kills = 0;

async function killAndStart(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  kills += 1;
  await stage.kill();
  await stage.start();
  starting = null;
}

/** Kills Laurel the first time that it gets to a step. */
function reach(step: string): void {
  if (starting === null && left.delete(step)) starting = killAndStart();
}

beforeAll(async () => {
  stage = await makeStage({ onEvents: (names) => names.forEach(reach), onCall: reach });
  await stage.start();
  await until(() => stage.inngest.calls() > 0);
});
afterAll(() => stage.stop());

/** Announces work, and kills and starts Laurel until it was killed at every step. */
async function killAt(steps: readonly string[], ms: number, announce: () => Promise<void>): Promise<void> {
  afterMs = ms;
  for (const step of steps) left.add(step);
  kills = 0;
  await announce();
  // A step that went by while Laurel was down, or about to be killed, does not come again.
  await until(() => left.size === 0, stepsMs).catch(() => left.clear());
  await starting;
  expect(kills).toBeGreaterThan(steps.length / 2);
}

it('is killed before it handed anything over', async () => {
  await play(api, stage, 'kill -9 after the commits', async (announce) => {
    await stage.inngest.setFault('hangs');
    await announce();
    await stage.kill();
    await stage.inngest.setFault('none');
    await stage.start();
  });
});

it('is killed when it hands over each event', async () => {
  await play(api, stage, 'kill -9 at each hand-over', (announce) => killAt(events, 0, announce));
});

// Later it may be killed while it sends an email, which then belongs to the dead process for 45 seconds.
it.each(inFull ? [0, 40] : [0])('is killed %i ms into a run of each function', async (ms) => {
  await play(api, stage, `kill -9 ${ms} ms into functions`, (announce) => killAt(functions, ms, announce));
});
