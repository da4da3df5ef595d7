import { expect, test } from '../fixtures';

test('a tap on a link is answered at once, however long the next page takes', async ({ open }) => {
  const page = await open('owner@demo.test', '/dashboard/demo');
  let arrive = () => {};
  const server = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  await page.route(/_rsc=/, async (route) => {
    await server;
    await route.continue();
  });
  const progress = page.getByRole('progressbar', { name: 'Loading the page' });
  await expect(progress).toHaveCount(0);
  await page.getByRole('link', { name: 'Members', exact: true }).first().click();
  await expect(progress).toBeVisible({ timeout: 1_000 });
  arrive();
  await expect(page.getByRole('heading', { level: 1, name: 'Members' })).toBeVisible();
  await expect(progress).toHaveCount(0);
});

test('pages of a project are whole without scripts', async ({ open }) => {
  const pages = { '': 'Laurel Arena', '/tournaments': 'Tournaments', '/members': 'Members', '/webhooks': 'Webhooks' };
  for (const [path, title] of Object.entries(pages)) {
    const page = await open('owner@demo.test', `/dashboard/demo${path}`, { javaScriptEnabled: false });
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
    await expect(page.getByRole('status', { name: /^Loading/ })).toHaveCount(0);
    await page.context().close();
  }
});
