import type { Page } from 'playwright/test';
import { expect, inHours, newName, test } from '../fixtures';

const [captain, teammate, third] = ['player20@demo.test', 'player21@demo.test', 'player22@demo.test'] as const;

const region = (page: Page, name: string) => page.getByRole('region', { name });
const panel = (page: Page) => region(page, 'Your registration');
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name });

const question = (key: string, type: string, label: string, more: object = {}) => ({ key, type, label, ...more });
const customFields = [
  question('nick', 'text', 'In-game name', {
    required: true,
    pattern: '[A-Za-z0-9]{3,12}',
    helpText: 'Three to twelve letters or digits.',
  }),
  question('hours', 'number', 'Hours played', { required: true }),
  question('server', 'select', 'Server', { required: true, options: ['Frankfurt', 'Stockholm'], visibility: 'public' }),
  question('vod', 'url', 'A match of yours'),
  question('rules', 'checkbox', 'We have read the rules', { required: true }),
];

test('a captain builds a team, registers it with its roster filled in, and edits the registration', async ({
  open,
  rest,
  tournament,
}) => {
  const name = newName('Aces');
  const page = await open(captain, '/teams/new');
  await page.getByRole('button', { name: 'Create team' }).click();
  await expect(page.getByText('Enter a name.')).toBeVisible();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Tag').fill('ACE');
  await page.getByRole('button', { name: 'Create team' }).click();
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
  const teamPath = new URL(page.url()).pathname;

  // One player is invited by email and finds the invitation when signed in.
  await page.getByRole('button', { name: 'Invite' }).click();
  const invite = dialog(page, 'Invite to the team');
  await invite.getByRole('button', { name: 'Send invitation' }).click();
  await expect(invite.getByText(/Enter an e-?mail address/)).toBeVisible();
  await invite.getByLabel('Email address or player ID').fill(teammate);
  await invite.getByRole('button', { name: 'Send invitation' }).click();
  await expect(invite).toBeHidden();
  await expect(region(page, 'Pending invitations').getByText(teammate)).toBeVisible();

  const teammatesPage = await open(teammate, '/me');
  await teammatesPage.getByRole('button', { name: `Join ${name}` }).click();
  await expect(teammatesPage.getByRole('button', { name: `Join ${name}` })).toBeHidden();

  // Another one joins with the link, in a separate browser.
  await page.getByRole('button', { name: 'Invite' }).click();
  await invite.getByRole('radio', { name: /Join link/ }).click();
  await invite.getByRole('radio', { name: /Substitute/ }).click();
  await invite.getByRole('button', { name: 'Create link' }).click();
  const link = (await invite.locator('code').textContent()) ?? '';
  await invite.getByRole('button', { name: 'Done' }).click();
  const thirdsPage = await open(third, link);
  await thirdsPage.getByRole('button', { name: `Join ${name}` }).click();
  await thirdsPage.waitForURL((url) => url.pathname === teamPath);
  await page.reload();
  await expect(region(page, 'Members').getByRole('listitem')).toHaveCount(3);

  // The team registers: the roster is filled in, and answers are validated like on the server.
  const limits = { teamSize: 2, rosterMin: 2, rosterMax: 3 };
  const { slug } = await tournament({ name: newName('Pairs'), ...limits, customFields });
  await page.goto(`/tournaments/${slug}`);
  await panel(page).getByRole('button', { name: 'Register a team' }).click();
  const form = dialog(page, 'Register your team');
  await expect(form.getByLabel('Team name')).toHaveValue(name);
  await expect(form.getByText('3 selected')).toBeVisible();
  await form.getByLabel('In-game name').fill('no!');
  await form.getByRole('button', { name: 'Register a team' }).click();
  await expect(form.getByText('In-game name does not have the right format', { exact: false })).toBeVisible();
  await expect(form.getByText('Hours played is required.')).toBeVisible();
  await expect(form.getByText('Server is required.')).toBeVisible();
  await expect(form.getByText('We have read the rules must be ticked.')).toBeVisible();
  await form.getByLabel('In-game name').fill('acecap');
  await form.getByLabel('Hours played').fill('1200');
  await form.getByLabel('Server').click();
  await page.getByRole('option', { name: 'Stockholm' }).click();
  await form.getByLabel('A match of yours').fill('javascript:alert(1)');
  await form.getByLabel('We have read the rules').click();
  await form.getByRole('button', { name: 'Register a team' }).click();
  await expect(form.getByText('A match of yours must be a web address', { exact: false })).toBeVisible();
  await form.getByLabel('A match of yours').fill('');
  await form.getByRole('button', { name: 'Register a team' }).click();
  await expect(panel(page).getByRole('heading', { name: 'Your team is in' })).toBeVisible();

  // The captain changes the roster and one answer.
  await panel(page).getByRole('button', { name: 'Edit' }).click();
  const edit = dialog(page, 'Edit your registration');
  await expect(edit.getByLabel('Hours played')).toHaveValue('1200');
  await edit.getByLabel('Hours played').fill('1300');
  await edit.getByLabel('Team name').fill(`${name} B`);
  await edit
    .getByRole('combobox', { name: /^Role of / })
    .last()
    .click();
  await page.getByRole('option', { name: 'Not playing' }).click();
  await expect(edit.getByText('2 selected')).toBeVisible();
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(edit).toBeHidden();
  await expect(panel(page).getByRole('list', { name: 'Roster' }).getByRole('listitem')).toHaveCount(2);
  const mine = await (await rest(captain))<Record<string, unknown>>('GET', `/tournaments/${slug}/registrations/me`);
  expect(mine.body).toMatchObject({
    name: `${name} B`,
    teamId: teamPath.split('/').at(-1),
    customFields: { nick: 'acecap', hours: 1300, server: 'Stockholm', rules: true },
  });

  // The public list marks the viewer's team.
  await page.goto(`/tournaments/${slug}/participants`);
  await expect(page.getByRole('listitem').filter({ hasText: `${name} B` })).toContainText('Your team');
});

test('an edit does not silently overwrite another one', async ({ open, rest, tournament }) => {
  const { slug } = await tournament({ name: newName('Twice'), customFields: [question('nick', 'text', 'Nickname')] });
  const player = await rest(third);
  expect((await player('POST', `/tournaments/${slug}/participants/register`)).status).toBe(201);
  const page = await open(third, `/tournaments/${slug}`);
  await panel(page).getByRole('button', { name: 'Edit' }).click();
  const edit = dialog(page, 'Edit your registration');
  await edit.getByLabel('Nickname').fill('from this page');
  await player('PATCH', `/tournaments/${slug}/registrations/me`, { customFields: { nick: 'from a phone' } });
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(edit.getByText('Someone else has changed this.', { exact: false })).toBeVisible();
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(edit).toBeHidden();
  const { body } = await player<{ customFields: object }>('GET', `/tournaments/${slug}/registrations/me`);
  expect(body.customFields).toEqual({ nick: 'from this page' });
});

test('a captain sees that the roster is locked and can edit the rest', async ({ open, rest, tournament }) => {
  const sizes = { teamSize: 2, rosterMin: 1, rosterMax: 2 };
  const { slug } = await tournament({ name: newName('Locked'), ...sizes, rosterLockAt: inHours(-1) });
  const player = await rest(third);
  const me = (await player<{ id: string }>('GET', '/me')).body.id;
  const body = { teamName: 'Alone', teamMembers: [{ userId: me, role: 'captain' }] };
  expect((await player('POST', `/tournaments/${slug}/participants/register`, body)).status).toBe(201);
  const page = await open(third, `/tournaments/${slug}`);
  await expect(panel(page)).toContainText('The roster is locked.');
  await panel(page).getByRole('button', { name: 'Edit' }).click();
  const form = dialog(page, 'Edit your registration');
  await expect(form).toContainText('The roster is locked.');
  await form.getByLabel('Team name').fill('Still alone');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(panel(page)).toContainText('Still alone');
});

test('a player is asked to update answers when the questions have changed', async ({ open, rest, tournament }) => {
  const name = newName('Asked Again');
  const { slug } = await tournament({ name, customFields: [question('nick', 'text', 'Nickname')] });
  const answered = await (await rest(third))('POST', `/tournaments/${slug}/participants/register`, {
    customFields: { nick: 'owl' },
  });
  expect(answered.status).toBe(201);
  const changed = [question('nick', 'text', 'Nickname'), question('rank', 'text', 'Rank', { required: true })];
  const staff = await rest('organizer@demo.test');
  expect((await staff('PATCH', `/tournaments/${slug}`, { customFields: changed })).status).toBe(200);

  const page = await open(third, '/me');
  const row = region(page, 'To do now').getByRole('listitem').filter({ hasText: name });
  await row.getByRole('link', { name: 'Update answers' }).click();
  const edit = dialog(page, 'Edit your registration');
  await expect(edit.getByLabel('Nickname')).toHaveValue('owl');
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(edit.getByText('Rank is required.')).toBeVisible();
  await edit.getByLabel('Rank').fill('gold');
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(edit).toBeHidden();
  await expect(panel(page).getByRole('button', { name: 'Update answers' })).toBeHidden();
});

test('a captain disbands and restores a team, renames it, and hands it over', async ({ open, rest }) => {
  const name = newName('Handover');
  const asCaptain = await rest(captain);
  const { body: team } = await asCaptain<{ id: string }>('POST', '/teams', { name });
  const { body: link } = await asCaptain<{ url: string }>('POST', `/teams/${team.id}/members`);
  const asTeammate = await rest(teammate);
  await asTeammate('POST', '/team-invitations/accept', { token: link.url.split('/').at(-1) });

  const page = await open(captain, `/teams/${team.id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Disband team' }).click();
  await expect(page.getByText('You disbanded this team.', { exact: false })).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('You disbanded this team.', { exact: false })).toBeHidden();

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Edit name and tag' }).click();
  const form = dialog(page, 'Name and tag');
  await form.getByLabel('Name').fill(`${name} II`);
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { level: 1, name: `${name} II` })).toBeVisible();

  await page.getByRole('combobox', { name: /^Role of / }).click();
  await page.getByRole('option', { name: /Captain/ }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Make captain' }).click();
  await expect(page.getByRole('button', { name: 'Invite' })).toBeHidden();
  await region(page, 'Members').getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Leave team' }).click();
  await page.waitForURL((url) => url.pathname === '/teams');
  const { body } = await asTeammate<{ myRole: string; members: unknown[] }>('GET', `/teams/${team.id}`);
  expect(body).toMatchObject({ myRole: 'captain', members: [{}] });
});
