import { randomUUID } from 'node:crypto';
import { type Received, startReceiver } from '../../src/test/receiver';
import { test as base, expect, newName } from '../fixtures';
import type { Rest } from '../people';

type Created = { id: string; version: number };

interface Scene {
  owner: Rest;
  /** A receiver that answers what `status` says; hear what arrived in `received`. */
  receiver: { url: string; received: Received[]; status: number };
  /** A draft whose events alone go to what `subscribe` makes. */
  draft: { id: string };
  /** Makes a webhook for the draft's events over REST, which is gone after the test. */
  subscribe: (settings: Record<string, unknown>) => Promise<Created & { description: string }>;
  /** Deletes it after the test. */
  remember: (id: string) => void;
  webhooks: string;
}

const test = base.extend<{ scene: Scene }>({
  scene: async ({ rest, demo, tournament }, use) => {
    const owner = await rest('owner@demo.test');
    const state = { status: 200 };
    const server = await startReceiver((_request, response) => {
      response.statusCode = state.status;
      response.setHeader('content-type', 'application/json');
      response.end(state.status === 200 ? '{"taken":true}' : '{"error":"the standings table is locked"}');
    });
    const draft = await tournament({}, false);
    const made: string[] = [];
    await use({
      owner,
      receiver: Object.assign(state, { url: server.url, received: server.received }),
      draft,
      remember: (id) => made.push(id),
      subscribe: async (settings) => {
        const description = newName('Receiver');
        const { status, body } = await owner<Created>('POST', `/projects/${demo.project.id}/developer/webhooks`, {
          url: server.url,
          description,
          // Publishing makes two of them. What came before, such as the draft's creation, may be handed on only now.
          events: ['tournament.published', 'registration.*'],
          filters: { tournamentIds: [draft.id] },
          ...settings,
        });
        expect(status, JSON.stringify(body)).toBe(201);
        made.push(body.id);
        return { ...body, description };
      },
      webhooks: `/dashboard/${demo.project.slug}/webhooks`,
    });
    for (const id of made) await owner('DELETE', `/webhooks/subscriptions/${id}`);
    await server.close();
  },
});

test('a webhook with a bearer token is made, and a test of it arrives', async ({ open, scene }) => {
  const token = randomUUID();
  const page = await open('owner@demo.test', `${scene.webhooks}/new`);
  await page.getByLabel('URL').fill('not a URL');
  await page.getByLabel('Description').focus();
  await expect(page.getByLabel('URL')).toHaveAccessibleDescription(/URL|https/);
  await page.getByLabel('URL').fill(scene.receiver.url);
  await page.getByLabel('Description').fill('Made by hand');
  await expect(page.getByText('Events can go there')).toBeVisible();
  await page.getByRole('checkbox', { name: 'All events of Payouts' }).check();
  await page.getByRole('radio', { name: /Bearer token/ }).check();
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await expect(page.getByText('Enter the token.')).toBeVisible();
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await expect(page.getByRole('heading', { name: 'The webhook is ready' })).toBeVisible();
  await page.getByRole('link', { name: 'Open the webhook' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Made by hand' })).toBeVisible();
  scene.remember(new URL(page.url()).pathname.split('/').at(-1) ?? '');

  await page.getByRole('button', { name: 'Send a test' }).click();
  const dialog = page.getByRole('dialog', { name: 'Test' });
  await expect(dialog.getByText(/It arrived: 200 in/)).toBeVisible();
  const [request] = scene.receiver.received;
  expect(request?.headers).toMatchObject({
    authorization: `Bearer ${token}`,
    'x-webhook-event': 'webhook.test',
    'x-webhook-signature': expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  await dialog.getByRole('link', { name: 'Look at the request and the answer' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'webhook.test' })).toBeVisible();
  await expect(page.getByText('"taken": true')).toBeVisible();
  await expect(page.getByRole('main')).not.toContainText(token);
});

test('why an event did not arrive is told in words, and it is sent again when the receiver is mended', async ({
  open,
  scene,
}) => {
  const { description } = await scene.subscribe({ maxRetries: 0 });
  scene.receiver.status = 500;
  await scene.owner('POST', `/tournaments/${scene.draft.id}/publish`);
  const page = await open('owner@demo.test', scene.webhooks);
  await page.getByRole('link', { name: description }).first().click();
  await expect(page.getByRole('heading', { level: 1, name: description })).toBeVisible();
  await expect(page.getByText('It does not take its events')).toBeVisible();
  await expect(page.getByText('Last answer: 500 · Receiver failed')).toBeVisible();
  await page.getByRole('link', { name: 'See the last attempt' }).click();
  await expect(page.getByText('Look into the receiver’s log at this time')).toBeVisible();
  await expect(page.getByText('the standings table is locked')).toBeVisible();

  scene.receiver.status = 200;
  await page.getByRole('button', { name: 'Send again' }).click();
  await expect(page.getByRole('article', { name: 'Attempt 2' }).getByText('Succeeded')).toBeVisible();
  await expect(page.getByText('Delivered', { exact: true })).toBeVisible();
  const bodies = scene.receiver.received.map((request) => JSON.parse(request.body));
  const again = bodies.at(-1);
  expect(bodies.filter(({ event }) => event.id === again.event.id)).toHaveLength(2);
});

test('an open breaker says why, is reset, and everything that was missed follows', async ({ open, scene }) => {
  const { id } = await scene.subscribe({
    maxRetries: 0,
    circuitBreakerThreshold: 2,
    circuitBreakerTimeoutMs: 3_600_000,
  });
  scene.receiver.status = 503;
  await scene.owner('POST', `/tournaments/${scene.draft.id}/publish`);
  const page = await open('owner@demo.test', `${scene.webhooks}/${id}`);
  await expect(page.getByText('Breaker open after 2 failures in a row')).toBeVisible();
  await expect(page.getByText('503 · Receiver failed').first()).toBeVisible();
  await scene.owner('POST', `/tournaments/${scene.draft.id}/registration/close`);
  await expect(page.getByText('held by the breaker').first()).toBeVisible();

  scene.receiver.status = 200;
  const before = scene.receiver.received.length;
  await page.getByRole('button', { name: 'Reset and send now' }).click();
  await expect(page.getByText('The breaker is closed')).toBeVisible();
  await expect.poll(() => scene.receiver.received.length).toBeGreaterThan(before);

  await expect(page.getByText('2 events never arrived')).toBeVisible();
  await page.getByRole('main').getByRole('button', { name: 'Send missed events again' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Send again' });
  await expect(dialog.getByText('2 deliveries match.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Send 2 deliveries again' }).click();
  await expect(dialog.getByText('2 deliveries are on the way.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Close' }).first().click();
  await expect(page.getByText('It gets its events')).toBeVisible();
});

test('deliveries are found by status, ticked and sent again together', async ({ open, scene }) => {
  const { id } = await scene.subscribe({ maxRetries: 0, enableCircuitBreaker: false });
  scene.receiver.status = 404;
  await scene.owner('POST', `/tournaments/${scene.draft.id}/publish`);
  const page = await open('owner@demo.test', `${scene.webhooks}/${id}`);
  await page.getByRole('combobox', { name: 'Status' }).click();
  await page.getByRole('option', { name: 'Failed' }).click();
  await expect(page).toHaveURL(/status=failed/);
  const table = page.getByRole('table', { name: 'Deliveries' });
  await expect(table.getByText('404 · Refused')).toHaveCount(2);
  await page.getByRole('combobox', { name: 'Kind of failure' }).click();
  await page.getByRole('option', { name: 'No answer in time' }).click();
  await expect(page.getByRole('heading', { name: 'No delivery matches' })).toBeVisible();
  await page.getByRole('combobox', { name: 'Kind of failure' }).click();
  await page.getByRole('option', { name: 'Refused', exact: true }).click();

  scene.receiver.status = 200;
  const before = scene.receiver.received.length;
  await table.getByRole('checkbox', { name: 'Select all rows' }).check();
  await expect(page.getByText('2 deliveries selected')).toBeVisible();
  await page.getByRole('button', { name: 'Send selected again' }).click();
  await expect(page.getByText('2 deliveries are sent again')).toBeVisible();
  await expect.poll(() => scene.receiver.received.length - before).toBe(2);
  await expect(page.getByRole('heading', { name: 'No delivery matches' })).toBeVisible();
});

test('two people who change a webhook at once are told of each other', async ({ open, scene }) => {
  const { id } = await scene.subscribe({});
  const page = await open('owner@demo.test', `${scene.webhooks}/${id}/edit`);
  const description = page.getByLabel('Description');
  await expect(description).not.toHaveValue('');
  const { body } = await scene.owner<Created>('PATCH', `/webhooks/subscriptions/${id}`, { timeoutMs: 4_000 });
  await description.fill('Mine');
  await page.getByRole('button', { name: 'Save changes' }).click();
  const dialog = page.getByRole('dialog', { name: 'Someone changed this webhook meanwhile' });
  await expect(dialog.getByText('Time limit')).toBeVisible();
  await dialog.getByRole('button', { name: 'Save mine as well' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Mine' })).toBeVisible();
  const { body: now } = await scene.owner('GET', `/webhooks/subscriptions/${id}`);
  expect(now).toMatchObject({ description: 'Mine', timeoutMs: 4_000, version: body.version + 1 });
});
