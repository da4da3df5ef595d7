import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Page } from 'playwright/test';
import { expect, test } from '../fixtures';
import { playMatches, readMatches, startTournament } from '../played';

const bracket = (page: Page) => page.getByRole('region', { name: 'Bracket', exact: true });
const card = (page: Page, number: number) => page.locator(`a[data-match="${number}"]`);

test('a visitor sees the whole bracket with one key, opens a match and follows a participant', async ({
  open,
  rest,
  demo,
}) => {
  const { id, slug } = await startTournament(rest, demo.project, { format: 'double_elimination' }, 16);
  const page = await open(null, `/tournaments/${slug}/bracket`, { viewport: { width: 1280, height: 800 } });
  await expect(card(page, 1)).toBeVisible();
  await expect(page.getByText('Grand final reset')).toHaveCount(0);

  await page.keyboard.press('0');
  const [frame, canvas] = await Promise.all([
    bracket(page).boundingBox(),
    page.locator('.bracket-canvas').boundingBox(),
  ]);
  expect(canvas?.width).toBeLessThanOrEqual(frame?.width ?? 0);
  expect(canvas?.height).toBeLessThanOrEqual(frame?.height ?? 0);
  await page.getByTitle('Show at full size').click();

  await card(page, 1).click();
  const dialog = page.getByRole('dialog', { name: /M1$/ });
  await dialog
    .getByRole('button', { name: /^Follow/ })
    .first()
    .click();
  await expect(page).toHaveURL(/follow=prt_/);
  await expect(card(page, 1)).toHaveClass(/ring-accent/);

  // Results arrive without a reload, and the followed path stays marked.
  await page.evaluate(() => Object.assign(window, { neverReloaded: true }));
  await playMatches(rest, id, 8);
  await expect(card(page, 1)).toContainText('won');
  await expect(page.locator('path[data-followed]').first()).toBeAttached();
  await expect(page).toHaveURL(/follow=prt_/);
  expect(await page.evaluate(() => 'neverReloaded' in window)).toBe(true);
});

test('rounds are pages to swipe on a phone, and a tap opens a match', async ({ open, rest, demo }) => {
  const { slug } = await startTournament(rest, demo.project, { format: 'single_elimination' }, 8);
  const page = await open(null, `/tournaments/${slug}/bracket`, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
  });
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);
  await expect(card(page, 1)).toBeInViewport();
  await page.getByRole('button', { name: 'Final', exact: true }).click();
  await expect(card(page, 7)).toBeInViewport();
  await card(page, 7).tap();
  await expect(page.getByRole('dialog', { name: 'Final · M7' })).toBeVisible();
});

test('a player sees the next match, then its page, and the tournament its champion', async ({ open, rest, demo }) => {
  const { id, slug } = await startTournament(rest, demo.project, { format: 'single_elimination' }, 4);
  const own = (await readMatches(rest, id)).find(({ status }) => status === 'ready');
  const page = await open('player1@demo.test', `/tournaments/${slug}`);
  const next = page.getByRole('region', { name: 'Your next match' });
  await expect(next).toContainText('Play your match, then report the result.');
  await next.getByRole('link', { name: 'Open match' }).click();
  await expect(page.getByRole('heading', { level: 2, name: / vs / })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Report result' })).toBeVisible();

  await playMatches(rest, id, 10);
  await page.goto(`/tournaments/${slug}/matches/${own?.number}`);
  await expect(page.getByRole('table', { name: 'Games' })).toContainText('13');
  await page.goto(`/tournaments/${slug}`);
  await expect(page.getByText(/^Champion: /)).toBeVisible();
  await page.getByRole('link', { name: 'Standings' }).click();
  await expect(page.getByRole('heading', { name: 'Final places' })).toBeVisible();
});

test('a Swiss stage explains its ties in words', async ({ open, rest, demo }) => {
  const { id, slug } = await startTournament(rest, demo.project, { format: 'swiss', formatOptions: { rounds: 3 } }, 8);
  await playMatches(rest, id, 6);
  const page = await open(null, `/tournaments/${slug}/standings`);
  await expect(page.getByText(/^Ahead of .+ (on|as|by) /).first()).toBeVisible();
  await page.getByText('How ties are broken').click();
  await expect(page.getByText('More points.', { exact: true })).toBeVisible();
});

test('only the embed may be framed, and its bracket takes commands', async ({ open, rest, demo, baseURL }) => {
  const { slug } = await startTournament(rest, demo.project, { format: 'single_elimination' }, 8);
  const headersOf = async (path: string) => (await fetch(`${baseURL}${path}`)).headers;
  const embed = await headersOf(`/embed/tournaments/${slug}`);
  expect(embed.get('x-frame-options')).toBeNull();
  expect(embed.get('content-security-policy')).toContain('frame-ancestors *');
  const framed = await headersOf(`/tournaments/${slug}/bracket`);
  expect(framed.get('x-frame-options')).toBe('DENY');
  expect(framed.get('content-security-policy')).toContain("frame-ancestors 'none'");

  // Another site: a server of its own, since browsers let no other page frame an address of this machine.
  const club = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(`<iframe src="${baseURL}/embed/tournaments/${slug}" width="900" height="600"></iframe>`);
  }).listen(0, '127.0.0.1');
  await once(club, 'listening');
  const address = club.address();
  const page = await open(null, `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`);
  const frame = page.frameLocator('iframe');
  await expect(frame.locator('a[data-match="7"]')).toBeVisible();
  const send = (message: object) =>
    page.evaluate((data) => document.querySelector('iframe')?.contentWindow?.postMessage(data, '*'), message);
  await expect(async () => {
    await send({ type: 'laurel:zoom', value: 0.5 });
    await expect(frame.getByTitle('Show at full size')).toHaveText('50%', { timeout: 500 });
  }).toPass();
  club.close();
});
