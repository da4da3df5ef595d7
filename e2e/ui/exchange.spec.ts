import { readFile } from 'node:fs/promises';
import { expect, newName, test } from '../fixtures';
import { readMatches, startTournament } from '../played';

const organizer = 'organizer@demo.test';

test('staff decides a tie with a reason, everyone reads it, and the tournament moves on as a file', async ({
  open,
  rest,
  demo,
}) => {
  test.slow();
  const name = newName('Tie Cup');
  const cup = await startTournament(rest, demo.project, { name, format: 'round_robin' }, 3);
  const staff = await rest(organizer);
  // Everyone beats one and loses to one.
  for (const { id, slots } of await readMatches(rest, cup.id)) {
    const [a, b] = slots;
    const first = ((b?.seed ?? 0) - (a?.seed ?? 0) + 3) % 3 === 1;
    await staff('POST', `/matches/${id}/resolve`, { winnerId: (first ? a : b)?.participantId });
  }

  const page = await open(organizer, `/tournaments/${cup.slug}/standings`);
  const rows = page.getByRole('table').getByRole('rowheader');
  const before = await rows.allTextContents();
  await page.getByRole('button', { name: 'Decide the tie' }).click();
  const dialog = page.getByRole('dialog', { name: 'Decide the tie' });
  const tied = dialog.getByRole('listitem');
  await expect(tied).toHaveCount(3);
  await dialog.getByRole('button', { name: 'Save the order' }).click();
  await expect(dialog.getByText('Say why.')).toBeVisible();
  const last = tied.nth(2);
  const lastName = (await last.locator('bdi').textContent()) ?? '';
  await last.getByRole('button', { name: `Move ${lastName} up` }).press('Enter');
  await dialog.getByRole('button', { name: `Move ${lastName} up` }).press('Enter');
  await expect(tied.first()).toContainText(lastName);
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Won the tie-break game');
  await dialog.getByRole('button', { name: 'Save the order' }).click();
  await expect(dialog).toBeHidden();
  await expect(rows.first()).toContainText(lastName);
  expect(await rows.allTextContents()).not.toEqual(before);

  const visitor = await open(null, `/tournaments/${cup.slug}/standings`);
  await expect(visitor.getByText('Decided by staff: Won the tie-break game')).toBeVisible();
  await expect(visitor.getByRole('button', { name: 'Change the decision' })).toBeHidden();

  const calendar = await visitor.request.get(`/tournaments/${cup.slug}/calendar.ics`);
  expect(calendar.headers()['content-type']).toBe('text/calendar; charset=utf-8');
  expect(await calendar.text()).toContain('BEGIN:VCALENDAR');

  await page.goto(`/dashboard/demo/tournaments/${cup.slug}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  const downloading = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Export as a file' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe(`${cup.slug}.laurel.json`);
  const text = await readFile(await download.path(), 'utf8');

  await page.goto('/dashboard/demo/tournaments');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const importing = page.getByRole('dialog', { name: 'Import a tournament' });
  const choose = (content: string) =>
    importing
      .getByLabel('File to import')
      .setInputFiles({ name: 'cup.json', mimeType: 'application/json', buffer: Buffer.from(content) });
  await choose('name,seed');
  await expect(importing.getByRole('alert')).toContainText('not valid JSON');
  await choose(text.replace('"decidedBy":"result"', '"forfeitedBy":["p9"],"decidedBy":"forfeit"'));
  await expect(importing.getByRole('alert')).toContainText('“p9” is not among the participants.');
  await choose(text);
  await expect(page).toHaveURL(/\/dashboard\/demo\/tournaments\/tie-cup/);
  await expect(page).not.toHaveURL(new RegExp(`${cup.slug}$`));
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible();
});

test('the overview links to the calendar', async ({ open, tournament }) => {
  const cup = await tournament();
  const page = await open(null, `/tournaments/${cup.slug}`);
  const href = await page.getByRole('link', { name: 'Add to calendar' }).getAttribute('href');
  expect(await (await page.request.get(href ?? '')).text()).toContain(`SUMMARY:${cup.name}`);
});
