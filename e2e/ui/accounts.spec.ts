import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright/test';
import { expect, test } from '../fixtures';

const password = 'four words are enough';
const newEmail = () => `e2e-${randomUUID()}@players.test`;

/** Waits for a path, with any query parameters. */
const at = (page: Page, pathname: string) => page.waitForURL((url) => url.pathname === pathname);

async function signUp(page: Page, email: string, name = 'Ada Lovelace') {
  await page.goto('/sign-up?next=/settings');
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await at(page, '/settings');
}

async function signIn(page: Page, email: string, secret: string) {
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(secret);
  await page.getByLabel('Password', { exact: true }).press('Enter');
}

const another = async (browser: Browser) => (await browser.newContext()).newPage();

test('a new user signs up, confirms the email address, and changes name and time zone', async ({
  page,
  mailedLink,
}) => {
  const email = newEmail();
  await signUp(page, email);
  await expect(page.getByText('Not confirmed')).toBeVisible();

  await page.goto(await mailedLink(email, 'verify-email'));
  await expect(page.getByRole('button', { name: 'Confirm email address' })).toBeVisible();
  await expect(page.getByLabel('Password', { exact: true })).toHaveCount(0);
  await page.getByRole('button', { name: 'Confirm email address' }).click();
  await expect(page.getByText('Your email address is confirmed.')).toBeVisible();

  await page.goto('/settings');
  await expect(page.getByText('Confirmed', { exact: true })).toBeVisible();
  await page.getByLabel('Name').fill('Ada L.');
  await page.getByRole('combobox', { name: 'Time zone' }).click();
  await page.getByPlaceholder('Search for a city').fill('vienna');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Profile saved')).toBeVisible();
  await page.reload();
  await expect(page.getByLabel('Name')).toHaveValue('Ada L.');
  await expect(page.getByRole('combobox', { name: 'Time zone' })).toContainText('Europe/Vienna');
});

test('a link that is opened without a session needs the password of the account', async ({
  browser,
  page,
  mailedLink,
}) => {
  const email = newEmail();
  await signUp(page, email);
  const phone = await another(browser);
  await phone.goto(await mailedLink(email, 'verify-email'));
  await expect(phone.getByText('somebody else signed up with your address')).toBeVisible();
  await phone.getByRole('button', { name: 'Confirm email address' }).click();
  await expect(phone.getByText('Enter your password.')).toBeVisible();
  await phone.getByLabel('Password', { exact: true }).fill(password);
  await phone.getByRole('button', { name: 'Confirm email address' }).click();
  await expect(phone.getByText('Your email address is confirmed.')).toBeVisible();
  await phone.getByRole('link', { name: 'Sign in' }).click();
  await at(phone, '/sign-in');
});

test('a link that was asked for later needs the password of the account, or a new one, which shuts out others', async ({
  browser,
  page,
  mailedLink,
}) => {
  const email = newEmail();
  await signUp(page, email, 'Mallory');
  const first = await mailedLink(email, 'verify-email');
  await page.goto('/settings');
  await page.getByRole('button', { name: 'Resend' }).click();
  let link = first;
  await expect
    .poll(async () => {
      link = await mailedLink(email, 'verify-email');
      return link;
    })
    .not.toBe(first);
  const owner = await another(browser);
  await owner.goto(link);
  await owner.getByLabel('Password', { exact: true }).fill('not the one of the stranger');
  await owner.getByRole('button', { name: 'Confirm email address' }).click();
  await expect(owner.getByText('This is not the password chosen at sign-up.')).toBeVisible();
  await owner.getByRole('link', { name: 'Choose a new one' }).click();
  await owner.getByRole('button', { name: 'Change password' }).click();
  await expect(owner.getByText('Enter a name.')).toBeVisible();
  await owner.getByLabel('Name', { exact: true }).fill('Grace');
  await owner.getByLabel('New password').fill('a password of the owner');
  await owner.getByRole('button', { name: 'Change password' }).click();
  await expect(owner.getByText('Your password has been changed')).toBeVisible();
  await page.goto('/settings');
  await expect(page).toHaveURL(/\/sign-in/);
});

test('errors appear at their field, and a taken address looks like a free one', async ({ page, browser }) => {
  const email = newEmail();
  await signUp(page, email);
  const stranger = await another(browser);
  await stranger.goto('/sign-up');
  await stranger.getByRole('button', { name: 'Create account' }).click();
  await expect(stranger.getByText('Enter a name.')).toBeVisible();
  await stranger.getByLabel('Name').fill('Eve');
  await stranger.getByLabel('Email address').fill(email);
  await stranger.getByLabel('Password', { exact: true }).fill('a guess at it');
  await stranger.getByRole('button', { name: 'Create account' }).click();
  await expect(stranger.getByText('Check your inbox')).toBeVisible();
});

test('signing in rejects a wrong password and then continues to the requested page', async ({ page, browser }) => {
  const email = newEmail();
  await signUp(page, email);
  const other = await another(browser);
  await other.goto('/settings/security');
  await at(other, '/sign-in');
  await expect(other.getByText(/Discord|Google|Twitch/)).toHaveCount(0);
  await signIn(other, email, 'not the password');
  await expect(other.getByRole('alert').filter({ hasText: 'is incorrect' })).toBeVisible();
  await expect(other.getByLabel('Password', { exact: true })).toBeFocused();
  await signIn(other, email, password);
  await at(other, '/settings/security');

  await other.goto(`/sign-in?next=${encodeURIComponent('//example.com/evil')}`);
  await at(other, '/me');
});

test('a forgotten password is reset by email, and older sessions end', async ({ page, browser, mailedLink }) => {
  const email = newEmail();
  await signUp(page, email);
  const other = await another(browser);
  await other.goto('/forgot-password');
  await other.getByLabel('Email address').fill(email);
  await other.getByRole('button', { name: 'Send reset link' }).click();
  await expect(other.getByText('Check your inbox')).toBeVisible();

  const link = await mailedLink(email, 'reset-password');
  await other.goto(link);
  await other.getByLabel('New password').fill('another four words');
  await other.getByRole('button', { name: 'Change password' }).click();
  await expect(other.getByText('Your password has been changed')).toBeVisible();
  await page.goto('/settings');
  await at(page, '/sign-in');
  await other.getByRole('button', { name: 'Sign in' }).click();
  await at(other, '/me');

  await other.goto(link);
  await other.getByLabel('New password').fill('once more, please');
  await other.getByRole('button', { name: 'Change password' }).click();
  await expect(other.getByRole('alert').filter({ hasText: 'INVALID_TOKEN' })).toBeVisible();
  await signIn(page, email, 'another four words');
  await at(page, '/settings');
});

test('changing the password keeps this session and ends the others', async ({ page, browser }) => {
  const email = newEmail();
  await signUp(page, email);
  const other = await another(browser);
  await other.goto('/sign-in?next=/settings');
  await signIn(other, email, password);
  await at(other, '/settings');

  await page.goto('/settings/security');
  await page.getByLabel('Current password').fill('not it');
  await page.getByLabel('New password').fill('another four words');
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByText('The current password is not correct.')).toBeVisible();
  await page.getByLabel('Current password').fill(password);
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByText('Password changed', { exact: true })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Sessions' })).toBeVisible();
  await other.reload();
  await at(other, '/sign-in');

  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await at(page, '/sign-in');
});

test('a personal access token is shown once, works, and is revoked', async ({ page, request }) => {
  const email = newEmail();
  await signUp(page, email);
  await page.goto('/settings/access-tokens');
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByLabel('Name').fill('Stream overlay');
  await page.getByRole('button', { name: 'Create token' }).click();
  const token = await page.getByText(/^lpat_[\w-]{43}$/).textContent();
  const me = () => request.get('/api/v1/me', { headers: { Authorization: `Bearer ${token}` } });
  expect(await (await me()).json()).toMatchObject({ email });
  await page.getByRole('button', { name: 'I have copied the token' }).click();
  await expect(page.getByRole('row', { name: /Stream overlay/ })).toBeVisible();
  expect(await page.content()).not.toContain(token);
  await page.getByRole('button', { name: 'Revoke Stream overlay' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
  await expect(page.getByText('No access tokens yet')).toBeVisible();
  await expect.poll(async () => (await me()).status()).toBe(401);

  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto('/settings/limits');
  await expect(page.getByRole('progressbar', { name: 'Personal access tokens created' })).toHaveAttribute(
    'aria-valuenow',
    '1',
  );
  const tabs = page.getByRole('navigation', { name: 'Account settings' });
  await expect(tabs.getByRole('link', { name: 'Limits' })).toBeInViewport({ ratio: 0.9 });
});

test('an invited person joins from the email, but only with the invited address', async ({
  page,
  browser,
  request,
  mailedLink,
}) => {
  const owner = newEmail();
  await request.post('/api/v1/auth/register', { data: { email: owner, password, name: 'Olive Owner' } });
  const token = (await mailedLink(owner, 'verify-email')).split('token=')[1];
  expect((await request.post('/api/v1/auth/verify-email', { data: { token } })).status()).toBe(200);
  const { accessToken } = await (await request.post('/api/v1/auth/token', { data: { email: owner, password } })).json();
  const headers = { Authorization: `Bearer ${accessToken}` };
  const project = await (await request.post('/api/v1/projects', { headers, data: { name: 'Northern Cups' } })).json();
  const guest = newEmail();
  const membersPath = `/api/v1/projects/${project.id}/members`;
  expect((await request.post(membersPath, { headers, data: { email: guest, role: 'ORGANIZER' } })).status()).toBe(201);
  const link = await mailedLink(guest, 'invitations');

  await signUp(page, newEmail(), 'Somebody Else');
  await page.goto(link);
  await expect(page.getByText('This invitation is for')).toBeVisible();

  const invited = await another(browser);
  await invited.goto(link);
  await expect(invited.getByRole('heading', { name: 'Join Northern Cups' })).toBeVisible();
  await expect(invited.getByText('Olive Owner invited you as organizer')).toBeVisible();
  await invited.getByLabel('Name').fill('Gus Guest');
  await invited.getByLabel('Password', { exact: true }).fill(password);
  await invited.getByRole('button', { name: 'Create account' }).click();
  await invited.getByRole('button', { name: 'Join Northern Cups' }).click();
  await at(invited, `/dashboard/${project.slug}`);
  const members = await (await request.get(membersPath, { headers })).json();
  expect(members.items).toMatchObject([{ role: 'OWNER' }, { name: 'Gus Guest', role: 'ORGANIZER', email: guest }]);
  await page.goto(link);
  await expect(page.getByText('This invitation has already been accepted.')).toBeVisible();
});
