import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright/test';
import { expect, newName, test } from '../fixtures';

const organizer = 'organizer@demo.test';
const stranger = 'player20@demo.test';
const visit = async (page: Page, path: string) => (await page.goto(path))?.status();
const notFound = { name: 'Page not found' };

test("another project's dashboard does not exist for strangers, and visitors are asked to sign in", async ({
  open,
  demo,
}) => {
  const page = await open(stranger, '/me');
  const base = `/dashboard/${demo.project.slug}`;
  for (const path of ['', '/tournaments', '/tournaments/northern-lights-open', '/members', '/api-keys', '/webhooks']) {
    expect(await visit(page, base + path)).toBe(404);
    await expect(page.getByRole('heading', notFound)).toBeVisible();
    await expect(page.getByText('Laurel Arena')).toBeHidden();
  }
  expect(await visit(page, `/dashboard/no-such-${randomUUID()}`)).toBe(404);

  const visitor = await open(null, base);
  await expect(visitor).toHaveURL((url) => url.pathname === '/sign-in' && url.searchParams.get('next') === base);
});

test('drafts and private tournaments exist only for members of the project', async ({ open, tournament }) => {
  const draft = await tournament({ name: newName('Secret Plan') }, false);
  const own = await tournament({ name: newName('House Cup'), visibility: 'private' });
  const [visitor, player, member] = [
    await open(null, '/'),
    await open(stranger, '/me'),
    await open('moderator@demo.test', '/me'),
  ];
  for (const { slug, name } of [draft, own]) {
    for (const page of [visitor, player]) {
      expect(await visit(page, `/tournaments/${slug}`)).toBe(404);
      await expect(page.getByRole('heading', notFound)).toBeVisible();
      expect(await visit(page, `/tournaments/${slug}/participants`)).toBe(404);
    }
    expect(await visit(member, `/tournaments/${slug}`)).toBe(200);
    await expect(member.getByRole('heading', { level: 1, name })).toBeVisible();
  }
  await member.goto(`/tournaments/${draft.slug}`);
  await expect(member.getByText(/^This is a preview\./)).toBeVisible();
});

test('an unlisted tournament opens by its link but is in no list', async ({ open, tournament }) => {
  const word = `Q${randomUUID().slice(0, 7)}`;
  const unlisted = await tournament({ name: `${word} by invitation`, visibility: 'unlisted' });
  const listed = await tournament({ name: `${word} for all` });
  const page = await open(null, `/tournaments?q=${word}`);
  await expect(page.getByRole('link', { name: listed.name })).toBeVisible();
  await expect(page.getByRole('link', { name: unlisted.name })).toBeHidden();

  expect(await visit(page, `/tournaments/${unlisted.slug}`)).toBe(200);
  await expect(page.getByRole('heading', { level: 1, name: unlisted.name })).toBeVisible();
  await expect(page.locator('meta[name="robots"]')).toHaveAttribute('content', /noindex/);
  expect(await (await page.request.get('/sitemap.xml')).text()).not.toContain(unlisted.slug);
});

test('a tournament page has the metadata for link previews', async ({ page, tournament, baseURL }) => {
  const { slug, name } = await tournament({ description: 'Best of **three** all the way.' });
  await page.goto(`/tournaments/${slug}`);
  const meta = (property: string) => page.locator(`meta[property="og:${property}"]`);
  await expect(meta('title')).toHaveAttribute('content', name);
  await expect(meta('description')).toHaveAttribute('content', /Counter-Strike 2.*Best of three all the way\./);
  await expect(meta('url')).toHaveAttribute('content', `${baseURL}/tournaments/${slug}`);
  await expect(page.locator('meta[name="twitter:card"]')).toHaveAttribute('content', 'summary_large_image');
  const image = await meta('image').getAttribute('content');
  const picture = await page.request.get(image ?? '');
  expect([picture.status(), picture.headers()['content-type']]).toEqual([200, 'image/png']);
});

test('members see only the pages and actions of their role', async ({ open, demo }) => {
  const base = `/dashboard/${demo.project.slug}`;
  const owner = await open('owner@demo.test', base);
  const nav = (page: Page) => page.getByRole('navigation', { name: 'Project' }).first();
  for (const link of ['Overview', 'Tournaments', 'Members', 'API keys', 'Webhooks', 'Settings'])
    await expect(nav(owner).getByRole('link', { name: link })).toBeVisible();

  const page = await open(organizer, base);
  await expect(nav(page).getByRole('link', { name: 'Tournaments' })).toBeVisible();
  for (const link of ['API keys', 'Webhooks', 'Settings'])
    await expect(nav(page).getByRole('link', { name: link })).toBeHidden();
  for (const path of ['/api-keys', '/webhooks', '/webhooks/new', '/members']) {
    await page.goto(base + path);
    await expect(page.getByText(/owner|admin/i).first()).toBeVisible();
    await expect(page.getByRole('button', { name: /^(New|Create|Invite)/ })).toBeHidden();
    await expect(page.getByRole('table')).toBeHidden();
  }

  const moderator = await open('moderator@demo.test', `${base}/tournaments/northern-lights-open`);
  await expect(moderator.getByRole('heading', { level: 1, name: 'Northern Lights Open' })).toBeVisible();
  for (const button of ['Close registration', 'Open check-in', 'More actions'])
    await expect(moderator.getByRole('button', { name: button, exact: true })).toBeHidden();
});
