import { expect, newName, test } from '../fixtures';

const organizer = 'organizer@demo.test';
const player = 'player5@demo.test';

test('an organizer adds questions, tests a pattern, reorders them with keys, and is warned before answers are affected', async ({
  open,
  rest,
  tournament,
}) => {
  const { slug } = await tournament({ name: newName('Asking') });
  const page = await open(organizer, `/dashboard/demo/tournaments/${slug}/edit`);
  const section = page
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: 'Questions', exact: true }) });
  const titles = section.getByRole('heading', { level: 3 });
  const card = (name: string) => section.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) });

  await section.getByRole('button', { name: 'Add a question' }).click();
  await card('Question 1').getByRole('textbox', { name: 'Question' }).fill('Discord name');
  const discord = card('Discord name');
  await discord.getByRole('textbox', { name: 'Pattern' }).fill('[a-z]{2,8}');
  await discord.getByRole('textbox', { name: 'Try it' }).fill('Ada');
  await expect(discord.getByText('Invalid: this answer would be rejected.')).toBeVisible();
  await discord.getByRole('textbox', { name: 'Try it' }).fill('ada');
  await expect(discord.getByText('Valid: this answer would be accepted.')).toBeVisible();

  await section.getByRole('button', { name: 'Add a question' }).click();
  await card('Question 2').getByRole('textbox', { name: 'Question' }).fill('Region');
  await card('Region').getByRole('combobox').click();
  await page.getByRole('option', { name: 'Single choice' }).click();
  await card('Region').getByRole('textbox', { name: 'Choice 1' }).fill('Europe');
  await page.keyboard.press('Enter');
  await expect(card('Region').getByRole('textbox', { name: 'Choice 2' })).toBeFocused();
  await page.keyboard.type('Asia');

  const grip = card('Region').getByRole('button', { name: 'Drag Region' });
  await grip.press('Space');
  await expect(grip).toHaveAttribute('aria-pressed', 'true');
  // A question that was just picked up ignores keys for a moment; at the top, another press changes nothing.
  await expect(async () => {
    await page.keyboard.press('ArrowUp');
    await expect(page.getByText('Region is at position 1 of 2.')).toBeAttached({ timeout: 1_000 });
  }).toPass();
  await page.keyboard.press('Space');
  await expect(titles).toHaveText(['Region', 'Discord name']);
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.waitForURL((url) => !url.pathname.endsWith('/edit'));

  const asPlayer = await rest(player);
  const path = `/tournaments/${slug}`;
  const refused = await asPlayer('POST', `${path}/participants/register`, { customFields: { discord_name: 'Ada' } });
  expect(refused.status).toBe(400);
  const answers = { customFields: { discord_name: 'ada', region: 'Asia' } };
  expect((await asPlayer('POST', `${path}/participants/register`, answers)).status).toBe(201);

  await page.goto(`/dashboard/demo/tournaments/${slug}/edit`);
  await card('Region').getByRole('button', { name: 'Remove choice 2' }).click();
  await card('Discord name').getByRole('button', { name: 'Remove Discord name' }).click();
  await page.getByRole('button', { name: 'Save changes' }).click();
  const warning = page.getByRole('dialog', { name: 'Participants have already answered these questions' });
  await expect(warning.getByRole('listitem').filter({ hasText: 'Discord name' })).toContainText(
    '1 participant answered the previous version',
  );
  await expect(warning.getByRole('listitem').filter({ hasText: 'Region' })).toContainText(
    '1 participant has no valid answer',
  );
  await warning.getByRole('button', { name: 'Save new questions' }).click();
  await page.waitForURL((url) => !url.pathname.endsWith('/edit'));
  const mine = await asPlayer('GET', `${path}/registrations/me`);
  expect(mine.body).toMatchObject(answers);
});

test('a long list of choices is folded until somebody asks for all of it', async ({ open, tournament }) => {
  const options = Array.from({ length: 12 }, (_, index) => `Country ${index + 1}`);
  const customFields = [{ key: 'country', label: 'Country', type: 'select', options, visibility: 'organizers' }];
  const { slug } = await tournament({ name: newName('Folded'), customFields });
  const page = await open(organizer, `/dashboard/demo/tournaments/${slug}/edit`);
  const choices = page.getByRole('textbox', { name: /^Choice \d+$/ });
  await expect(choices).toHaveCount(5);
  await page.getByRole('button', { name: 'Show all 12 choices' }).click();
  await expect(choices).toHaveCount(12);
  await expect(choices.nth(5)).toBeFocused();
  await expect(choices.last()).toHaveValue('Country 12');
});

test('a player unsubscribes from a link in an email, and resubscribes, without signing in', async ({
  open,
  rest,
  tournament,
  mailedLink,
}) => {
  const recipient = 'player6@demo.test';
  const { slug } = await tournament({ name: newName('Emails') });
  const asRecipient = await rest(recipient);
  await asRecipient('PATCH', '/me', { emailNotifications: true });
  await asRecipient('POST', `/tournaments/${slug}/participants/register`);
  const isSubscribed = async () =>
    (await asRecipient<{ emailNotifications: boolean }>('GET', '/me')).body.emailNotifications;
  const page = await open(null, await mailedLink(recipient, 'unsubscribe'));
  await page.getByRole('button', { name: 'Unsubscribe', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'You are unsubscribed', exact: true })).toBeVisible();
  await expect.poll(isSubscribed).toBe(false);
  await page.getByRole('button', { name: 'Resubscribe' }).click();
  await expect(page.getByRole('button', { name: 'Unsubscribe', exact: true })).toBeVisible();
  await expect.poll(isSubscribed).toBe(true);
});
