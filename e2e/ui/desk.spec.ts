import type { Locator, Page } from 'playwright/test';
import { expect, newName, test } from '../fixtures';
import type { Rest } from '../people';

const organizer = 'organizer@demo.test';
const players = Array.from({ length: 6 }, (_, index) => `player${index + 20}@demo.test`);

type Settings = Record<string, unknown>;
type Made = {
  rest: (email: string) => Promise<Rest>;
  tournament: (settings?: Settings) => Promise<{ id: string; slug: string }>;
};

/** A tournament with registered players: its slug, their names in order of registration, and the desk's address. */
async function withPlayers({ rest, tournament }: Made, settings: Settings = {}, count = players.length) {
  const { slug } = await tournament({ name: newName('Desk Cup'), ...settings });
  const names: string[] = [];
  for (const email of players.slice(0, count)) {
    const player = await rest(email);
    const { status, body } = await player<{ name: string }>('POST', `/tournaments/${slug}/participants/register`);
    expect(status).toBe(201);
    names.push(body.name);
  }
  return { slug, names, desk: `/dashboard/demo/tournaments/${slug}` };
}

const toast = (page: Page, text: string | RegExp) => page.getByRole('listitem').filter({ hasText: text });
const list = (page: Page, name: string) =>
  page.getByRole('group', { name: 'Filter by status' }).getByRole('button', { name: new RegExp(`^${name}`) });
const row = (page: Page, name: string) => page.locator('tr[data-row]').filter({ hasText: name });
const grid = (page: Page, name = 'Participants') => page.getByRole('grid', { name });
const bar = (page: Page) => page.locator('[data-selection-bar]');

/** The names in the rows, from the top. */
const order = (page: Page) =>
  page
    .locator('tr[data-row]')
    .evaluateAll((rows) => rows.map((each) => each.querySelector('[dir="auto"]')?.textContent ?? ''));

test('pending registrations come first: one is approved and undone, another is rejected with a reason', async ({
  open,
  rest,
  tournament,
}) => {
  const { slug, names, desk } = await withPlayers({ rest, tournament }, { requiresApproval: true }, 3);
  const [first = '', second = ''] = names;
  const page = await open(organizer, desk);
  await expect(list(page, 'Awaiting approval')).toHaveAttribute('aria-pressed', 'true');
  await expect(row(page, first)).toBeVisible();

  await page.getByRole('button', { name: `Approve ${first}` }).click();
  await expect(toast(page, `${first} approved`)).toBeVisible();
  await expect(row(page, first)).toBeHidden();
  await toast(page, `${first} approved`).getByRole('button', { name: 'Undo' }).click();
  await expect(row(page, first)).toBeVisible();
  await expect(page.getByRole('button', { name: `Approve ${first}` })).toBeVisible();

  await grid(page).focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('r');
  const question = page.getByRole('dialog', { name: `Reject ${second}?` });
  await question.getByRole('button', { name: 'Reject' }).click();
  await expect(question.getByText('Enter a reason. The participant will see it.')).toBeVisible();
  await question.getByLabel('Why do you reject the registration?').fill('Outside the region');
  await question.getByRole('button', { name: 'Reject' }).click();
  await expect(toast(page, `${second} rejected`)).toBeVisible();
  const rejected = await rest(players[1] ?? '');
  const mine = await rejected<{ registrationStatus: string; statusReason: string }>(
    'GET',
    `/tournaments/${slug}/registrations/me`,
  );
  expect(mine.body).toMatchObject({ registrationStatus: 'rejected', statusReason: 'Outside the region' });

  await page.keyboard.press('u');
  await expect(row(page, second)).toBeVisible();
});

test('a range selected with Shift is checked in together and undone together', async ({ open, rest, tournament }) => {
  const { slug, names, desk } = await withPlayers({ rest, tournament });
  expect((await (await rest(organizer))('POST', `/tournaments/${slug}/check-in/open`)).status).toBe(200);
  const page = await open(organizer, desk);
  await expect(list(page, 'Not checked in 6')).toHaveAttribute('aria-pressed', 'true');
  await grid(page).focus();
  await page.keyboard.press('Space');
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('Shift+ArrowDown');
  await expect(bar(page)).toContainText('4 selected');
  await page.keyboard.press('c');
  await expect(toast(page, '4 participants checked in')).toBeVisible();
  await expect(list(page, 'Not checked in 2')).toBeVisible();
  await expect(list(page, 'Checked in 4')).toBeVisible();
  await page.keyboard.press('u');
  await expect(list(page, 'Not checked in 6')).toBeVisible();
  await expect.poll(() => order(page)).toEqual(names);
});

test('without a connection no one appears as checked in', async ({ open, rest, tournament }) => {
  const { slug, names, desk } = await withPlayers({ rest, tournament }, {}, 2);
  expect((await (await rest(organizer))('POST', `/tournaments/${slug}/check-in/open`)).status).toBe(200);
  const [first = ''] = names;
  const page = await open(organizer, desk);
  await expect(list(page, 'Not checked in 2')).toBeVisible();
  await page.context().setOffline(true);
  await page.getByRole('button', { name: `Check in ${first}` }).click();
  await expect(toast(page, `Checking in failed for ${first}`)).toBeVisible();
  // The counts are hidden if the list was requested again without a connection; the rows stay.
  for (const name of names) await expect(page.getByRole('button', { name: `Check in ${name}` })).toBeVisible();
  await page.context().setOffline(false);
  await grid(page).focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('c');
  await expect(toast(page, `${first} checked in`)).toBeVisible();
  await expect(list(page, 'Checked in 1')).toBeVisible();
});

test('a bulk action names the participants it failed for, with the error code, and completes for the others', async ({
  open,
  rest,
  tournament,
}) => {
  const settings = { requiresApproval: true, maxParticipants: 2 };
  const { desk } = await withPlayers({ rest, tournament }, settings, 4);
  const page = await open(organizer, desk);
  await page.getByRole('checkbox', { name: 'Select all rows' }).click();
  await bar(page).getByRole('button', { name: 'Approve 4' }).click();
  await expect(bar(page)).toContainText('2 of 4 failed');
  await expect(bar(page)).toContainText('ROSTER_FULL (2)');
  await expect(bar(page)).toContainText('2 selected');
  await expect(list(page, 'Approved 2')).toBeVisible();
});

test('a participant is disqualified with a reason in the drawer and reinstated, and the history shows both', async ({
  open,
  rest,
  tournament,
}) => {
  const { names, desk } = await withPlayers({ rest, tournament }, {}, 2);
  const [first = ''] = names;
  const page = await open(organizer, desk);
  await page.getByRole('button', { name: first, exact: true }).click();
  const drawer = page.getByRole('dialog', { name: first });
  await drawer.getByRole('button', { name: 'Disqualify' }).click();
  const question = page.getByRole('dialog', { name: `Disqualify ${first}?` });
  await question.getByLabel('Which rule did they break?').fill('Shared an account');
  await question.getByRole('button', { name: 'Disqualify' }).click();
  await expect(drawer.getByText('Shared an account')).toBeVisible();
  await drawer.getByRole('button', { name: 'Reinstate' }).click();
  await expect(drawer.getByRole('button', { name: 'Disqualify' })).toBeVisible();
  await drawer.getByRole('tab', { name: 'History' }).click();
  await expect(drawer.getByRole('listitem').filter({ hasText: 'reinstated this participant' })).toBeVisible();
  await expect(drawer.getByRole('listitem').filter({ hasText: 'disqualified this participant' })).toContainText(
    'Shared an account',
  );
});

test('a full tournament says why no one can be approved; a waitlisted participant is promoted later', async ({
  open,
  rest,
  tournament,
}) => {
  const settings = { requiresApproval: true, waitlistEnabled: true, maxParticipants: 2 };
  const { slug, names, desk } = await withPlayers({ rest, tournament }, settings, 3);
  const [first = '', second = '', third = ''] = names;
  const page = await open(organizer, desk);
  for (const name of [first, second]) await page.getByRole('button', { name: `Approve ${name}` }).click();
  await expect(page.getByText('All slots are taken, so no one can be approved right now.')).toBeVisible();
  await page.getByRole('tab', { name: 'Schedule' }).click();
  await expect(page.getByText('Awaiting approval').locator('xpath=..').getByRole('definition')).toHaveText('1');
  await page.getByRole('tab', { name: 'Participants' }).click();

  const act = async (name: string, action: string) => {
    await page.getByRole('button', { name: `More actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: action }).click();
    await page
      .getByRole('alertdialog', { name: `${action} ${name}?` })
      .getByRole('button', { name: action })
      .click();
  };
  await act(third, 'Waitlist');
  await expect(toast(page, `${third} moved to the waitlist`)).toBeVisible();
  await list(page, 'Waitlist').click();
  await expect(page.getByText('All slots are taken, so no one can be promoted right now.')).toBeVisible();
  expect((await (await rest(organizer))('PATCH', `/tournaments/${slug}`, { maxParticipants: 3 })).status).toBe(200);
  await list(page, 'Approved').click();
  await expect(row(page, third)).toBeVisible();

  // A participant waitlisted by an organizer while slots are free is not promoted automatically.
  await act(third, 'Waitlist');
  await list(page, 'Waitlist').click();
  await page.getByRole('button', { name: `Promote ${third}` }).click();
  await expect(toast(page, `${third} promoted`)).toBeVisible();
  await expect(list(page, 'Approved 3')).toBeVisible();
});

test('a moderator substitutes a player of a team, and the history names both players', async ({
  open,
  rest,
  tournament,
}) => {
  const { slug } = await tournament({ name: newName('Bench'), teamSize: 2, rosterMin: 2, rosterMax: 3 });
  const people = await Promise.all(
    players.slice(0, 3).map(async (email) => {
      const { body } = await (await rest(email))<{ id: string; name: string }>('GET', '/me');
      return body;
    }),
  );
  const [captain, teammate, bench] = people as [
    { id: string; name: string },
    { id: string; name: string },
    (typeof people)[0],
  ];
  const teamMembers = [
    { userId: captain.id, role: 'captain' },
    { userId: teammate.id, role: 'player' },
  ];
  const body = { teamName: 'Subs', teamMembers };
  expect(
    (await (await rest(players[0] ?? ''))('POST', `/tournaments/${slug}/participants/register`, body)).status,
  ).toBe(201);
  const page = await open('moderator@demo.test', `/dashboard/demo/tournaments/${slug}`);
  await page.getByRole('button', { name: 'Subs', exact: true }).click();
  const drawer = page.getByRole('dialog', { name: 'Subs', exact: true });
  await drawer.getByRole('tab', { name: /Roster/ }).click();
  await drawer.getByRole('button', { name: `Substitute ${teammate.name}` }).click();
  const form = page.getByRole('dialog', { name: `Substitute for ${teammate.name}` });
  await form.getByLabel('Player ID of the substitute').fill('usr_nobody');
  await form.getByLabel('Reason').fill('Ill');
  await form.getByRole('button', { name: 'Substitute' }).click();
  await expect(form.getByText('There is no such player.')).toBeVisible();
  await form.getByLabel('Player ID of the substitute').fill(bench?.id ?? '');
  await form.getByRole('button', { name: 'Substitute' }).click();
  await expect(toast(page, `${bench?.name} replaced ${teammate.name}`)).toBeVisible();
  await drawer.getByRole('tab', { name: 'History' }).click();
  const entry = drawer.getByRole('listitem').filter({ hasText: `replaced ${teammate.name} with ${bench?.name}.` });
  await expect(entry).toContainText('Ill');
});

test('participants are seeded with keys and by typing, and a second organizer is not overwritten without asking', async ({
  open,
  rest,
  tournament,
}) => {
  const { slug, names, desk } = await withPlayers({ rest, tournament }, {}, 5);
  const [a, b, c, d, e] = names;
  const page = await open(organizer, `${desk}?tab=seeding`);
  const save = page.getByRole('button', { name: 'Save seeding' });
  await expect.poll(() => order(page)).toEqual(names);
  await grid(page, 'Seeds').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Alt+ArrowUp');
  await expect.poll(() => order(page)).toEqual([b, a, c, d, e]);
  await page.keyboard.press('4');
  await page.keyboard.press('Enter');
  await expect.poll(() => order(page)).toEqual([a, c, d, b, e]);
  await save.click();
  await expect(toast(page, 'Seeding saved')).toBeVisible();
  await expect(save).toBeHidden();

  await grid(page, 'Seeds').focus();
  await page.keyboard.press('Alt+End');
  const staff = await rest(organizer);
  expect((await staff('PUT', `/tournaments/${slug}/seeding`, { method: 'registration' })).status).toBe(200);
  await save.click();
  await expect(page.getByText('Someone else saved a different seeding.')).toBeVisible();
  await page.getByRole('button', { name: 'Use theirs' }).click();
  await expect.poll(() => order(page)).toEqual(names);
});

test('an import shows the errors of every line before it registers anyone', async ({ open, rest, tournament }) => {
  const { desk } = await withPlayers({ rest, tournament }, {}, 1);
  const page = await open(organizer, desk);
  await page.getByRole('button', { name: 'List actions' }).click();
  await page.getByRole('menuitem', { name: 'Import from CSV' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import participants' });
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await expect(dialog.getByText('Choose a file or paste the data first.')).toBeVisible();
  const csv = ['Email', players[0], 'nobody@demo.test', players[5]].join('\n');
  await dialog.getByLabel('File to import').setInputFiles({
    name: 'list.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(csv),
  });
  await expect(dialog.getByLabel('Or paste the data')).toHaveValue(csv);
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await expect(dialog.getByRole('listitem').filter({ hasText: 'Line 3' })).toContainText('Skipped');
  await expect(dialog.getByRole('listitem').filter({ hasText: 'Line 4' })).toContainText('Ready');
  await dialog.getByRole('button', { name: 'Import 1 participant' }).click();
  await expect(dialog.getByRole('listitem').filter({ hasText: 'Line 4' })).toContainText('Imported');
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(list(page, 'Approved 2')).toBeVisible();
});

test('moderators can disqualify but are not offered actions of organizers', async ({ open, rest, tournament }) => {
  const { names, desk } = await withPlayers({ rest, tournament }, { requiresApproval: true }, 2);
  const [first = ''] = names;
  const staff = await open(organizer, `${desk}?view=all`);
  await staff.getByRole('button', { name: `Approve ${first}` }).click();
  await expect(toast(staff, `${first} approved`)).toBeVisible();

  const page = await open('moderator@demo.test', `${desk}?view=all`);
  await expect(row(page, first)).toBeVisible();
  await expect(page.getByRole('button', { name: /^(Approve|Check in) / })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Edit' })).toHaveCount(0);
  await page.getByRole('button', { name: `More actions for ${first}` }).click();
  await expect(page.getByRole('menuitem', { name: 'Disqualify' })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: 'Waitlist' })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'List actions' }).click();
  await expect(page.getByRole('menuitem', { name: 'Import from CSV' })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await page.getByRole('tab', { name: 'Seeding' }).click();
  await expect(page.getByText('Only organizers can change the seeds.')).toBeVisible();
  await expect(page.getByRole('textbox', { name: /^Seed of/ })).toHaveCount(0);
});

test('changes by others appear in the open desk, and the selection stays', async ({ open, rest, tournament }) => {
  const { slug, names, desk } = await withPlayers({ rest, tournament }, {}, 3);
  const [first = '', second = ''] = names;
  const page = await open(organizer, desk);
  await expect(page.getByText('Live updates')).toBeVisible();
  await page.getByRole('checkbox', { name: `Select ${second}` }).click();
  const late = await rest(players[3] ?? '');
  const { body } = await late<{ name: string }>('POST', `/tournaments/${slug}/participants/register`);
  await expect(row(page, body.name)).toBeVisible();
  const player = await rest(players[0] ?? '');
  expect((await player('POST', `/tournaments/${slug}/registrations/me/cancel`)).status).toBe(200);
  await expect(row(page, first)).toBeHidden();
  await expect(bar(page)).toContainText('1 selected');
  await expect(page.getByRole('checkbox', { name: `Select ${second}` })).toBeChecked();
});

test('on a phone the desk is a list that fits the screen', async ({ open, rest, tournament }) => {
  const { names, desk } = await withPlayers({ rest, tournament }, {}, 3);
  const page = await open(organizer, desk, { viewport: { width: 390, height: 844 } });
  const tooWide = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  await expect(page.getByRole('button', { name: `Check in ${names[0]}` })).toBeVisible();
  expect(await tooWide()).toBeLessThanOrEqual(0);
  await page.getByRole('checkbox', { name: `Select ${names[1]}` }).click();
  await bar(page).getByRole('button', { name: 'Check in 1' }).click();
  const checkedIn = toast(page, `${names[1]} checked in`);
  await expect(checkedIn).toBeVisible();
  await row(page, names[0] ?? '')
    .getByRole('button', { name: names[0], exact: true })
    .click();
  const drawer = page.getByRole('dialog', { name: names[0] });
  await drawer.getByRole('button', { name: 'Disqualify' }).click();
  const question = page.getByRole('dialog', { name: `Disqualify ${names[0]}?` });
  const top = async (part: Locator) => (await part.boundingBox())?.y ?? 0;
  const confirm = question.getByRole('button', { name: 'Disqualify' });
  await expect.poll(async () => (await top(confirm)) - (await top(checkedIn))).toBeGreaterThan(400);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(drawer).toBeHidden();
  await page.getByRole('tab', { name: 'Seeding' }).click();
  await page.getByRole('button', { name: `Move ${names[0]} down` }).click();
  await expect(page.getByRole('button', { name: 'Save seeding' })).toBeVisible();
  expect(await tooWide()).toBeLessThanOrEqual(0);
});
