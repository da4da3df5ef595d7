import type { Locator, Page } from 'playwright/test';
import { expect, inHours, newName, test, typedTime } from '../fixtures';

const organizer = 'organizer@demo.test';

const toast = (page: Page, text: string | RegExp) => page.getByRole('listitem').filter({ hasText: text });
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

const nameField = (page: Page) => page.getByRole('textbox', { name: 'Name' });

/** Replaces the value of a field once the form has hydrated. */
async function change(field: Locator, from: string, to: string) {
  await expect(field).toHaveValue(from);
  await field.fill(to);
}

/** Clicks a button, which a live page may replace at any moment. */
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

test('a draft is created with the form, which validates while typing', async ({ open, demo }) => {
  const page = await open(organizer, `/dashboard/${demo.project.slug}/tournaments/new`);
  const name = newName('Harvest Cup');
  await nameField(page).fill('ab');
  await page.getByLabel('Start', { exact: true }).fill(typedTime(inHours(-2)));
  await expect(page.getByText('Use at least 3 characters.')).toBeVisible();
  await page.getByLabel('Maximum players').fill('1');
  await expect(page.getByText('The start must be in the future.')).toBeVisible();
  await press(page, 'Create draft');
  await expect(page.getByText('Choose a game.', { exact: true })).toBeVisible();
  await expect(page.getByText(/^Use a whole number from 2/)).toBeVisible();
  await expect(page.getByText('4 settings need your attention.')).toBeVisible();

  await nameField(page).fill(name);
  await expect(page.getByText('Use at least 3 characters.')).toBeHidden();
  await page.getByRole('combobox', { name: 'Game' }).click();
  await page.getByRole('option', { name: 'Rocket League' }).click();
  await page.getByLabel('Maximum players').fill('24');
  await page.getByLabel('Start', { exact: true }).fill(typedTime(inHours(30)));
  await page.getByLabel('Registration closes').fill(typedTime(inHours(40)));
  await page.getByLabel('Check-in opens').focus();
  await expect(page.getByLabel('Registration closes')).toHaveAttribute('aria-invalid', 'true');
  await page.getByLabel('Registration closes').fill('');
  await press(page, 'Set check-in');
  await page.getByLabel('Require approval').check();
  await press(page, 'Create draft');
  await expect(heading(page, name)).toBeVisible();
  await expect(page.getByText('Draft', { exact: true }).first()).toBeVisible();
  await expect(page.getByText('Rocket League')).toBeVisible();

  await page.getByRole('link', { name: 'Edit', exact: true }).click();
  await change(nameField(page), name, `${name} II`);
  await press(page, 'Save changes');
  await expect(heading(page, `${name} II`)).toBeVisible();
});

test('a tournament is published, its registration and check-in are opened and closed, and it is cancelled', async ({
  open,
  demo,
  tournament,
}) => {
  const { name, slug } = await tournament({ name: newName('Dusk Open') }, false);
  const page = await open(organizer, `/dashboard/${demo.project.slug}/tournaments/${slug}`);
  const visitor = await open(null, '/');
  expect((await visitor.goto(`/tournaments/${slug}`))?.status()).toBe(404);

  await press(page, 'Publish');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Publish' }).click();
  await expect(page.getByText('Published', { exact: true }).first()).toBeVisible();
  const address = await page.getByRole('link', { name: 'Public page' }).getAttribute('href');
  await visitor.goto(address ?? '');
  await expect(heading(visitor, name)).toBeVisible();
  await expect(visitor.getByRole('heading', { name: 'Registration is open' })).toBeVisible();

  await press(page, 'Close registration');
  await expect(toast(page, 'Registration is closed')).toBeVisible();
  await expect(visitor.getByRole('heading', { name: 'Registration is closed' })).toBeVisible();
  await toast(page, 'Registration is closed').getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('button', { name: 'Close registration' })).toBeVisible();
  await expect(visitor.getByRole('heading', { name: 'Registration is open' })).toBeVisible();

  await press(page, 'Close registration');
  await press(page, 'Open registration');
  await expect(page.getByRole('button', { name: 'Close registration' })).toBeVisible();
  await press(page, 'Open check-in');
  await expect(toast(page, 'Check-in is open')).toBeVisible();
  await toast(page, 'Check-in is open').getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('button', { name: 'Open check-in' })).toBeVisible();
  await press(page, 'Open check-in');
  await press(page, 'Close check-in');
  await expect(toast(page, 'Check-in is closed')).toBeVisible();

  await press(page, 'More actions');
  await expect(page.getByRole('menuitem', { name: 'Delete draft' })).toBeHidden();
  await page.getByRole('menuitem', { name: 'Cancel tournament' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel tournament' }).click();
  await expect(page.getByText('Cancelled', { exact: true }).first()).toBeVisible();
  await expect(visitor.getByRole('heading', { name: 'Tournament cancelled' })).toBeVisible();
});

test('a tournament is duplicated', async ({ open, demo, tournament }) => {
  const { name, slug } = await tournament({ name: newName('Weekly Cup'), maxParticipants: 48 }, false);
  const page = await open(organizer, `/dashboard/${demo.project.slug}/tournaments/${slug}`);
  await press(page, 'More actions');
  await page.getByRole('menuitem', { name: 'Duplicate tournament' }).click();
  await expect(heading(page, 'Duplicate tournament')).toBeVisible();
  await expect(page.getByLabel('Maximum players')).toHaveValue('48');
  await change(nameField(page), name, `${name} again`);
  await press(page, 'Create draft');
  await expect(heading(page, `${name} again`)).toBeVisible();
});

test('a draft is deleted after a confirmation that names it', async ({ open, demo, tournament }) => {
  const { name, slug } = await tournament({ name: newName('Passing Thought') }, false);
  const page = await open(organizer, `/dashboard/${demo.project.slug}/tournaments/${slug}`);
  await press(page, 'More actions');
  await page.getByRole('menuitem', { name: 'Delete draft' }).click();
  const question = page.getByRole('alertdialog', { name: `Delete the draft ${name}?` });
  await question.getByRole('button', { name: 'Delete draft' }).click();
  await page.waitForURL((url) => url.pathname.endsWith('/tournaments'));
  await expect(heading(page, 'Tournaments')).toBeVisible();
  await expect(page.getByRole('link', { name })).toBeHidden();
  await page.goto(`/dashboard/${demo.project.slug}/tournaments/${slug}`);
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
});

test('two people who edit the same tournament are warned, and both changes can be kept', async ({
  open,
  demo,
  tournament,
}) => {
  const { name, slug } = await tournament({ name: newName('Twin Peaks') });
  const edit = `/dashboard/${demo.project.slug}/tournaments/${slug}/edit`;
  const [mine, theirs] = [await open(organizer, edit), await open('owner@demo.test', edit)];

  await change(theirs.getByLabel('Maximum players'), '8', '12');
  await press(theirs, 'Save changes');
  await expect(heading(theirs, name)).toBeVisible();

  await change(nameField(mine), name, `${name} at night`);
  await press(mine, 'Save changes');
  const question = mine.getByRole('dialog', { name: 'Someone else edited this tournament' });
  await expect(question.getByText(/Maximum participants.*12/)).toBeVisible();
  await question.getByRole('button', { name: 'Save my changes' }).click();
  await expect(heading(mine, `${name} at night`)).toBeVisible();

  await theirs.goto(edit);
  await expect(theirs.getByLabel('Maximum players')).toHaveValue('12');
  await change(nameField(theirs), `${name} at night`, 'Theirs');
  await mine.goto(edit);
  await change(nameField(mine), `${name} at night`, `${name} at dawn`);
  await press(mine, 'Save changes');
  await expect(heading(mine, `${name} at dawn`)).toBeVisible();
  await press(theirs, 'Save changes');
  await theirs.getByRole('dialog').getByRole('button', { name: 'Discard my changes' }).click();
  await expect(nameField(theirs)).toHaveValue(`${name} at dawn`);
});
