import type { Locator, Page } from 'playwright/test';
import { expect, inHours, newName, test } from '../fixtures';

const player = 'player7@demo.test';

/** Presses Tab until the control has the focus, then the key. */
async function pressAt(page: Page, control: Locator, key = 'Enter') {
  await expect(control).toBeVisible();
  for (let presses = 0; presses < 80; presses += 1) {
    if (await control.evaluate((element) => element === document.activeElement)) return page.keyboard.press(key);
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${control}`);
}

test('a player without a client is led from check-in to enrolling one, and checks in once it runs', async ({
  open,
  rest,
  tournament,
  demo,
  baseURL,
}) => {
  const { slug } = await tournament({
    requiresAntiCheat: true,
    startDate: inHours(1),
    checkInOpensAt: inHours(-0.5),
    checkInClosesAt: inHours(0.9),
  });
  const as = await rest(player);
  await as('POST', `/tournaments/${slug}/participants/register`);
  const page = await open(player, `/tournaments/${slug}`);
  const panel = page.getByRole('region', { name: 'Your registration' });
  await expect(panel.getByText('You need an anti-cheat client')).toBeVisible();
  await pressAt(page, panel.getByRole('button', { name: 'Check in' }));
  await expect(panel.getByRole('alert')).toContainText('You need an anti-cheat client');
  await pressAt(page, panel.getByRole('link', { name: 'Enroll a client' }));
  await expect(page).toHaveURL(/\/settings\/anti-cheat\?project=/);

  const device = newName('Desk');
  await pressAt(page, page.getByRole('button', { name: 'Enroll a client' }));
  const dialog = page.getByRole('dialog', { name: 'Enroll a client' });
  await expect(dialog.getByRole('combobox', { name: 'Project' })).toHaveText('Laurel Arena');
  await pressAt(page, dialog.getByRole('textbox', { name: 'Device' }), 'Space');
  await page.keyboard.type(device);
  await page.keyboard.press('Enter');
  const shown = page.getByRole('dialog', { name: 'Client enrolled' });
  const token = (await shown.locator('code').textContent()) ?? '';
  expect(token).toMatch(/^lac_[\w-]{43}$/);
  await pressAt(page, shown.getByRole('button', { name: 'I have copied the token' }));
  const row = page.getByRole('row', { name: device });
  await expect(row).toContainText('Never run');
  await expect(page.getByText('1 of 20 clients.')).toBeVisible();

  const beat = (bearer: string) =>
    fetch(`${baseURL}/api/v1/anti-cheat/clients/me/heartbeat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: '{}',
    });
  expect((await beat(token)).status).toBe(200);
  // The page asks again by itself.
  await expect(row).toContainText('Running');
  await page.goto(`/tournaments/${slug}`);
  await expect(panel.getByText('Your anti-cheat client is running')).toBeVisible();
  await pressAt(page, panel.getByRole('button', { name: 'Check in' }));
  await expect(panel.getByText('Checked in', { exact: true })).toBeVisible();

  await page.goto('/settings/anti-cheat');
  await pressAt(page, page.getByRole('button', { name: `New token for ${device}` }));
  await pressAt(page, page.getByRole('alertdialog').getByRole('button', { name: 'Get a new token' }));
  const rotated = page.getByRole('dialog', { name: `New token for ${device}` });
  await expect(rotated.locator('code')).toHaveText(/^lac_/);
  expect((await beat(token)).status).toBe(401);
  await page.keyboard.press('Escape');
  await pressAt(page, page.getByRole('button', { name: `Revoke ${device}` }));
  await pressAt(page, page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }));
  await expect(page.getByText('No anti-cheat clients yet')).toBeVisible();
  const { body } = await as<{ total: number }>('GET', `/anti-cheat/clients?projectId=${demo.project.id}`);
  expect(body.total).toBe(0);
});
