import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type BrowserContextOptions, test as base, expect, type Page } from 'playwright/test';
import type { Demo } from '../src/embedded/demo/demo';
import { readDemo } from './laurel';
import { openAs, type Rest, restAs } from './people';

export { expect } from 'playwright/test';

/** Settings of a tournament that tests choose; the others have the product's defaults. */
type Settings = Record<string, unknown>;

interface Fixtures {
  /** Accounts, keys and tournaments of the demo that the product under test was seeded with. */
  demo: Demo;
  /** The data directory of the product under test: emails are in its folder `mail`. */
  dataDir: string;
  /** A page in its own browser, signed in as the demo account; null is a visitor. */
  open: (email: string | null, path: string, options?: BrowserContextOptions) => Promise<Page>;
  /** REST as a demo account. */
  rest: (email: string) => Promise<Rest>;
  /** A tournament of the demo project, created over REST and published unless `publish` is false; starts tomorrow. */
  tournament: (settings?: Settings, publish?: boolean) => Promise<{ id: string; slug: string; name: string }>;
  /** The newest link to a page of Laurel in the emails to an address; waits until one arrives. */
  mailedLink: (email: string, page: string) => Promise<string>;
}

/** Looks for a link to `/page` in every email to the address. */
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

/** Waits until the last control of a page responds: while a page hydrates, it ignores keys. */
async function hydrated(page: Page): Promise<void> {
  if (!page.url().startsWith('http')) return;
  await page.waitForFunction(() => {
    const last = [...document.querySelectorAll('main :is(button, input, select, textarea, [tabindex])')].at(-1);
    return !last || Object.keys(last).some((key) => key.startsWith('__reactProps'));
  });
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
      if (options?.javaScriptEnabled !== false) await hydrated(page);
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

/** A name that is unique in this run and earlier ones. */
export const newName = (word = 'Trial') => `${word} ${randomUUID().slice(0, 8)}`;

/** The time `hours` from now, ISO 8601. */
export const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

/** A time as typed into a date and time field, in UTC. */
export const typedTime = (iso: string) => iso.slice(0, 16);
