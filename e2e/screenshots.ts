import { mkdirSync } from 'node:fs';
import { chromium, type Page } from 'playwright';
import { chromiumArgs, findChromium } from '../src/test/chromium.mjs';
import { freePort, newDataDir, readDemo, removeDataDir, startLaurel } from './laurel';

// Takes the README's screenshots of the demo: `npm run screenshots`, after `npm run build`.
const folder = 'docs/screenshots';
const size = { width: 1280, height: 800 };

async function signIn(page: Page, email: string) {
  await page.goto('/sign-in');
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill('demo-password');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL((url) => url.pathname !== '/sign-in');
}

async function shoot(page: Page, path: string, name: string) {
  await page.goto(path);
  await page.evaluate(() => document.fonts.ready);
  // Live pages are never idle: give the requests after the first paint a moment.
  await page.waitForTimeout(1_500);
  await page.screenshot({ path: `${folder}/${name}.png` });
}

mkdirSync(folder, { recursive: true });
const laurel = await startLaurel(newDataDir(), await freePort());
const running = readDemo(laurel.dataDir).tournaments.find(({ status }) => status === 'IN_PROGRESS')?.slug;
const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumArgs });
try {
  const look = async (colorScheme: 'light' | 'dark', viewport = size) =>
    (await browser.newContext({ baseURL: laurel.url, colorScheme, viewport, timezoneId: 'Europe/Berlin' })).newPage();

  const visitor = await look('dark');
  await shoot(visitor, `/tournaments/${running}/bracket`, 'bracket-dark');

  const organizer = await look('light');
  await signIn(organizer, 'organizer@demo.test');
  await shoot(organizer, `/dashboard/demo/tournaments/${running}`, 'match-desk-light');

  const player = await look('dark', { width: 390, height: 844 });
  await signIn(player, 'player1@demo.test');
  await shoot(player, '/tournaments/friday-night-rockets', 'check-in-phone');

  const developer = await look('light');
  await shoot(developer, '/docs/api/participants', 'api-reference-light');
} finally {
  await browser.close();
  await laurel.stop();
  removeDataDir(laurel.dataDir);
}
