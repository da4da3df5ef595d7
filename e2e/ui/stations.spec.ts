import type { Page } from 'playwright/test';
import { expect, newName, test } from '../fixtures';
import { readMatches, startTournament } from '../played';

const moderator = 'moderator@demo.test';

const row = (page: Page, number: number) => page.locator(`li[data-match="${number}"]`);
const stations = (page: Page) => page.getByRole('region', { name: /^Stations/ });
const stream = (page: Page) => page.getByRole('region', { name: 'Stream queue' });
const toast = (page: Page, text: string | RegExp) => page.getByRole('listitem').filter({ hasText: text });

test('a moderator sends matches to stations and calls players by keyboard, and the player sees it', async ({
  open,
  rest,
  demo,
}) => {
  test.slow();
  const settings = { name: newName('Station Cup'), noShowGraceMinutes: 0 };
  const cup = await startTournament(rest, demo.project, settings, 8);
  const page = await open(moderator, `/dashboard/demo/tournaments/${cup.slug}`);
  for (const name of ['Station 1', 'Station 2']) {
    await page.getByRole('button', { name: 'Add station' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a station' });
    await expect(dialog.getByLabel('Name')).toHaveValue(name);
    await dialog.getByLabel('Fill automatically').click();
    await dialog.getByLabel('Name').press('Enter');
    await expect(stations(page).getByText(name)).toBeVisible();
  }
  await page.getByRole('button', { name: 'Add station' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a station' });
  await dialog.getByLabel('Name').fill('Station 1');
  await dialog.getByRole('button', { name: 'Add station' }).click();
  await expect(dialog.getByText('Another station of this tournament has this name.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  const first = (await readMatches(rest, cup.id)).find(({ number }) => number === 1);
  const emailOf = async () => {
    for (let player = 1; player <= 8; player++) {
      const email = `player${player}@demo.test`;
      const { body } = await (await rest(email))<{ id: string }>('GET', `/tournaments/${cup.slug}/registrations/me`);
      if (body.id === first?.slots[0]?.participantId) return email;
    }
    throw new Error('nobody plays');
  };
  const player = await open(await emailOf(), `/tournaments/${cup.slug}`);
  await expect(player.getByRole('region', { name: 'Your next match' })).toBeVisible();

  await page.keyboard.press('j');
  await expect(row(page, 1)).toBeFocused();
  await page.keyboard.press('2');
  await expect(toast(page, 'M1 is at Station 2')).toBeVisible();
  await expect(stations(page).getByRole('listitem').nth(1)).toContainText('M1');
  await page.keyboard.press('c');
  await expect(page.getByRole('heading', { name: 'Called, and the time is over 1' })).toBeVisible();
  const next = player.getByRole('region', { name: 'Your next match' });
  await expect(next).toContainText('You are called to Station 2.');
  await next.getByRole('link', { name: 'Open match' }).click();
  await expect(player.getByText('You are called to Station 2, be there by')).toBeVisible();

  await toast(page, 'The players of M1 are called').getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('heading', { name: 'Ready 4' })).toBeVisible();
  await row(page, 1).focus();
  await page.keyboard.press('c');
  await expect(row(page, 1).getByRole('button', { name: 'No-show' })).toBeVisible();
  await row(page, 1).focus();
  await page.keyboard.press('f');
  const noShow = page.getByRole('dialog', { name: 'Record a no-show' });
  await noShow.getByRole('radio').nth(1).click();
  await noShow.getByRole('button', { name: 'Forfeit' }).click();
  await expect(page.getByRole('heading', { name: 'Finished 1' })).toBeVisible();
  await expect(stations(page).getByRole('listitem').nth(1)).toContainText('Free');

  await stations(page).getByRole('button', { name: 'Change Station 2' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await expect(stations(page).getByText('Station 2')).toBeHidden();
  await toast(page, 'Station 2 is removed').getByRole('button', { name: 'Undo' }).click();
  await expect(stations(page).getByText('Station 2')).toBeVisible();
});

test('the stream queue is ordered by keyboard and shows what is on stream now', async ({ open, rest, demo }) => {
  test.slow();
  const cup = await startTournament(rest, demo.project, { name: newName('Stream Cup') }, 8);
  const page = await open(moderator, `/dashboard/demo/tournaments/${cup.slug}`);
  for (const number of [1, 2, 3]) {
    await row(page, number).focus();
    await page.keyboard.press('q');
    await expect(stream(page).getByRole('button', { name: `Move M${number}` })).toBeVisible();
  }
  const order = () =>
    stream(page)
      .getByRole('listitem')
      .evaluateAll((all) => all.map((one) => one.querySelector('.figure')?.textContent));
  await expect.poll(order).toEqual(['M1', 'M2', 'M3']);
  await stream(page).getByRole('button', { name: 'Move M3' }).focus();
  await page.keyboard.press('Space');
  await expect(async () => {
    await page.keyboard.press('ArrowUp');
    await expect(page.getByText('M3 is at position 1 of 3.')).toBeAttached({ timeout: 1_000 });
  }).toPass();
  await page.keyboard.press('Space');
  await expect.poll(order).toEqual(['M3', 'M1', 'M2']);
  const staff = await rest(moderator);
  const saved = async () => {
    const { body } = await staff<{ items: { number: number }[] }>('GET', `/tournaments/${cup.id}/stream-queue`);
    return body.items.map(({ number }) => number);
  };
  await expect.poll(saved).toEqual([3, 1, 2]);
  await row(page, 3).getByRole('button', { name: 'Begin' }).click();
  await expect(stream(page).getByText('On stream now')).toBeVisible();
  await stream(page).getByRole('button', { name: 'Take M2 out of the stream queue' }).click();
  await expect.poll(saved).toEqual([3, 1]);

  const screen = await open(null, `/overlay/tournaments/${cup.slug}`);
  await expect(screen.getByText('On stream')).toBeVisible();
});
