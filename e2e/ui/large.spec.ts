import { expect, test } from '../fixtures';

type Drawn = { stages: { rounds: { matches: { id: string; slots: { participantId: string }[] }[] }[] }[] };

/** Enough for several pages, and for the worker thread. */
const size = 260;

test('the table of a large tournament comes in pages, by keyboard and without JavaScript', async ({
  open,
  rest,
  tournament,
}) => {
  const cup = await tournament({ format: 'swiss', maxParticipants: size });
  const staff = await rest('organizer@demo.test');
  for (let from = 1; from <= size; from += 100) {
    const participants = Array.from({ length: Math.min(100, size - from + 1) }, (_, at) => ({
      name: `Guest ${String(from + at).padStart(3, '0')}`,
      seed: from + at,
    }));
    const added = await staff('POST', `/tournaments/${cup.id}/participants`, { participants });
    expect(added.status, JSON.stringify(added.body)).toBe(201);
  }
  expect((await staff('POST', `/tournaments/${cup.id}/start`, {})).status).toBe(200);

  const path = `/tournaments/${cup.slug}/standings`;
  const plain = await open(null, path, { javaScriptEnabled: false });
  const names = plain.locator('tr[data-participant] bdi');
  await expect(names).toHaveCount(100);
  await plain.getByRole('link', { name: 'Next page' }).click();
  await expect(names.first()).toHaveText('Guest 101');
  await plain.getByRole('link', { name: 'Next page' }).click();
  await expect(names).toHaveCount(60);
  await expect(names.last()).toHaveText('Guest 260');
  await plain.goto(`${path}?table=9`);
  await expect(plain.getByRole('heading', { name: 'This page does not exist' })).toBeVisible();

  const page = await open(null, path);
  const pages = page.getByRole('navigation', { name: 'Pages of participants' });
  await expect(pages).toContainText('1 to 100 of 260 participants');
  await pages.getByRole('link', { name: 'Next page' }).press('Enter');
  await expect(page).toHaveURL(/table=2/);
  await expect(pages).toContainText('101 to 200 of 260 participants');
  await expect(page.getByRole('row', { name: /Guest 101/ })).toBeInViewport();

  await plain.goto(`/tournaments/${cup.slug}/bracket`);
  await plain.getByRole('main').getByRole('link', { name: 'standings', exact: true }).click();
  await expect(plain).toHaveURL(path);

  // The bracket comes after the page, with the best of its table above the matches.
  const bracket = await open(null, `/tournaments/${cup.slug}/bracket`);
  await expect(bracket.locator('tr[data-participant]')).toHaveCount(64);
  await bracket.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  expect(await bracket.locator('tr[data-participant]').count()).toBe(size);
  await bracket.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  await expect(bracket.locator('tr[data-participant]')).toHaveCount(64);
  await bracket.getByRole('button', { name: `Show all ${size}` }).press('Enter');
  await expect(bracket.locator('tr[data-participant]')).toHaveCount(size);

  // Results show at once in the matches, and in the table when the page has read it again, not once for each result.
  const { body } = await staff<Drawn>('GET', `/tournaments/${cup.id}/bracket`);
  const matches = body.stages[0]?.rounds[0]?.matches.slice(0, 6) ?? [];
  const row = bracket.getByRole('row', { name: /Guest 001/ });
  await expect(row).not.toContainText('3');
  let reads = 0;
  bracket.on('request', (request) => {
    if (request.url().includes('matches.bracket')) reads += 1;
  });
  const rule = ({ id, slots }: (typeof matches)[number]) =>
    staff('POST', `/matches/${id}/resolve`, { winnerId: slots[0]?.participantId });
  for (const ruled of await Promise.all(matches.map(rule))) expect(ruled.status, JSON.stringify(ruled.body)).toBe(200);
  await expect(row).toContainText('3', { timeout: 20_000 });
  expect(reads).toBeLessThan(matches.length);
});
