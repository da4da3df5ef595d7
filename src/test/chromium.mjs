import { existsSync } from 'node:fs';
import { chromium } from 'playwright';

const known = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Path of a Chromium: PLAYWRIGHT_CHROMIUM, an installed one, or Playwright's own; undefined when there is none. */
export function findChromium() {
  return [process.env.PLAYWRIGHT_CHROMIUM, ...known, chromium.executablePath()].find(
    (file) => file && existsSync(file),
  );
}

/** Chromium without its sandbox, which containers do not allow, and without calls home. */
export const chromiumArgs = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--no-first-run',
];
