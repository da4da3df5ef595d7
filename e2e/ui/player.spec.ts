import type { Page } from 'playwright/test';
import { expect, inHours, newName, test } from '../fixtures';

const organizer = 'organizer@demo.test';
const [ada, ben, cleo] = ['player11@demo.test', 'player12@demo.test', 'player13@demo.test'] as const;

const panel = (page: Page) => page.getByRole('region', { name: 'Your registration' });
const state = (page: Page, name: string) => panel(page).getByRole('heading', { name });
const act = (page: Page, name: string) => panel(page).getByRole('button', { name, exact: true }).click();

test('players register with one click, and a waitlisted player gets a slot live when another cancels', async ({
  open,
  tournament,
}) => {
  const { slug } = await tournament({ name: newName('Narrow Gate'), maxParticipants: 2, waitlistEnabled: true });
  const address = `/tournaments/${slug}`;
  const first = await open(ada, address);
  await expect(state(first, 'Registration is open')).toBeVisible();
  await act(first, 'Register');
  await expect(state(first, 'You are in')).toBeVisible();
  const second = await open(ben, address);
  await act(second, 'Register');
  await expect(state(second, 'You are in')).toBeVisible();

  const third = await open(cleo, address);
  await expect(state(third, 'The waitlist is open')).toBeVisible();
  await act(third, 'Join the waitlist');
  await expect(state(third, 'Number 1 on the waitlist')).toBeVisible();
  await third.evaluate(() => Object.assign(window, { neverReloaded: true }));

  await act(first, 'Cancel registration');
  const question = first.getByRole('alertdialog', { name: 'Cancel your registration?' });
  await expect(question).toContainText('Your slot goes to the first on the waitlist right away.');
  await question.getByRole('button', { name: 'Cancel registration' }).click();
  await expect(panel(first).getByText('You cancelled your registration.')).toBeVisible();

  await expect(state(third, 'You are in')).toBeVisible();
  expect(await third.evaluate(() => 'neverReloaded' in window)).toBe(true);
  await expect(state(first, 'The waitlist is open')).toBeVisible();

  await third.goto('/me');
  await expect(third.getByRole('link', { name: /Narrow Gate/ }).first()).toBeVisible();
});

test('a player can check in as soon as check-in opens, without reloading', async ({ open, rest, tournament }) => {
  const { slug } = await tournament({ name: newName('Roll Call') });
  const player = await open(ada, `/tournaments/${slug}`);
  await act(player, 'Register');
  await expect(state(player, 'You are in')).toBeVisible();
  await expect(panel(player).getByRole('button', { name: 'Check in' })).toBeHidden();

  const staff = await rest(organizer);
  expect((await staff('POST', `/tournaments/${slug}/check-in/open`)).status).toBe(200);
  await expect(state(player, 'Check in now')).toBeVisible();
  await act(player, 'Check in');
  await expect(state(player, 'You are checked in')).toBeVisible();
  await player.reload();
  await expect(state(player, 'You are checked in')).toBeVisible();
});

test('a visitor is asked to sign in and returns to the tournament', async ({ open, tournament }) => {
  const { slug } = await tournament();
  const visitor = await open(null, `/tournaments/${slug}`);
  await panel(visitor).getByRole('link', { name: 'Sign in to register' }).click();
  await visitor.getByLabel('Email address').fill(cleo);
  await visitor.getByLabel('Password', { exact: true }).fill('demo-password');
  await visitor.getByRole('button', { name: 'Sign in', exact: true }).click();
  await visitor.waitForURL((url) => url.pathname === `/tournaments/${slug}`);
  await act(visitor, 'Register');
  await expect(state(visitor, 'You are in')).toBeVisible();
});

test('times are in the time zone of the browser or the profile', async ({ open, rest, tournament }) => {
  const year = new Date().getUTCFullYear() + 1;
  const { slug } = await tournament({ startDate: `${year}-07-01T18:30:00Z`, timezone: 'Europe/Berlin' });
  const clocks = [
    ['America/New_York', '14:30 EDT'],
    ['Asia/Tokyo', '03:30 GMT+9'],
    ['Europe/Berlin', '20:30 CEST'],
  ] as const;
  for (const [timezoneId, time] of clocks) {
    const page = await open(null, `/tournaments/${slug}`, { timezoneId });
    const start = page.getByRole('listitem').filter({ hasText: 'Start' }).getByRole('time');
    await expect(start.filter({ hasText: time }).first()).toBeVisible();
  }

  const profile = await rest(ben);
  expect((await profile('PATCH', '/me', { timezone: 'Asia/Kathmandu' })).status).toBe(200);
  const page = await open(ben, `/tournaments/${slug}`, { timezoneId: 'America/New_York' });
  await expect(page.getByText(/00:15 (GMT\+5:45|\+0545)/).first()).toBeVisible();
  await profile('PATCH', '/me', { timezone: null });
});

test('a countdown follows the clock of the server', async ({ open, tournament }) => {
  const { slug } = await tournament({ registrationClosesAt: inHours(3) });
  const page = await open(null, '/', {});
  await page.clock.install({ time: new Date(Date.now() + 6 * 3_600_000) });
  await page.goto(`/tournaments/${slug}`);
  // The browser's clock is six hours ahead; registration still has three hours to go.
  await expect(state(page, 'Registration is open')).toBeVisible();
  await expect(page.getByRole('timer').first()).toHaveText(/2:59:\d\d/);
});

test('a visitor to a full tournament is asked to sign in to join the waitlist', async ({ open, rest, tournament }) => {
  const { slug } = await tournament({ maxParticipants: 2, waitlistEnabled: true });
  for (const email of [ada, ben]) {
    const player = await rest(email);
    expect((await player('POST', `/tournaments/${slug}/participants/register`)).status).toBe(201);
  }
  const visitor = await open(null, `/tournaments/${slug}`);
  await expect(state(visitor, 'The waitlist is open')).toBeVisible();
  await expect(panel(visitor).getByRole('link', { name: 'Sign in to join the waitlist' })).toBeVisible();
});

test('the old address of the participants redirects to the new one', async ({ open, tournament }) => {
  const { slug } = await tournament();
  const visitor = await open(null, `/tournaments/${slug}/entrants?q=ada`);
  expect(new URL(visitor.url()).pathname).toBe(`/tournaments/${slug}/participants`);
  await expect(visitor.getByRole('searchbox', { name: 'Search participants' })).toHaveValue('ada');
});
