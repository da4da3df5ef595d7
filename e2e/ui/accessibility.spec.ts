import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright/test';
import type { Demo } from '../../src/embedded/demo/demo';
import { raiseDetections } from '../detections';
import { expect, newName, test } from '../fixtures';
import type { Rest } from '../people';
import { playMatches, startTournament } from '../played';

type Settings = { rest: (email: string) => Promise<Rest>; project: { id: string; slug: string }; demo: Demo };
type Visit = {
  /** The path to open, for routes with a dynamic segment. */
  path?: string | ((settings: Settings) => Promise<string>);
  /** The account that opens it: the demo's owner by default, null for a visitor. */
  as?: string | null;
};

const player = 'player1@demo.test';
const desk = '/dashboard/demo';
const demoTournament = '/tournaments/northern-lights-open';

/** Settings for the routes with a dynamic segment or another viewer than the demo's owner. All routes are tested. */
const visits: Record<string, Visit> = {
  '/': { as: null },
  '/forgot-password': { as: null },
  '/reset-password': { as: null },
  '/sign-in': { as: null },
  '/sign-up': { as: null },
  '/verify-email': { as: null },
  '/unsubscribe': { as: null, path: '/unsubscribe?token=unknown' },
  '/invitations/[token]': { as: null, path: '/invitations/unknown' },
  '/team-invitations/[token]': { as: null, path: '/team-invitations/unknown' },
  '/claim/[token]': { as: null, path: claimPage },
  '/dashboard/[project]': { path: desk },
  '/dashboard/[project]/anti-cheat': {
    path: async (settings) => `${desk}/anti-cheat?detection=${await raisedDetection(settings)}`,
  },
  '/dashboard/[project]/anti-cheat/rules': { path: `${desk}/anti-cheat/rules` },
  '/dashboard/[project]/anti-cheat/sessions': { path: `${desk}/anti-cheat/sessions` },
  '/dashboard/[project]/anti-cheat/sessions/[session]': {
    path: async (settings) => `${desk}/anti-cheat/sessions/${await raisedSession(settings)}`,
  },
  '/dashboard/[project]/anti-cheat/detections/[detection]': {
    path: async (settings) => `${desk}/anti-cheat/detections/${await raisedDetection(settings)}`,
  },
  '/dashboard/[project]/api-keys': { path: `${desk}/api-keys` },
  '/dashboard/[project]/members': { path: `${desk}/members` },
  '/dashboard/[project]/settings': { path: `${desk}/settings` },
  '/dashboard/[project]/settings/audit-log': { path: `${desk}/settings/audit-log` },
  '/dashboard/[project]/tournaments': { path: `${desk}/tournaments` },
  '/dashboard/[project]/tournaments/new': { path: `${desk}/tournaments/new` },
  '/dashboard/[project]/tournaments/[tournament]': { path: desk + demoTournament },
  '/dashboard/[project]/tournaments/[tournament]/edit': { path: `${desk + demoTournament}/edit` },
  '/dashboard/[project]/webhooks': { path: async (settings) => (await failingWebhook(settings)).list },
  '/dashboard/[project]/webhooks/new': { path: `${desk}/webhooks/new` },
  '/dashboard/[project]/webhooks/[id]': { path: async (settings) => (await failingWebhook(settings)).detail },
  '/dashboard/[project]/webhooks/[id]/[delivery]': { path: async (made) => (await failingWebhook(made)).delivery },
  '/dashboard/[project]/webhooks/[id]/edit': {
    path: async (settings) => `${(await failingWebhook(settings)).detail}/edit`,
  },
  '/docs/api/[section]': { as: null, path: '/docs/api/tournaments' },
  '/me': { as: player },
  '/teams/[teamId]': { as: player, path: ownTeam },
  '/tournaments': { as: null },
  '/tournaments/[slug]': { as: player, path: demoTournament },
  '/tournaments/[slug]/bracket': { as: null, path: async (made) => `/tournaments/${await played(made)}/bracket` },
  '/tournaments/[slug]/matches': { as: null, path: async (made) => `/tournaments/${await played(made)}/matches` },
  '/tournaments/[slug]/matches/[match]': {
    as: player,
    path: async (made) => `/tournaments/${await played(made)}/matches/1`,
  },
  '/tournaments/[slug]/standings': { as: null, path: async (made) => `/tournaments/${await played(made)}/standings` },
  '/embed/tournaments/[slug]': { as: null, path: async (made) => `/embed/tournaments/${await played(made)}` },
  '/overlay/tournaments/[slug]': { as: null, path: async (made) => `/overlay/tournaments/${await played(made)}` },
  '/venue/tournaments/[slug]': { as: null, path: async (made) => `/venue/tournaments/${await played(made)}` },
  '/tournaments/[slug]/participants': { as: null, path: `${demoTournament}/participants` },
  '/tournaments/[slug]/rules': { as: null, path: `${demoTournament}/rules` },
};

/** `(auth)/invitations/[token]/page.tsx` is the page of `/invitations/[token]`. */
const routes = readdirSync('src/app', { recursive: true, encoding: 'utf8' })
  .map((file) => `/${file.replaceAll('\\', '/')}`)
  .filter((file) => file.endsWith('/page.tsx'))
  .map((file) => file.replace(/\/page\.tsx$/, '').replaceAll(/\/\([^)]*\)/g, '') || '/')
  .sort();

/** Creates a subscription whose endpoint does not respond, with one delivery. */
async function failingWebhook({ rest, project }: Settings) {
  const owner = await rest('owner@demo.test');
  const made = await owner<{ id: string }>('POST', `/projects/${project.id}/developer/webhooks`, {
    url: 'http://127.0.0.1:9/nobody',
    events: ['tournament.created'],
  });
  const list = `/dashboard/${project.slug}/webhooks`;
  const detail = `${list}/${made.body.id}`;
  await owner('POST', `/projects/${project.id}/tournaments`, {
    ...{ name: newName('Failing webhook'), game: 'cs2', maxParticipants: 4 },
    startDate: new Date(Date.now() + 86_400_000).toISOString(),
  });
  const deliveries = () =>
    owner<{ items: { id: string; attempts: number }[] }>('GET', `/webhooks/subscriptions/${made.body.id}/deliveries`);
  await expect.poll(async () => (await deliveries()).body.items.length, { timeout: 30_000 }).toBeGreaterThan(0);
  return { list, detail, delivery: `${detail}/${(await deliveries()).body.items[0]?.id}` };
}

/** A session that runs, of a player who ran a blocked program. */
async function raisedSession(settings: Settings): Promise<string> {
  return (await raiseDetections(settings, ['player30@demo.test'], { keepsRunning: true })).sessionId;
}

/** A detection of a player who ran a blocked program. */
async function raisedDetection(settings: Settings): Promise<string> {
  const { detections } = await raiseDetections(settings, ['player31@demo.test']);
  return detections[0]?.id ?? '';
}

/** The slug of a started double elimination of five, one match played. */
async function played({ rest, project }: Settings): Promise<string> {
  const { slug, id } = await startTournament(rest, project, { format: 'double_elimination' }, 5);
  await playMatches(rest, id, 1);
  return slug;
}

/** The page of a claim link for a guest of a new tournament. */
async function claimPage({ rest, project }: Settings): Promise<string> {
  const staff = await rest('organizer@demo.test');
  const { body: made } = await staff<{ id: string }>('POST', `/projects/${project.id}/tournaments`, {
    ...{ name: newName('Claimed'), game: 'cs2', maxParticipants: 4 },
    startDate: new Date(Date.now() + 86_400_000).toISOString(),
  });
  const { body: added } = await staff<{ items: { id: string }[] }>('POST', `/tournaments/${made.id}/participants`, {
    name: 'Ada',
  });
  const path = `/tournaments/${made.id}/participants/${added.items[0]?.id}/claim-link`;
  return `/claim/${(await staff<{ token: string }>('POST', path)).body.token}`;
}

async function ownTeam({ rest }: Settings): Promise<string> {
  const made = await (await rest(player))<{ id: string }>('POST', '/teams', { name: newName('Laurel Readers') });
  return `/teams/${made.body.id}`;
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The serious and critical violations that axe finds, one line each. */
async function violations(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  const { violations: found } = await page.evaluate((only) => {
    const { axe: engine } = window as unknown as { axe: { run: (options: object) => Promise<AxeResults> } };
    return engine.run({ resultTypes: ['violations'], ...(only ? { runOnly: only } : {}) });
  }, rules);
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id} ${target}: ${failureSummary}`));
}

/** Collects uncaught errors and errors in the browser's console, such as blocked scripts. */
function collectErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    // Not-found pages themselves respond with 404.
    if (message.type() === 'error' && !/status of 404/.test(message.text())) errors.push(message.text());
  });
  return errors;
}

/** Checks the page in light and dark, on a desktop and on a phone. */
async function checkAppearances(page: Page) {
  const wide = { width: 1440, height: 900 };
  for (const size of [wide, { width: 390, height: 844 }]) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    expect(await violations(page), `at ${size.width} px`).toEqual([]);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow, `horizontal overflow at ${size.width} px`).toBeLessThanOrEqual(0);
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    expect(await violations(page, ['color-contrast']), `at ${size.width} px, dark`).toEqual([]);
  }
}

async function waitUntilLoaded(page: Page) {
  await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
  await expect(page.getByRole('status', { name: /^Loading/ })).toHaveCount(0);
}

test.describe.configure({ mode: 'parallel' });

test.describe('pages are accessible, on phones too, and report no errors', () => {
  for (const route of routes) {
    test(route, async ({ open, rest, demo }) => {
      const { path = route, as = 'owner@demo.test' } = visits[route] ?? {};
      const address = typeof path === 'string' ? path : await path({ rest, project: demo.project, demo });
      expect(address, `add a path for ${route} to "visits"`).not.toContain('[');
      const page = await open(as, 'about:blank', { reducedMotion: 'reduce', colorScheme: 'light' });
      const errors = collectErrors(page);
      const response = await page.goto(address);
      expect(response?.headers()['content-security-policy']).toContain("default-src 'self'");
      await waitUntilLoaded(page);
      await checkAppearances(page);
      expect(errors).toEqual([]);
    });
  }
});

type Layer = { path: string; as?: string; role?: 'dialog' | 'menu'; open: (page: Page) => Promise<unknown> };
const owner = 'owner@demo.test';
const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name, exact: true }).click();

/** Dialogs and menus, and how to open them. */
const layers: Record<string, Layer> = {
  'keyboard shortcuts': { path: '/tournaments', open: (page) => page.keyboard.press('?') },
  'command menu': { path: '/tournaments', open: (page) => page.keyboard.press('Control+k') },
  'account menu': { path: '/', as: player, role: 'menu', open: press(/^Account:/) },
  'invite member': { path: `${desk}/members`, as: owner, open: press('Invite member') },
  'new API key': { path: `${desk}/api-keys`, as: owner, open: press('New API key') },
  'add a station': {
    path: `${desk}/tournaments/versus-night-1`,
    as: 'moderator@demo.test',
    open: press('Add station'),
  },
  'register a team': {
    path: '/tournaments/budapest-wingman-masters',
    as: 'player32@demo.test',
    open: press('Register a team'),
  },
};

test.describe('dialogs and menus are accessible and close with Escape', () => {
  for (const [name, { path, as = null, role = 'dialog', open: openLayer }] of Object.entries(layers)) {
    test(name, async ({ open }) => {
      const page = await open(as, path, { reducedMotion: 'reduce', colorScheme: 'light' });
      await waitUntilLoaded(page);
      const layer = page.getByRole(role);
      // A page that is still hydrating ignores keys.
      await expect(async () => {
        await openLayer(page);
        await expect(layer).toBeVisible({ timeout: 1_000 });
      }).toPass();
      await checkAppearances(page);
      await page.keyboard.press('Escape');
      await expect(layer).toBeHidden();
    });
  }
});
