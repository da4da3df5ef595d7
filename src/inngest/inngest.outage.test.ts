import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { makeStage, type Stage, testTimeout } from '@/inngest/scene.fixture';
import { db } from '@/server/db';
import { makeDeliveries } from '@/test/deliveries';
import { freshEmail } from '@/test/email';
import { emitEvents, makeProject, makeSubscription, makeTournament } from '@/test/factories';
import { openReceiver } from '@/test/queue';
import { until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';

// What people notice of an Inngest server that is away: nothing but that emails, webhooks and schedules come later.
vi.setConfig({ testTimeout });
setupTestServer();
let stage: Stage;

beforeAll(async () => {
  stage = await makeStage();
});
afterEach(() => stage.inngest.setFault('none'));
afterAll(() => stage.stop());

const isReady = async (status: 'ready' | 'degraded') => {
  const response = await fetch(`${stage.server.url}/readyz`);
  const inngest = status === 'ready' ? 'ok' : 'degraded';
  const expected = { status, checks: { database: 'ok', store: 'ok', inngest } };
  // Never 503: pages and API work.
  expect(response.status).toBe(200);
  return JSON.stringify(await response.json()) === JSON.stringify(expected);
};

/** Changes that are announced to functions after their commit. */
async function makeChanges() {
  const { project, owner } = await makeProject();
  const target = await openReceiver();
  const paused = await makeSubscription(project.id, { url: target.url, status: 'paused' });
  const replayed = await makeSubscription(project.id, { url: target.url, events: ['webhook.test'] });
  const failed = await emitEvents(project.id, 3);
  await makeDeliveries(replayed, failed, { status: 'failed', createdAt: new Date(Date.now() - 3_600_000) });
  const draft = await makeTournament(project.id, { status: 'DRAFT' });
  const email = freshEmail();
  const { bearer } = owner;
  const changes: [string, string, object][] = [
    ['resume', `/webhooks/subscriptions/${paused.id}/resume`, { bearer }],
    ['replay', `/webhooks/subscriptions/${replayed.id}/replay`, { bearer, body: { status: 'failed' } }],
    ['test', `/webhooks/subscriptions/${replayed.id}/test`, { bearer }],
    ['publish', `/tournaments/${draft.id}/publish`, { bearer }],
    ['sign up', '/auth/register', { body: { email, password: 'four words are enough', name: 'Ada' } }],
  ];
  return {
    /** Makes each change, and says how it was answered. */
    async make() {
      const answers: { name: string; status: number; ms: number }[] = [];
      for (const [name, route, options] of changes) {
        const begin = performance.now();
        const { status } = await stage.server.post(route, options);
        answers.push({ name, status, ms: Math.round(performance.now() - begin) });
      }
      return answers;
    },
    /** Whether everything came that the changes are followed by. */
    async followed() {
      const arrived = new Set(target.eventIds());
      const tested = target.received.some(({ body }) => JSON.parse(body).event.type === 'webhook.test');
      const written = await db.outgoingMail.count({ where: { recipient: email, sentAt: { not: null } } });
      return failed.every((id) => arrived.has(id)) && tested && written === 1;
    },
  };
}

it('starts without the server, says so, keeps trying, and registers when it comes', async () => {
  await stage.inngest.setFault('down');
  await stage.start();
  await until(() => isReady('degraded'));
  const tried = () => stage.log().split('the Inngest server does not take the functions; trying again').length - 1;
  await until(() => tried() >= 3);
  const metrics = await fetch(`${stage.server.url}/metrics`);
  expect(await metrics.text()).toContain('laurel_inngest_reachable 0');
  await stage.inngest.setFault('none');
  await until(() => isReady('ready'));
  await until(() => stage.log().includes('functions registered with the Inngest server'));
  expect(stage.inngest.functions().length).toBeGreaterThan(15);
});

it.each(['down', 'hangs'] as const)(
  'changes succeed at once while it %s, and what follows comes later',
  async (fault) => {
    await until(() => isReady('ready'));
    const before = await makeChanges();
    for (const { name, status } of await before.make()) expect([name, status < 300]).toEqual([name, true]);
    await until(before.followed);
    const changes = await makeChanges();
    await stage.inngest.setFault(fault);
    const answers = await changes.make();
    // Longer than callers wait for the server (0.3 s), and shorter than one request to it (3 s).
    for (const { name, status, ms } of answers)
      expect({ name, ms, good: status < 300 && ms < 2_500 }).toEqual({ name, ms, good: true });
    await until(() => isReady('degraded'));
    // The client has tried several times by then.
    await until(() => stage.log().includes('events could not be sent to the functions; the relay sends them again'));
    await stage.inngest.setFault('none');
    await until(changes.followed);
    await until(() => isReady('ready'));
  },
);
