import { randomUUID } from 'node:crypto';
import { type Received, startReceiver } from '../../src/test/receiver';
import { test as base, expect, newName } from '../fixtures';
import type { Rest } from '../people';

type Created = { id: string; version: number };

interface Scene {
  owner: Rest;
  /** A server that responds with `status` and records requests in `received`. */
  receiver: { url: string; received: Received[]; status: number };
  /** The draft whose events the webhooks of `subscribe` receive. */
  draft: { id: string };
  /** Creates a webhook for the draft's events over REST and deletes it after the test. */
  subscribe: (settings: Record<string, unknown>) => Promise<Created & { description: string }>;
  /** Deletes the webhook after the test. */
  deleteLater: (id: string) => void;
  webhooks: string;
}

const test = base.extend<{ scene: Scene }>({
  scene: async ({ rest, demo, tournament }, use) => {
    const owner = await rest('owner@demo.test');
    const state = { status: 200 };
    const server = await startReceiver((_request, response) => {
      response.statusCode = state.status;
      response.setHeader('content-type', 'application/json');
      response.end(state.status === 200 ? '{"ok":true}' : '{"error":"the standings table is locked"}');
    });
    const draft = await tournament({}, false);
    const created: string[] = [];
    await use({
      owner,
      receiver: Object.assign(state, { url: server.url, received: server.received }),
      draft,
      deleteLater: (id) => created.push(id),
      subscribe: async (settings) => {
        const description = newName('Endpoint');
        const { status, body } = await owner<Created>('POST', `/projects/${demo.project.id}/developer/webhooks`, {
          url: server.url,
          description,
          // Publishing causes two of them. Earlier events, such as the draft's creation, may be sent only now.
          events: ['tournament.published', 'registration.*'],
          filters: { tournamentIds: [draft.id] },
          ...settings,
        });
        expect(status, JSON.stringify(body)).toBe(201);
        created.push(body.id);
        return { ...body, description };
      },
      webhooks: `/dashboard/${demo.project.slug}/webhooks`,
    });
    for (const id of created) await owner('DELETE', `/webhooks/subscriptions/${id}`);
    await server.close();
  },
});

test('a webhook with a bearer token is created and its test delivery arrives', async ({ open, scene }) => {
  const token = randomUUID();
  const page = await open('owner@demo.test', `${scene.webhooks}/new`);
  await page.getByLabel('URL').fill('not a URL');
  await page.getByLabel('Description').focus();
  await expect(page.getByLabel('URL')).toHaveAccessibleDescription(/URL|https/);
  await page.getByLabel('URL').fill(scene.receiver.url);
  await page.getByLabel('Description').fill('Standings');
  await expect(page.getByText('Laurel can send to this URL')).toBeVisible();
  await page.getByRole('checkbox', { name: 'All events in Payouts' }).check();
  await page.getByRole('radio', { name: /Bearer token/ }).check();
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await expect(page.getByText('Enter the token.')).toBeVisible();
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await expect(page.getByRole('heading', { name: 'Webhook created' })).toBeVisible();
  await page.getByRole('link', { name: 'Open webhook' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Standings' })).toBeVisible();
  scene.deleteLater(new URL(page.url()).pathname.split('/').at(-1) ?? '');

  await page.getByRole('button', { name: 'Send test' }).click();
  const dialog = page.getByRole('dialog', { name: 'Test delivery' });
  await expect(dialog.getByText(/Delivered: 200 in/)).toBeVisible();
  const [request] = scene.receiver.received;
  expect(request?.headers).toMatchObject({
    authorization: `Bearer ${token}`,
    'x-webhook-event': 'webhook.test',
    'x-webhook-signature': expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  await dialog.getByRole('link', { name: 'View request and response' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'webhook.test' })).toBeVisible();
  await expect(page.getByText('"ok": true')).toBeVisible();
  await expect(page.getByRole('main')).not.toContainText(token);
});

test('a failed delivery explains the failure and is resent once the endpoint is fixed', async ({ open, scene }) => {
  const { description } = await scene.subscribe({ maxRetries: 0 });
  scene.receiver.status = 500;
  await scene.owner('POST', `/tournaments/${scene.draft.id}/publish`);
  const page = await open('owner@demo.test', scene.webhooks);
  await page.getByRole('link', { name: description }).first().click();
  await expect(page.getByRole('heading', { level: 1, name: description })).toBeVisible();
  await expect(page.getByText('Failing', { exact: true })).toBeVisible();
  await expect(page.getByText('Last attempt: 500 · Server error')).toBeVisible();
  await page.getByRole('link', { name: 'View last attempt' }).click();
  await expect(page.getByText('Check your server’s log at this time')).toBeVisible();
  await expect(page.getByText('the standings table is locked')).toBeVisible();

  scene.receiver.status = 200;
  await page.getByRole('button', { name: 'Resend' }).click();
  await expect(page.getByRole('article', { name: 'Attempt 2' }).getByText('Succeeded')).toBeVisible();
  await expect(page.getByText('Delivered', { exact: true })).toBeVisible();
  const bodies = scene.receiver.received.map((request) => JSON.parse(request.body));
  const resent = bodies.at(-1);
  expect(bodies.filter(({ event }) => event.id === resent.event.id)).toHaveLength(2);
});

test('an open circuit breaker explains itself and is reset, and failed events are resent', async ({ open, scene }) => {
  const { id } = await scene.subscribe({
    maxRetries: 0,
    circuitBreakerThreshold: 2,
    circuitBreakerTimeoutMs: 3_600_000,
  });
  scene.receiver.status = 503;
  await scene.owner('POST', `/tournaments/${scene.draft.id}/publish`);
  const page = await open('owner@demo.test', `${scene.webhooks}/${id}`);
  await expect(page.getByText('Opened after 2 failures in a row.')).toBeVisible();
  await expect(page.getByText('503 · Server error').first()).toBeVisible();
  await scene.owner('POST', `/tournaments/${scene.draft.id}/registration/close`);
  await expect(page.getByText('held by the circuit breaker').first()).toBeVisible();

  scene.receiver.status = 200;
  const before = scene.receiver.received.length;
  await page.getByRole('button', { name: 'Reset and send now' }).click();
  await expect(page.getByText('Circuit breaker reset')).toBeVisible();
  await expect.poll(() => scene.receiver.received.length).toBeGreaterThan(before);

  await expect(page.getByText('2 events were not delivered')).toBeVisible();
  await page.getByRole('main').getByRole('button', { name: 'Resend failed events' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Resend deliveries' });
  await expect(dialog.getByText('2 deliveries match.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Resend 2 deliveries' }).click();
  await expect(dialog.getByText('2 deliveries queued.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Close' }).first().click();
  await expect(page.getByText('Healthy', { exact: true })).toBeVisible();
});

test('deliveries are filtered, selected and resent together', async ({ open, scene }) => {
  const { id } = await scene.subscribe({ maxRetries: 0, enableCircuitBreaker: false });
  scene.receiver.status = 404;
  await scene.owner('POST', `/tournaments/${scene.draft.id}/publish`);
  const page = await open('owner@demo.test', `${scene.webhooks}/${id}`);
  await page.getByRole('combobox', { name: 'Status' }).click();
  await page.getByRole('option', { name: 'Failed' }).click();
  await expect(page).toHaveURL(/status=failed/);
  const table = page.getByRole('table', { name: 'Deliveries' });
  await expect(table.getByText('404 · Rejected')).toHaveCount(2);
  await page.getByRole('combobox', { name: 'Error' }).click();
  await page.getByRole('option', { name: 'Response timed out' }).click();
  await expect(page.getByRole('heading', { name: 'No matching deliveries' })).toBeVisible();
  await page.getByRole('combobox', { name: 'Error' }).click();
  await page.getByRole('option', { name: 'Rejected', exact: true }).click();

  scene.receiver.status = 200;
  const before = scene.receiver.received.length;
  await table.getByRole('checkbox', { name: 'Select all rows' }).check();
  await expect(page.getByText('2 deliveries selected')).toBeVisible();
  await page.getByRole('button', { name: 'Resend selected' }).click();
  await expect(page.getByText('Resending 2 deliveries')).toBeVisible();
  await expect.poll(() => scene.receiver.received.length - before).toBe(2);
  await expect(page.getByRole('heading', { name: 'No matching deliveries' })).toBeVisible();
});

test('two people who edit a webhook at the same time can keep both changes', async ({ open, scene }) => {
  const { id } = await scene.subscribe({});
  const page = await open('owner@demo.test', `${scene.webhooks}/${id}/edit`);
  const description = page.getByLabel('Description');
  await expect(description).not.toHaveValue('');
  const { body } = await scene.owner<Created>('PATCH', `/webhooks/subscriptions/${id}`, { timeoutMs: 4_000 });
  await description.fill('My webhook');
  await page.getByRole('button', { name: 'Save changes' }).click();
  const dialog = page.getByRole('dialog', { name: 'Someone else edited this webhook' });
  await expect(dialog.getByText('Time limit')).toBeVisible();
  await dialog.getByRole('button', { name: 'Save my changes' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'My webhook' })).toBeVisible();
  const { body: now } = await scene.owner('GET', `/webhooks/subscriptions/${id}`);
  expect(now).toMatchObject({ description: 'My webhook', timeoutMs: 4_000, version: body.version + 1 });
});

test('the charts are read with the arrow keys and as a table', async ({ open, scene }) => {
  const { id } = await scene.subscribe({ maxRetries: 0 });
  scene.receiver.status = 500;
  await scene.owner('POST', `/tournaments/${scene.draft.id}/publish`);
  const page = await open('owner@demo.test', `${scene.webhooks}/${id}?tab=performance&range=7d`);
  const chart = page.getByRole('slider', { name: 'Requests' });
  await expect(chart).toHaveAttribute('aria-valuetext', /: \w+ 0, Failed 2$/, { timeout: 15_000 });
  await chart.press('ArrowLeft');
  await expect(chart).toHaveAttribute('aria-valuetext', /: \w+ 0, Failed 0$/);
  await chart.press('Home');
  await expect(chart).toHaveAttribute('aria-valuenow', '0');
  await chart.press('End');
  await expect(chart).toHaveAttribute('aria-valuetext', /Failed 2$/);
  await page.getByRole('button', { name: 'Requests as a table' }).click();
  await expect(page.getByRole('table', { name: 'Requests' }).getByRole('row')).toHaveCount(2);
});
