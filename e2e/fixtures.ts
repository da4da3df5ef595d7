import { test as base } from 'playwright/test';
import type { Demo } from '../src/embedded/demo';
import { readDemo } from './laurel';

export { expect } from 'playwright/test';

interface Fixtures {
  /** Accounts, keys and tournaments of the demo that the product under test was seeded with. */
  demo: Demo;
  /** The data directory of the product under test: mails are in its folder `mail`. */
  dataDir: string;
}

/** Playwright's `test`, on the product that the run has started. */
export const test = base.extend<Fixtures>({
  baseURL: ({ browserName: _ }, use) => use(process.env.E2E_BASE_URL),
  dataDir: ({ browserName: _ }, use) => use(process.env.E2E_DATA_DIR ?? ''),
  demo: ({ dataDir }, use) => use(readDemo(dataDir)),
});
