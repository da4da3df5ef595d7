import type { CDPSession, Page } from 'playwright/test';
import { expect, test } from '../fixtures';
import { playMatches, readMatches, startTournament } from '../played';

// What pages weigh and how much they move does not depend on the machine, so it is held here.

const maxScriptBytes = 200 * 1024;
const maxLayoutShift = 0.02;

/** A phone on a slow network: 1.6 Mbit/s, 150 ms. */
const slow = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 90_000 };

/** Counts the bytes of scripts as they were transferred. */
async function countScripts(client: CDPSession) {
  const scripts = new Set<string>();
  const pending = new Set<string>();
  let bytes = 0;
  client.on('Network.requestWillBeSent', ({ requestId, type }) => {
    if (type !== 'Script') return;
    scripts.add(requestId);
    pending.add(requestId);
  });
  client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength;
    pending.delete(requestId);
  });
  client.on('Network.loadingFailed', ({ requestId }) => void pending.delete(requestId));
  await client.send('Network.enable');
  return { pending: () => pending.size, bytes: () => bytes };
}

/** Adds up layout shifts from the first paint on, and keeps what moved. */
function observeShifts(page: Page) {
  return page.addInitScript(() => {
    type Shift = PerformanceEntry & { value: number; sources: { node: Node | null }[] };
    const seen = { shift: 0, moved: [] as string[] };
    Object.assign(window, { seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as Shift[]) {
        seen.shift += entry.value;
        const names = entry.sources.map(({ node }) => (node instanceof Element ? node.outerHTML : node?.textContent));
        seen.moved.push(`${entry.value.toFixed(4)} ${names.join(' | ').slice(0, 400)}`);
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

/** Opens a page on a slow phone and waits until it is complete and live. */
async function measure(page: Page, path: string, { isLive }: { isLive: boolean }) {
  const client = await page.context().newCDPSession(page);
  const scripts = await countScripts(client);
  await client.send('Network.emulateNetworkConditions', slow);
  await observeShifts(page);
  await page.goto(path, { timeout: 60_000 });
  if (isLive) await expect(page.getByText('Live updates')).toBeVisible({ timeout: 30_000 });
  await page.evaluate(() => document.fonts.ready);
  await expect.poll(scripts.pending).toBe(0);
  // Two frames later everything that the fonts and the first notice changed has been painted.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const { shift, moved } = await page.evaluate(
    () => (window as unknown as { seen: { shift: number; moved: string[] } }).seen,
  );
  return { bytes: scripts.bytes(), shift, moved };
}

test('public pages stay below their budgets for scripts and layout shift', async ({ open, rest, demo }) => {
  test.setTimeout(240_000);
  const { id, slug } = await startTournament(rest, demo.project, { format: 'double_elimination' }, 16);
  await playMatches(rest, id, 9);
  const match = (await readMatches(rest, id)).find(({ status }) => status === 'ready');
  const paths = [
    ['/', false],
    [`/tournaments/${slug}`, true],
    [`/tournaments/${slug}/bracket`, true],
    [`/tournaments/${slug}/matches/${match?.number}`, true],
    [`/tournaments/${slug}/standings`, true],
  ] as const;
  for (const zone of ['UTC', 'Asia/Kolkata']) {
    for (const [path, isLive] of paths) {
      // Nobody has been here before: no cookie, nothing cached.
      const page = await open(null, 'about:blank', { viewport: { width: 390, height: 844 }, timezoneId: zone });
      const { bytes, shift, moved } = await measure(page, path, { isLive });
      const figures = `${path} in ${zone}: ${(bytes / 1024).toFixed(0)} KB of scripts, layout shift ${shift.toFixed(4)}`;
      test.info().annotations.push({ type: 'figures', description: figures });
      expect.soft(bytes, `scripts of ${path}`).toBeGreaterThan(0);
      expect.soft(bytes, `scripts of ${path}`).toBeLessThanOrEqual(maxScriptBytes);
      expect.soft(shift, `layout shift of ${path}:\n${moved.join('\n')}`).toBeLessThanOrEqual(maxLayoutShift);
      await page.context().close();
    }
  }
});

test('the first paint of a returning visitor has the hours of their zone', async ({ open, tournament }) => {
  const { slug } = await tournament();
  const page = await open(null, `/tournaments/${slug}`, { timezoneId: 'Asia/Kolkata' });
  await expect(page.getByRole('main').locator('time', { hasText: 'GMT+5:30' }).first()).toBeVisible();
  await expect.poll(async () => (await page.context().cookies()).map(({ name }) => name)).toContain('laurel_zone');
  const html = await (await page.request.get(`/tournaments/${slug}`)).text();
  expect(html).toContain('GMT+5:30');
});

test('scripts are sent as the client takes them, and nothing outside their folder is', async ({ open }) => {
  const page = await open(null, '/');
  const script = await page.locator('script[src^="/_next/static/"]').first().getAttribute('src');
  const read = (path: string, encoding: string) => page.request.get(path, { headers: { 'accept-encoding': encoding } });
  const small = await read(script ?? '', 'gzip, br');
  expect(small.headers()).toMatchObject({ 'content-encoding': 'br', vary: 'Accept-Encoding' });
  expect(small.headers()['cache-control']).toContain('immutable');
  const plain = await read(script ?? '', 'identity');
  expect(plain.headers()['content-encoding']).toBeUndefined();
  expect(await small.text()).toBe(await plain.text());
  for (const path of ['/_next/static/..%2f..%2fpackage.js', '/_next/static/chunks/missing.js']) {
    expect((await read(path, 'br')).status()).toBe(404);
  }
});

test('pages do no costly work for strangers: no image is resized, and no long address is read', async ({ open }) => {
  const page = await open(null, '/');
  const status = async (path: string) => (await page.request.get(path)).status();
  expect(await status('/apple-icon.png')).toBe(200);
  for (const path of ['/apple-icon.png', '/x/../apple-icon.png', '/apple-icon.png#1']) {
    expect(await status(`/_next/image?url=${encodeURIComponent(path)}&w=640&q=75`)).toBe(404);
  }
  expect(await status(`/tournaments?${'a&'.repeat(7_000)}`)).toBe(400);
  expect(await status('/tournaments?search=%00')).toBe(400);
  for (const name of ['constructor', '__proto__']) {
    expect(await status(`/tournaments?when=${name}&phase=${name}&game=${name}&page=${name}`)).toBe(200);
  }
  const forms = { 'next-action': 'x', 'content-type': 'multipart/form-data; boundary=x' };
  expect((await page.request.post('/sign-in', { headers: forms, data: 'x' })).status()).toBe(200);
  for (const path of ['/_next/x', '/api/x']) {
    const missing = await page.request.post(path, { headers: forms, data: 'x' });
    expect([path, missing.status()]).toEqual([path, 404]);
    expect(missing.headers()['content-security-policy']).toContain("script-src 'self' 'nonce-");
  }
});

test('what Next.js keeps for itself is no failure when strangers ask for it', async ({ open }) => {
  const page = await open(null, '/');
  for (const path of ['/_global-error', '/_global-error/x', '/_not-found', '/_error', '/500']) {
    expect([path, (await page.request.get(path)).status()]).toEqual([path, 404]);
  }
  for (const state of ['x', '%E0%A4%A', '[]', '{"a":1}', '['.repeat(9_000)]) {
    const read = await page.request.get('/tournaments', { headers: { rsc: '1', 'next-router-state-tree': state } });
    expect([state.slice(0, 9), read.status()]).toEqual([state.slice(0, 9), 200]);
    expect(read.headers()['content-type']).toContain('text/x-component');
  }
});

test('an address that is too long for anything is no failure', async ({ open }) => {
  const page = await open(null, '/');
  for (const folder of ['teams', 'tournaments', 'claim', 'invitations', 'team-invitations']) {
    expect([folder, (await page.request.get(`/${folder}/${'x'.repeat(300)}`)).status()]).toEqual([folder, 404]);
  }
});
