import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type BrowserContextOptions, test as base, expect, type Page } from 'playwright/test';
import type { Demo } from '../src/embedded/demo/demo';
import { readDemo } from './laurel';
import { openAs, type Rest, restAs } from './people';

export { expect } from 'playwright/test';

/** What tests make of a tournament's settings; all others have the product's defaults. */
type Settings = Record<string, unknown>;

interface Fixtures {
  /** Accounts, keys and tournaments of the demo that the product under test was seeded with. */
  demo: Demo;
  /** The data directory of the product under test: mails are in its folder `mail`. */
  dataDir: string;
  /** A page in a browser of its own, signed in as the demo account; null is a visitor without one. */
  open: (email: string | null, path: string, options?: BrowserContextOptions) => Promise<Page>;
  /** REST as a demo account. */
  rest: (email: string) => Promise<Rest>;
  /** A tournament of the demo project, published unless `publish` is false, made over REST; begins tomorrow. */
  tournament: (settings?: Settings, publish?: boolean) => Promise<{ id: string; slug: string; name: string }>;
  /** The newest link to a page of ours in the mails to an address; waits until one has come. */
  mailedLink: (email: string, page: string) => Promise<string>;
}

/** Looks for a link to `/page` in every mail to the address. */
function linkIn(folder: string, email: string, page: string): string | undefined {
  const pattern = new RegExp(`https?://[^/\\s]+(/${page}[\\w?=/.-]+)`);
  let link: string | undefined;
  for (const file of readdirSync(folder).sort()) {
    if (!file.endsWith('.eml')) continue;
    // Long lines of the text part are folded with a soft break.
    const text = readFileSync(path.join(folder, file), 'utf8').replaceAll('=\r\n', '').replaceAll('=3D', '=');
    if (text.includes(`To: ${email}`)) link = pattern.exec(text)?.[1] ?? link;
  }
  return link;
}

/** Playwright's `test`, on the product that the run has started. */
export const test = base.extend<Fixtures>({
  baseURL: ({ browserName: _ }, use) => use(process.env.E2E_BASE_URL),
  dataDir: ({ browserName: _ }, use) => use(process.env.E2E_DATA_DIR ?? ''),
  demo: ({ dataDir }, use) => use(readDemo(dataDir)),
  open: async ({ browser, baseURL }, use) => {
    const pages: Page[] = [];
    await use(async (email, path, options) => {
      const page = await openAs(browser, baseURL ?? '', email, options);
      pages.push(page);
      await page.goto(path);
      return page;
    });
    for (const page of pages) await page.context().close();
  },
  rest: ({ baseURL }, use) => use((email) => restAs(baseURL ?? '', email)),
  tournament: async ({ rest, demo }, use) => {
    const organizer = await rest('organizer@demo.test');
    await use(async (settings = {}, publish = true) => {
      const made = await organizer<{ id: string; slug: string; name: string }>(
        'POST',
        `/projects/${demo.project.id}/tournaments`,
        { name: newName(), game: 'cs2', maxParticipants: 8, startDate: inHours(26), ...settings },
      );
      if (made.status !== 201) throw new Error(`No tournament: ${JSON.stringify(made.body)}`);
      if (publish) await organizer('POST', `/tournaments/${made.body.id}/publish`);
      return made.body;
    });
  },
  mailedLink: ({ dataDir }, use) =>
    use(async (email, page) => {
      const look = () => linkIn(path.join(dataDir, 'mail'), email, page);
      await expect.poll(look, { timeout: 30_000 }).toBeTruthy();
      return look() ?? '';
    }),
});

/** A name that nothing else has, in this run or an earlier one. */
export const newName = (word = 'Trial') => `${word} ${randomUUID().slice(0, 8)}`;

/** The moment that many hours from now, ISO 8601. */
export const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

/** What one types into a field for a date and time, on the clock of UTC. */
export const typedTime = (iso: string) => iso.slice(0, 16);
