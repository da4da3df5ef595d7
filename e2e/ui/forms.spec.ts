import type { BrowserContext, Page } from 'playwright/test';
import { expect, inHours, newName, test, typedTime } from '../fixtures';
import type { Rest } from '../people';

/** The label and the text or state of each control in the page's main part. */
function readControls(page: Page): Promise<string[]> {
  return page.locator('main').evaluate((main) => {
    const inputs = 'input:not([type=hidden], [type=file]), textarea, select';
    const roles = '[role=switch], [role=checkbox], [role=radio], [role=combobox]';
    const found = [...main.querySelectorAll<HTMLElement>(`:is(${inputs}, ${roles}):not([aria-hidden=true])`)];
    return found.map((control) => {
      const label = document.querySelector(`label[for="${CSS.escape(control.id || '?')}"]`) ?? control.closest('label');
      const name = control.getAttribute('aria-label') ?? label?.firstChild?.textContent ?? control.textContent;
      const isText = control.matches('input, textarea, select');
      const state = isText ? (control as HTMLInputElement).value : control.ariaChecked;
      return `${name}: ${state ?? control.textContent}`;
    });
  });
}

type Scene = { rest: (email: string) => Promise<Rest>; projectId: string };
/** A page with a form: its path and what the database has for some of its fields, `label: value`. */
type Form = { path: string; fields: string[] };
type Saved = Record<string, string>;

const owner = 'owner@demo.test';
const awkward = 'Ł “Ü” <Cup> & Söhne';

async function projectOf({ rest, projectId }: Scene): Promise<Saved> {
  return (await (await rest(owner))<Saved>('GET', `/projects/${projectId}`)).body;
}

async function editTournament({ rest, projectId }: Scene): Promise<Form> {
  const { body } = await (await rest(owner))<Saved>('POST', `/projects/${projectId}/tournaments`, {
    ...{ name: newName(awkward), game: 'cs2', format: 'groups_to_knockout', maxParticipants: 48 },
    ...{ description: 'First line\n\n**Second** line', rules: 'No <b>cheating</b>.', teamSize: 5, rosterMax: 7 },
    ...{ startDate: inHours(50), registrationClosesAt: inHours(48), timezone: 'Asia/Tokyo' },
    ...{ entryFee: { amount: 1250, currency: 'SEK' }, requiresApproval: true, noShowGraceMinutes: 25 },
    customFields: [{ key: 'rank', label: 'Your “rank”', type: 'text', required: true, visibility: 'organizers' }],
  });
  const { body: saved } = await (await rest(owner))<Saved>('GET', `/tournaments/${body.id}`);
  return {
    path: `/dashboard/demo/tournaments/${saved.slug}/edit`,
    fields: [
      ...[`Name: ${saved.name}`, `Page address: ${saved.slug}`, `Description: ${saved.description}`],
      ...[`Rules: ${saved.rules}`, `Team size: ${saved.teamSize}`, `Maximum roster size: ${saved.rosterMax}`],
      ...[`Maximum teams: ${saved.maxParticipants}`, 'Time zone: Asia/Tokyo', 'Require approval: true'],
      ...['Entry fee: 12.50', 'Currency of the entry fee: SEK', `No-show grace period: ${saved.noShowGraceMinutes}`],
    ],
  };
}

async function editWebhook({ rest, projectId }: Scene): Promise<Form> {
  const { body } = await (await rest(owner))<Saved>('POST', `/projects/${projectId}/developer/webhooks`, {
    ...{ url: 'http://127.0.0.1:9/hook?a=1&b="2"', description: newName(awkward), events: ['registration.*'] },
    ...{ timeoutMs: 4_500, maxRetries: 3, rateLimitConfig: { perMinute: 90 }, ipWhitelist: ['127.0.0.1'] },
    healthCheck: {
      enabled: true,
      url: 'http://127.0.0.1:9/health',
      intervalSeconds: 60,
      expectedStatusCodes: [200, 204],
    },
  });
  const { body: saved } = await (await rest(owner))<Saved>('GET', `/webhooks/subscriptions/${body.id}`);
  return {
    path: `/dashboard/demo/webhooks/${saved.id}/edit`,
    fields: [`URL: ${saved.url}`, `Description: ${saved.description}`, 'All events in Registration windows: true'],
  };
}

async function antiCheatRules({ rest, projectId }: Scene): Promise<Form> {
  type Rules = { rules: { name: string; enabled: boolean }[] };
  const { body } = await (await rest(owner))<Rules>('GET', `/projects/${projectId}/anti-cheat/rules/cs2`);
  return {
    path: '/dashboard/demo/anti-cheat/rules?game=cs2',
    fields: body.rules.map((rule) => `${rule.name}: ${rule.enabled}`),
  };
}

/** Every page with a form, with its viewer; null is a visitor. */
const forms: Record<string, { as: string | null; form: (scene: Scene) => Form | Promise<Form> }> = {
  'sign in': {
    as: null,
    form: () => ({ path: '/sign-in?email=me%2Byou@x.test', fields: ['Email address: me+you@x.test', 'Password: '] }),
  },
  'sign up': { as: null, form: () => ({ path: '/sign-up', fields: ['Name: ', 'Email address: ', 'Password: '] }) },
  'forgotten password': {
    as: null,
    form: () => ({ path: '/forgot-password?email=me@x.test', fields: ['Email address: me@x.test'] }),
  },
  profile: {
    as: owner,
    form: async ({ rest }) => {
      const { body: me } = await (await rest(owner))<Saved>('GET', '/me');
      return { path: '/settings', fields: [`Name: ${me.name}`] };
    },
  },
  security: { as: owner, form: () => ({ path: '/settings/security', fields: ['Current password: '] }) },
  notifications: {
    as: owner,
    form: async ({ rest }) => {
      const { body: me } = await (await rest(owner))<Saved>('GET', '/me');
      return { path: '/settings/notifications', fields: [`Registrations and teams: ${me.emailNotifications}`] };
    },
  },
  'new team': { as: owner, form: () => ({ path: '/teams/new', fields: ['Name: ', 'Tag: '] }) },
  'new project': { as: owner, form: () => ({ path: '/dashboard/new', fields: ['Name: ', 'URL: '] }) },
  'project settings': {
    as: owner,
    form: async (scene) => {
      const { name, slug } = await projectOf(scene);
      return { path: '/dashboard/demo/settings', fields: [`Name: ${name}`, `URL: ${slug}`] };
    },
  },
  'new tournament': {
    as: owner,
    form: () => ({ path: '/dashboard/demo/tournaments/new', fields: ['Name: ', 'Maximum players: 16'] }),
  },
  'settings of a tournament': { as: owner, form: editTournament },
  'new webhook': {
    as: owner,
    form: () => ({ path: '/dashboard/demo/webhooks/new', fields: ['URL: ', 'Description: '] }),
  },
  'settings of a webhook': { as: owner, form: editWebhook },
  'anti-cheat rules': { as: owner, form: antiCheatRules },
};

test.describe('a form has its values before any script runs', () => {
  for (const [name, { as, form }] of Object.entries(forms)) {
    test(name, async ({ open, rest, demo }) => {
      const { path, fields } = await form({ rest, projectId: demo.project.id });
      const errors: string[] = [];
      const painted = await readControls(await open(as, path, { javaScriptEnabled: false }));
      expect(painted).toEqual(expect.arrayContaining(fields));
      const page = await open(as, path);
      page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
      await page.reload();
      await expect.poll(() => readControls(page)).toEqual(painted);
      expect(errors).toEqual([]);
    });
  }
});

/** Opens a page whose scripts arrive only when the returned function is called. */
async function openSlowly(context: BrowserContext, path: string) {
  let arrive = () => {};
  const scripts = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const page = await context.newPage();
  await page.route('**/_next/static/**/*.js*', async (route) => {
    await scripts;
    await route.continue();
  });
  await page.goto(path, { waitUntil: 'commit' });
  return { page, arrive };
}

test.describe('what a person types before React is ready is kept', () => {
  test('a name, which can be saved', async ({ open, rest }) => {
    const player = 'player28@demo.test';
    const typed = newName('Ada');
    const first = await open(player, '/settings');
    const { page, arrive } = await openSlowly(first.context(), '/settings');
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill(typed);
    await name.evaluate((input: HTMLInputElement) => input.setSelectionRange(3, 3));
    arrive();
    await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeEnabled();
    await expect(name).toHaveValue(typed);
    expect(await name.evaluate((input: HTMLInputElement) => input.selectionStart)).toBe(3);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByText('Profile saved')).toBeVisible();
    expect((await (await rest(player))('GET', '/me')).body).toMatchObject({ name: typed });
  });

  test('an email address and a password, also when they are sent at once', async ({ open }) => {
    const visitor = await open(null, '/sign-up');
    const { page, arrive } = await openSlowly(visitor.context(), '/sign-in?next=/me');
    await page.getByLabel('Email address').fill('player29@demo.test');
    await page.getByLabel('Password', { exact: true }).fill('demo-password');
    await page.keyboard.press('Enter');
    expect(page.url()).not.toContain('demo-password');
    await expect(page.getByLabel('Email address')).toHaveValue('player29@demo.test');
    arrive();
    await page.waitForURL('**/me');
  });

  test('every kind of setting of a tournament', async ({ open, rest, tournament }) => {
    const made = await tournament({}, false);
    const first = await open(owner, '/dashboard/demo');
    const { page, arrive } = await openSlowly(first.context(), `/dashboard/demo/tournaments/${made.slug}/edit`);
    const closes = typedTime(inHours(20));
    await page.getByLabel('Description').fill('Typed\nearly');
    await page.getByLabel('Maximum players').fill('24');
    await page.getByLabel('Entry fee').first().fill('7.50');
    await page.getByLabel('Registration closes').fill(closes);
    arrive();
    await expect(page.locator('form')).toHaveAttribute('data-state', 'ready');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.waitForURL((url) => !url.pathname.endsWith('/edit'));
    const { body } = await (await rest(owner))<Saved>('GET', `/tournaments/${made.id}`);
    expect(body).toMatchObject({
      ...{ description: 'Typed\nearly', maxParticipants: 24, entryFee: { amount: 750 } },
    });
    expect(new Date(body.registrationClosesAt ?? 0).toISOString().slice(0, 16)).toBe(closes);
  });

  test('both fields of a project, the second of which follows the first', async ({ open }) => {
    const first = await open(owner, '/dashboard/demo');
    const { page, arrive } = await openSlowly(first.context(), '/dashboard/new');
    await page.getByRole('textbox', { name: 'Name' }).fill('Early Birds');
    await page.getByRole('textbox', { name: 'URL' }).fill('own-words');
    arrive();
    await expect(page.locator('form')).toHaveAttribute('data-state', 'ready');
    await expect(page.getByRole('textbox', { name: 'URL' })).toHaveValue('own-words');
  });

  test('a search, which starts', async ({ open }) => {
    const first = await open(null, '/sign-up');
    const { page, arrive } = await openSlowly(first.context(), '/tournaments/northern-lights-open/participants');
    await page.getByRole('searchbox', { name: 'Search participants' }).fill('nobody-has-this-name');
    arrive();
    await expect(page.getByText('No results for “nobody-has-this-name”')).toBeVisible();
  });
});
