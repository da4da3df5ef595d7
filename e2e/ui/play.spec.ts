import type { Page } from 'playwright/test';
import { expect, newName, test } from '../fixtures';

const organizer = 'organizer@demo.test';
const players = Array.from({ length: 8 }, (_, index) => `player${index + 1}@demo.test`);

type Match = {
  id: string;
  number: number;
  status: string;
  winnerId: string | null;
  slots: { participantId: string | null; name: string | null }[];
};

const row = (page: Page, number: number) => page.locator(`li[data-match="${number}"]`);

test('an organizer starts a tournament, plays it to the champion and corrects a semifinal', async ({
  open,
  rest,
  tournament,
}) => {
  test.slow();
  const cup = await tournament({ name: newName('Play Cup'), format: 'single_elimination', maxParticipants: 16 });
  for (const email of players) {
    const register = await rest(email);
    expect((await register('POST', `/tournaments/${cup.slug}/participants/register`)).status).toBe(201);
  }
  const staff = await rest(organizer);
  const matches = async () => {
    const { body } = await staff<{ items: Match[] }>('GET', `/tournaments/${cup.id}/matches?limit=50`);
    return new Map(body.items.map((match) => [match.number, match]));
  };

  const page = await open(organizer, `/dashboard/demo/tournaments/${cup.slug}`);
  await page.getByRole('button', { name: 'Start tournament' }).click();
  const start = page.getByRole('dialog', { name: `Start ${cup.name}?` });
  await expect(start.getByRole('heading', { name: '8 participants play' })).toBeVisible();
  const pairs = start.getByRole('region', { name: 'Draw' }).getByRole('listitem');
  await expect(pairs).toHaveCount(4);
  const before = await pairs.allTextContents();
  await expect(async () => {
    await start.getByRole('button', { name: 'Draw again' }).click();
    await expect.poll(() => pairs.allTextContents(), { timeout: 5_000 }).not.toEqual(before);
  }).toPass();
  const [drawn = ''] = await pairs.allTextContents();
  // Somebody who comes while the request is on its way, and goes, does not keep the organizer from starting.
  const ninth = await rest('player9@demo.test');
  await page.route(
    /matches\.start/,
    async (route) => {
      expect((await ninth('POST', `/tournaments/${cup.slug}/participants/register`)).status).toBe(201);
      await route.continue();
    },
    { times: 1 },
  );
  await start.getByRole('button', { name: 'Start tournament' }).click();
  await expect(start.getByText('The draw has changed since you looked at it.')).toBeVisible();
  await expect(start.getByRole('heading', { name: '9 participants play' })).toBeVisible();
  expect((await ninth('POST', `/tournaments/${cup.slug}/registrations/me/cancel`)).status).toBe(200);
  await start.getByRole('button', { name: 'Start with whoever is in' }).click();
  await expect(page.getByRole('tab', { name: 'Matches' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('heading', { name: 'Ready 4' })).toBeVisible();

  // The drawn pairing is the one that is played.
  const first = (await matches()).get(1);
  for (const { name } of first?.slots ?? []) expect(drawn).toContain(name ?? '');

  await row(page, 1).getByRole('button', { name: 'Begin' }).click();
  await expect(page.getByRole('heading', { name: 'Being played 1' })).toBeVisible();
  await row(page, 1).getByRole('button', { name: 'Enter result' }).click();
  const result = page.getByRole('dialog', { name: 'Enter the result' });
  await result.getByRole('button', { name: 'Save result' }).click();
  await expect(result.getByText('Enter the scores or choose the winner.')).toBeVisible();
  await result.getByLabel(`Game 1, ${first?.slots[0]?.name}`).fill('2');
  await result.getByLabel(`Game 1, ${first?.slots[1]?.name}`).fill('2');
  await expect(result.getByText('The games are level, and this match needs a winner.')).toBeVisible();
  await result.getByRole('radio', { name: first?.slots[0]?.name ?? '' }).click();
  await result.getByRole('button', { name: 'Save result' }).click();
  await expect(result).toBeHidden();
  await expect(page.getByRole('heading', { name: 'Finished 1' })).toBeVisible();
  expect((await matches()).get(1)?.winnerId).toBe(first?.slots[0]?.participantId);

  await row(page, 2).getByRole('button', { name: 'Forfeit' }).click();
  const forfeit = page.getByRole('dialog', { name: 'Forfeit the match' });
  const second = (await matches()).get(2);
  await forfeit
    .getByRole('radio', { name: second?.slots[1]?.name ?? '' })
    .first()
    .click();
  await forfeit.getByRole('button', { name: 'Forfeit' }).click();
  await expect(page.getByRole('heading', { name: 'Finished 2' })).toBeVisible();

  // Staff decides the rest over REST; the desk follows live.
  for (let open = 5; open > 0; open -= 1) {
    const next = [...(await matches()).values()].find(({ status }) => status === 'ready');
    const winnerId = next?.slots[0]?.participantId;
    expect((await staff('POST', `/matches/${next?.id}/resolve`, { winnerId })).status).toBe(200);
  }
  await expect(page.getByRole('heading', { name: 'Finished 7' })).toBeVisible();
  await expect(page.getByText('Completed', { exact: true }).first()).toBeVisible();

  const semifinal = (await matches()).get(5);
  const [winner, loser] = semifinal?.slots ?? [];
  await row(page, 5).getByRole('button', { name: 'Correct result' }).click();
  const correct = page.getByRole('dialog', { name: 'Correct the result' });
  await correct.getByRole('radio', { name: loser?.name ?? '' }).click();
  const changes = correct.getByRole('region', { name: 'What changes' });
  await expect(changes.getByText('1 other match changes, and 1 result is deleted.')).toBeVisible();
  await expect(changes.getByRole('listitem')).toContainText(['M7']);
  await expect(changes.getByRole('listitem')).toContainText([winner?.name ?? '']);
  await expect(changes.getByRole('listitem')).toContainText([loser?.name ?? '']);
  expect((await matches()).get(5)?.winnerId).toBe(winner?.participantId);
  await correct.getByLabel('Reason').fill('The scores were swapped');
  await correct.getByRole('button', { name: 'Apply correction' }).click();
  await expect(correct).toBeHidden();
  await expect(page.getByRole('heading', { name: 'Ready 1' })).toBeVisible();
  await expect(row(page, 7)).toContainText(loser?.name ?? '');
  expect((await matches()).get(5)?.winnerId).toBe(loser?.participantId);

  // Undone, the final has its result again.
  const corrected = page.getByRole('listitem').filter({ hasText: 'M5 is corrected' });
  await corrected.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('heading', { name: 'Finished 7' })).toBeVisible();
  expect((await matches()).get(5)?.winnerId).toBe(winner?.participantId);
  await row(page, 5).getByRole('button', { name: 'Correct result' }).click();
  await correct.getByRole('radio', { name: loser?.name ?? '' }).click();
  await expect(changes.getByText('1 other match changes, and 1 result is deleted.')).toBeVisible();
  await correct.getByRole('button', { name: 'Apply correction' }).click();
  await expect(page.getByRole('heading', { name: 'Ready 1' })).toBeVisible();

  await row(page, 7).getByRole('button', { name: 'Enter result' }).click();
  await result.getByRole('radio', { name: loser?.name ?? '' }).click();
  await result.getByRole('button', { name: 'Save result' }).click();
  await expect(page.getByRole('heading', { name: 'Finished 7' })).toBeVisible();
  expect((await matches()).get(7)?.winnerId).toBe(loser?.participantId);
});
