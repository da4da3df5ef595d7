import type { Locator, Page } from 'playwright/test';
import { raiseDetections } from '../detections';
import { expect, inHours, newName, test } from '../fixtures';
import { startTournament } from '../played';

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

test('an organizer tunes a threshold and replays it by keyboard before saving', async ({ open, rest, demo }) => {
  const cheater = 'player28@demo.test';
  await raiseDetections({ demo, rest }, [cheater]);
  const page = await open('organizer@demo.test', `/dashboard/${demo.project.slug}/anti-cheat/rules`);
  const rules = page.getByRole('list', { name: 'Rules' });
  const snaps = rules.getByRole('spinbutton', { name: 'Snaps' });
  const save = page.getByRole('button', { name: 'Save rules' });
  await pressAt(page, snaps, 'Control+a');
  await page.keyboard.type('1');
  await expect(page.getByText('Use a number from 2 to 50 snaps.')).toBeVisible();
  await expect(save).toBeDisabled();
  await pressAt(page, snaps, 'Control+a');
  await page.keyboard.type('6');
  await expect(page.getByText('1 rule changed.')).toBeVisible();
  await pressAt(page, rules.getByRole('switch', { name: 'Blocked program' }), 'Space');
  await expect(page.getByText('2 rules changed.')).toBeVisible();

  await pressAt(page, page.getByRole('button', { name: 'Replay', exact: true }));
  const differences = page.getByRole('table', { name: 'Detections that differ' });
  const me = await (await rest(cheater))<{ name: string }>('GET', '/me');
  const row = differences.getByRole('row', { name: me.body.name }).first();
  await expect(row).toContainText('Gone');
  await expect(row).toContainText('Running beside the game: xenos64.exe.');
  await expect(page.getByText(/0 detections added, \d+ gone/)).toBeVisible();
  await pressAt(page, rules.getByRole('switch', { name: 'Blocked program' }), 'Space');
  await expect(page.getByText('The rules were changed since. Replay them again.')).toBeVisible();

  await pressAt(page, save);
  await expect(page.getByText('Rules saved')).toBeVisible();
  await page.reload();
  await expect(snaps).toHaveValue('6');
  await pressAt(page, rules.getByRole('button', { name: 'Reset to 4' }));
  await pressAt(page, save);
  await expect(page.getByText('No changes')).toBeVisible();
  await expect(snaps).toHaveValue('4');
});

test('a moderator starts the session of a match, sees whose client runs, and ends it', async ({
  open,
  rest,
  demo,
  baseURL,
}) => {
  const { slug } = await startTournament(rest, demo.project, { requiresAntiCheat: true }, 2);
  const first = await rest('player1@demo.test');
  const deviceName = newName('Tower');
  const client = { projectId: demo.project.id, deviceName };
  const enrolled = await first<{ clientToken: string }>('POST', '/anti-cheat/clients', client);
  const headers = { authorization: `Bearer ${enrolled.body.clientToken}` };
  await fetch(`${baseURL}/api/v1/anti-cheat/clients/me/heartbeat`, { method: 'POST', headers });
  const page = await open('moderator@demo.test', `/tournaments/${slug}/matches/1`);
  const panel = page.locator('section', { has: page.getByRole('heading', { name: 'Anti-cheat' }) });
  await pressAt(page, panel.getByRole('button', { name: 'Start session' }));
  await expect(panel.getByText('Running', { exact: true }).first()).toBeVisible();
  const players = panel.getByRole('table', { name: 'Players of the session' });
  await expect(players.getByRole('row').filter({ hasText: deviceName })).toContainText('Running');
  await pressAt(page, panel.getByRole('link', { name: 'Session', exact: true }));
  await expect(page).toHaveURL(/\/anti-cheat\/sessions\/acs_/);
  await pressAt(page, page.getByRole('button', { name: 'End session' }));
  await pressAt(page, page.getByRole('alertdialog').getByRole('button', { name: 'End session' }));
  await expect(page.getByText('Ended', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'End session' })).toBeHidden();

  const player = await open('player9@demo.test', `/tournaments/${slug}/matches/1`);
  await expect(player.getByRole('heading', { name: /vs/ })).toBeVisible();
  await expect(player.getByRole('heading', { name: 'Anti-cheat' })).toBeHidden();
});
