import { expect, newName, test } from '../fixtures';
import { playMatches, readMatches, startTournament } from '../played';

const organizer = 'organizer@demo.test';

test('an organizer seeds the knockout after the groups, and only before it begins', async ({ open, rest, demo }) => {
  const settings = { name: newName('Group Cup'), format: 'groups_to_knockout', formatOptions: { groups: 2 } };
  const cup = await startTournament(rest, demo.project, settings, 4);
  await playMatches(rest, cup.id, 2);
  const drawn = (await readMatches(rest, cup.id)).filter(({ status }) => status === 'ready');
  const opponentOf = (matches: typeof drawn, name?: string | null) =>
    matches
      .map(({ slots }) => slots.map((slot) => slot.name))
      .find((names) => names.includes(name ?? ''))
      ?.find((one) => one !== name);
  const page = await open(organizer, `/dashboard/demo/tournaments/${cup.slug}`);
  await page.getByRole('button', { name: 'Change its seeding' }).click();
  const dialog = page.getByRole('dialog', { name: /^Seed / });
  const rows = dialog.getByRole('list', { name: 'Seeds' }).getByRole('listitem');
  await expect(rows).toHaveCount(4);
  const third = await rows.nth(2).locator('bdi').textContent();
  const fourth = await rows.nth(3).locator('bdi').textContent();
  await dialog.getByRole('button', { name: `Move ${fourth} up` }).click();
  await expect(rows.nth(2)).toContainText(fourth ?? '');
  await expect(dialog.getByRole('region', { name: 'First matches' })).toContainText(third ?? '');
  await dialog.getByRole('button', { name: 'Save seeding' }).click();
  await expect(dialog).toBeHidden();
  const after = await readMatches(rest, cup.id);
  expect(
    opponentOf(
      after.filter(({ status }) => status === 'ready'),
      third,
    ),
  ).toBe(opponentOf(drawn, fourth));

  await playMatches(rest, cup.id, 1);
  await expect(page.getByRole('button', { name: 'Change its seeding' })).toBeHidden();
});
