import type { Locator, Page } from 'playwright/test';
import { expect, newName, test } from '../fixtures';

const organizer = 'organizer@demo.test';
const names = [
  ...['Ada', 'Bo', 'Cy', 'Di', 'Eli', 'Fay', 'Gus', 'Hana'],
  ...['Ivo', 'Jo', 'Kai', 'Lu', 'Mia', 'Nour', 'Ola', 'Zoë'],
];

/** Presses Tab until the control has the focus, as somebody without a mouse does. */
async function tabTo(page: Page, control: Locator) {
  await expect(control).toBeVisible();
  for (let presses = 0; presses < 80; presses += 1) {
    if (await control.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${control}`);
}

async function pressAt(page: Page, control: Locator, key = 'Enter') {
  await tabTo(page, control);
  await page.keyboard.press(key);
}

test('16 pasted names play double elimination from the draft to the champion by keyboard alone', async ({
  open,
  demo,
}) => {
  test.setTimeout(180_000);
  const name = newName('Club Night');
  const page = await open(organizer, `/dashboard/${demo.project.slug}/tournaments`);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate((list) => navigator.clipboard.writeText(list), names.join('\n'));
  const began = Date.now();

  // A page that is still hydrating ignores keys.
  await expect(async () => {
    await page.keyboard.press('n');
    await page.waitForURL((url) => url.pathname.endsWith('/new'), { timeout: 2_000 });
  }).toPass();
  await tabTo(page, page.getByRole('textbox', { name: 'Name', exact: true }));
  await page.keyboard.type(name);
  await pressAt(page, page.getByRole('combobox', { name: 'Game' }));
  await page.keyboard.type('Rocket');
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('radio', { name: /^Single elimination/ }));
  // The arrow checks the next choice while it is held, and a key that is pressed for no time may only focus it.
  await page.keyboard.press('ArrowDown');
  const double = page.getByRole('radio', { name: /^Double elimination/ });
  await expect(double).toBeFocused();
  await page.keyboard.press('Space');
  await expect(double).toBeChecked();
  // The day and the month are equal, because browsers order them differently, and P says the half of the day to some.
  await tabTo(page, page.getByLabel('Start', { exact: true }));
  await page.keyboard.type('12122030');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.type('1230P');
  await page.keyboard.press('Control+s');
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();

  const adding = page.getByRole('dialog', { name: 'Add participants' });
  await page.keyboard.press('+');
  await expect(adding.getByLabel('Names')).toBeFocused();
  await page.keyboard.press('Control+v');
  await expect(adding.getByRole('status')).toHaveText(/16 to add/);
  await page.keyboard.press('Control+Enter');
  await expect(adding).toBeHidden();
  await expect(page.getByText('16 participants added')).toBeVisible();

  await pressAt(page, page.getByRole('button', { name: 'Publish', exact: true }));
  await pressAt(page, page.getByRole('alertdialog').getByRole('button', { name: 'Publish' }));
  await pressAt(page, page.getByRole('button', { name: 'Start tournament' }));
  const start = page.getByRole('dialog', { name: `Start ${name}?` });
  await expect(start.getByRole('heading', { name: '16 participants play' })).toBeVisible();
  await pressAt(page, start.getByRole('button', { name: 'Start tournament' }));
  await expect(page.getByRole('heading', { name: 'Ready 8' })).toBeVisible();

  const result = page.getByRole('dialog', { name: 'Enter the result' });
  const rows = page.locator('li[data-match]');
  for (let played = 0; played < 30; played += 1) {
    // The first key of the first match; afterwards, the next match has the focus.
    if (played === 0) await page.keyboard.press('j');
    await expect(rows.first()).toBeFocused();
    await page.keyboard.press('r');
    await expect(result.getByRole('textbox').first()).toBeFocused();
    await page.keyboard.type('2');
    await page.keyboard.press('Tab');
    await page.keyboard.type('1');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: `Finished ${played + 1}` })).toBeVisible();
    await expect(result).toBeHidden();
  }
  await expect(page.getByText('Completed', { exact: true }).first()).toBeVisible();
  test.info().annotations.push({ type: 'seconds', description: String(Math.round((Date.now() - began) / 1000)) });

  await pressAt(page, page.getByRole('link', { name: 'Public page' }));
  await page.waitForURL((url) => url.pathname.startsWith('/tournaments/'));
  await pressAt(page, page.getByRole('link', { name: 'Standings' }).first());
  await expect(page.getByText('Champion', { exact: true })).toBeVisible();
});
