import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright/test';
import type { Demo } from '../src/embedded/demo/demo';
import { type Received, startReceiver, until } from '../src/test/receiver';
import { expect, test } from './fixtures';
import { freePort, type Laurel, newDataDir, removeDataDir, startLaurel } from './laurel';
import { restAs } from './people';

const password = 'demo-password';
type ParticipantList = { items: { id: string }[] };

/** A signed-in page in its own browser context. */
async function signedIn(browser: Browser, laurel: Laurel, email: string, next: string): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: laurel.url })).newPage();
  await page.goto(`/sign-in?next=${encodeURIComponent(next)}`);
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL((url) => url.pathname === next);
  return page;
}

function hasValidSignature(request: Received, secret: string): boolean {
  const ours = createHmac('sha256', secret).update(request.body).digest();
  const theirs = Buffer.from(String(request.headers['x-webhook-signature']), 'hex');
  return theirs.length === ours.length && timingSafeEqual(ours, theirs);
}

async function subscribe(page: Page, url: string): Promise<string> {
  await page.getByLabel('URL').fill(url);
  await page.getByLabel('All events', { exact: true }).check();
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await expect(page.getByRole('heading', { name: 'Webhook created' })).toBeVisible();
  const secret = await page
    .getByRole('main')
    .locator('code', { hasText: /^whsec_|^[\w+/=-]{24,}$/ })
    .first()
    .textContent();
  return secret ?? '';
}

async function createTournament(page: Page, name: string): Promise<string> {
  await page.getByLabel('Name').fill(name);
  await page.getByRole('combobox', { name: 'Game' }).click();
  await page.getByRole('option', { name: 'Counter-Strike 2' }).click();
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);
  await page.getByLabel('Start', { exact: true }).fill(tomorrow);
  await page.getByLabel('Maximum players').fill('2');
  await page.getByLabel('Offer a waitlist when it is full').check();
  await page.getByRole('button', { name: 'Create draft' }).click();
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Publish' }).click();
  await expect(page.getByText('Published', { exact: true }).first()).toBeVisible();
  await page.getByRole('link', { name: 'Public page' }).click();
  await page.waitForURL((url) => url.pathname.startsWith('/tournaments/'));
  return new URL(page.url()).pathname.split('/')[2] ?? '';
}

test('the first five minutes work in the browser and over REST, and nothing is lost when everything is killed', async ({
  browser,
}) => {
  test.setTimeout(600_000);
  const dataDir = newDataDir();
  const port = await freePort();
  let isHanging = false;
  const delivered: Received[] = [];
  const receiver = await startReceiver((request, response) => {
    if (isHanging) return;
    delivered.push(request);
    response.end('ok');
  });
  let laurel = await startLaurel(dataDir, port);
  try {
    const { project, apiKeys } = JSON.parse(readFileSync(path.join(dataDir, 'demo.json'), 'utf8')) as Demo;

    const owner = await signedIn(browser, laurel, 'owner@demo.test', `/dashboard/${project.slug}/webhooks/new`);
    const secret = await subscribe(owner, receiver.url);

    const organizer = await signedIn(
      browser,
      laurel,
      'organizer@demo.test',
      `/dashboard/${project.slug}/tournaments/new`,
    );
    const slug = await createTournament(organizer, 'Five Minute Cup');

    for (const email of ['player1@demo.test', 'player2@demo.test']) {
      const player = await signedIn(browser, laurel, email, `/tournaments/${slug}`);
      await player.getByRole('button', { name: 'Register' }).click();
      await expect(player.getByRole('heading', { name: 'You are in' })).toBeVisible();
    }
    const third = await restAs(laurel.url, 'player3@demo.test');
    const waiting = await third<{ id: string; registrationStatus: string }>(
      'POST',
      `/tournaments/${slug}/participants/register`,
    );
    expect(waiting.status).toBe(201);
    expect(waiting.body.registrationStatus).toBe('waitlisted');

    const staff = await restAs(laurel.url, 'organizer@demo.test');
    const { body: list } = await staff<ParticipantList>(
      'GET',
      `/tournaments/${slug}/participants?registrationStatus=approved`,
    );
    const first = list.items[0]?.id;
    const checkedIn = await staff('POST', `/tournaments/${slug}/participants/${first}/checkin`);
    expect(checkedIn.body.status).toBe('checked_in');

    const read = await fetch(`${laurel.url}/api/v1/data/tournaments/${slug}`, {
      headers: { 'x-api-key': apiKeys.data },
    });
    const { success, data } = await read.json();
    expect(read.status).toBe(200);
    expect({ success, current: data.currentParticipants, name: data.name }).toEqual({
      success: true,
      current: 2,
      name: 'Five Minute Cup',
    });

    const typesOf = (requests: Received[]) => requests.map((request) => JSON.parse(request.body).event.type as string);
    const wanted = [
      'tournament.created',
      'tournament.published',
      'participant.registered',
      'participant.waitlisted',
      'participant.checked_in',
    ];
    await until(() => wanted.every((type) => typesOf(delivered).includes(type)), 30_000);
    expect(delivered.every((request) => hasValidSignature(request, secret))).toBe(true);

    isHanging = true;
    const before = receiver.received.length;
    const late: string[] = [];
    for (let number = 4; number <= 9; number++) {
      const player = await restAs(laurel.url, `player${number}@demo.test`);
      const { body } = await player<{ id: string }>('POST', `/tournaments/${slug}/participants/register`);
      late.push(body.id);
    }
    await until(() => receiver.received.length > before, 15_000);
    await laurel.kill();

    isHanging = false;
    laurel = await startLaurel(dataDir, port);
    const deliveredEvents = () =>
      new Set(
        delivered
          .map((request) => JSON.parse(request.body))
          .map(({ event, data: { aggregateId } }) => `${event.type} ${aggregateId}`),
      );
    await until(() => late.every((id) => deliveredEvents().has(`participant.registered ${id}`)), 120_000);
    expect(delivered.every((request) => hasValidSignature(request, secret))).toBe(true);

    const again = await restAs(laurel.url, 'organizer@demo.test');
    const { body: waitlist } = await again<ParticipantList>(
      'GET',
      `/tournaments/${slug}/participants?registrationStatus=waitlisted`,
    );
    expect(waitlist.items.map(({ id }) => id)).toEqual([waiting.body.id, ...late]);
  } finally {
    await laurel.kill().catch(() => undefined);
    await receiver.close();
    removeDataDir(dataDir);
  }
});
