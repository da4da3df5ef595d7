import { expect, test } from '../fixtures';

test('pages of a project are whole without scripts', async ({ open }) => {
  const pages = { '': 'Laurel Arena', '/tournaments': 'Tournaments', '/members': 'Members', '/webhooks': 'Webhooks' };
  for (const [path, title] of Object.entries(pages)) {
    const page = await open('owner@demo.test', `/dashboard/demo${path}`, { javaScriptEnabled: false });
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
    await expect(page.getByRole('status', { name: /^Loading/ })).toHaveCount(0);
    await page.context().close();
  }
});
