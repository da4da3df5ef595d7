import { expect, newName, test } from '../fixtures';

const organizer = 'organizer@demo.test';
const names = (count: number) => Array.from({ length: count }, (_, at) => `Guest ${at + 1}`);

test('an organizer pastes names, sees what is left out, raises the maximum and adds them', async ({
  open,
  demo,
  tournament,
}) => {
  const cup = await tournament({ maxParticipants: 4 }, false);
  const page = await open(organizer, `/dashboard/${demo.project.slug}/tournaments/${cup.slug}`);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Add participants' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add participants' });
  const field = dialog.getByLabel('Names');
  await expect(field).toBeFocused();
  await field.fill([...names(3), 'guest 2'].join('\n'));
  await expect(dialog.getByRole('status')).toHaveText(/3 to add\s*1 left out\s*4 free slots/);
  await expect(dialog.getByRole('listitem').filter({ hasText: 'Listed twice' })).toHaveText(/guest 2/);
  await dialog.getByRole('button', { name: 'Add 3 participants' }).click();
  await expect(dialog).toBeHidden();
  const grid = page.getByRole('grid', { name: 'Participants' });
  await expect(grid.getByRole('row').filter({ hasText: 'Guest' })).toHaveCount(3);

  await page.getByRole('button', { name: 'Add participants' }).click();
  await field.fill(`Name,Country\n${['Guest 3', 'Nour', 'Zoë'].map((name) => `${name},DE`).join('\n')}`);
  await expect(dialog.getByText('Already in this tournament')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Add 2 participants' })).toBeDisabled();
  await dialog.getByRole('button', { name: 'Raise the maximum to 5' }).click();
  await expect(dialog.getByRole('button', { name: 'Add 2 participants' })).toBeEnabled();
  await field.press('Control+Enter');
  await expect(dialog).toBeHidden();
  await expect(grid.getByRole('row').filter({ hasText: 'Nour' })).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect(grid.getByRole('row').filter({ hasText: 'Nour' })).toBeHidden();

  await page.getByRole('button', { name: 'More actions for Guest 1' }).click();
  await page.getByRole('menuitem', { name: 'Edit', exact: true }).click();
  const edit = page.getByRole('dialog', { name: 'Edit Guest 1' });
  await edit.getByLabel('Name').fill('guest 2');
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(edit.getByText('“guest 2” is already in this tournament.')).toBeVisible();
  await edit.getByLabel('Name').fill('Ada');
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(grid.getByRole('row').filter({ hasText: 'Ada' })).toBeVisible();
});

test('a player takes over a guest with the claim link', async ({ open, demo, tournament, rest }) => {
  const cup = await tournament();
  const staff = await rest(organizer);
  const name = newName('Zoë');
  await staff('POST', `/tournaments/${cup.id}/participants`, { name });
  const desk = await open(organizer, `/dashboard/${demo.project.slug}/tournaments/${cup.slug}`);
  await desk.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await desk.getByRole('button', { name: `More actions for ${name}` }).click();
  await desk.getByRole('menuitem', { name: 'Copy claim link' }).click();
  await expect(desk.getByText(`Claim link for ${name} copied`)).toBeVisible();
  const link = await desk.evaluate(() => navigator.clipboard.readText());
  const { pathname } = new URL(link);

  const visitor = await open(null, pathname);
  await expect(visitor.getByRole('heading', { name: `Are you ${name}?` })).toBeVisible();
  await expect(visitor.getByRole('link', { name: 'Sign in' })).toHaveAttribute('href', /next=/);

  const player = await open('player7@demo.test', pathname);
  await player.getByRole('button', { name: `I am ${name}` }).click();
  await player.waitForURL((url) => url.pathname === `/tournaments/${cup.slug}`);
  await expect(
    player
      .getByText('You are registered')
      .or(player.getByText('You', { exact: true }))
      .first(),
  ).toBeVisible();
  await expect(desk.getByRole('row').filter({ hasText: name }).getByText('Guest', { exact: true })).toBeHidden();
  await player.goto(pathname);
  await expect(player.getByText('This link was already used')).toBeVisible();
});
