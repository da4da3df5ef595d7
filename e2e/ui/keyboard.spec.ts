import type { Locator, Page } from 'playwright/test';
import { expect, test } from '../fixtures';

const organizer = 'organizer@demo.test';

/** Presses a key until it takes effect, because a page that is still hydrating ignores keys. */
async function pressUntil(page: Page, key: string, shown: Locator) {
  await expect(async () => {
    await page.keyboard.press(key);
    await expect(shown).toBeVisible({ timeout: 1_000 });
  }).toPass();
}

test('? lists the shortcuts of the page, and Escape closes the list', async ({ open, demo }) => {
  const page = await open(organizer, `/dashboard/${demo.project.slug}/tournaments/northern-lights-open`);
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await pressUntil(page, '?', help);
  for (const shortcut of ['Command menu', 'Edit the tournament', 'Search', 'Close a dialog or menu'])
    await expect(help.getByRole('listitem').filter({ hasText: shortcut }).first()).toBeVisible();
  await page.keyboard.press('e');
  await expect(help).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(help).toBeHidden();
  await page.keyboard.press('e');
  await page.waitForURL((url) => url.pathname.endsWith('/edit'));
});

test('/ focuses the search field, where keys are text, and Escape leaves it', async ({ open }) => {
  const page = await open(null, '/tournaments');
  const search = page.getByRole('searchbox');
  await expect(async () => {
    await page.keyboard.press('/');
    await expect(search).toBeFocused({ timeout: 1_000 });
  }).toPass();
  await page.keyboard.type('northern ?');
  await expect(search).toHaveValue('northern ?');
  await expect(page.getByRole('dialog')).toBeHidden();
  await page.keyboard.press('Escape');
  await expect(search).not.toBeFocused();
  await pressUntil(page, '?', page.getByRole('dialog', { name: 'Keyboard shortcuts' }));
});

test('the command menu finds a page by its name and opens it', async ({ open, demo }) => {
  const page = await open(organizer, `/dashboard/${demo.project.slug}`);
  const menu = page.getByRole('dialog', { name: 'Command menu' });
  await pressUntil(page, 'Control+k', menu);
  await page.keyboard.type('no such page');
  await expect(menu.getByText('No results for “no such page”.')).toBeVisible();
  await menu.getByRole('combobox').fill('');
  await page.keyboard.type('memb');
  await expect(menu.getByRole('option', { name: 'Members' })).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname.endsWith('/members'));
  await expect(menu).toBeHidden();
});

test('the first tab stop skips to the content', async ({ open }) => {
  const page = await open(null, '/tournaments');
  await page.keyboard.press('Tab');
  const skip = page.getByRole('link', { name: /^Skip to/ });
  await expect(skip).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
});

test('arrows move between table rows, and Enter opens one', async ({ open, demo }) => {
  const page = await open(organizer, `/dashboard/${demo.project.slug}/tournaments`);
  const rows = page
    .getByRole('table')
    .getByRole('row')
    .filter({ has: page.getByRole('link') });
  await rows.first().focus();
  await page.keyboard.press('ArrowDown');
  await expect(rows.nth(1)).toBeFocused();
  await page.keyboard.press('Home');
  await expect(rows.first()).toBeFocused();
  await page.keyboard.press('End');
  await expect(rows.last()).toBeFocused();
  const name = await rows.last().getByRole('link').first().textContent();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: name ?? '' })).toBeVisible();
});
