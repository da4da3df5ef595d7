import { expect, test } from '../fixtures';

const [captain, mate, bench] = ['player20@demo.test', 'player21@demo.test', 'player22@demo.test'];

test('a player whom a captain names accepts on their page or leaves from the tournament', async ({
  open,
  rest,
  tournament,
}) => {
  const cup = await tournament({ teamSize: 2, rosterMin: 2, rosterMax: 3 });
  const calls = await Promise.all([rest(captain), rest(mate), rest(bench)]);
  const people = await Promise.all(
    calls.map(async (call) => (await call<{ id: string; name: string }>('GET', '/me')).body),
  );
  const [own, first, second] = people as [(typeof people)[0], (typeof people)[0], (typeof people)[0]];
  const registered = await calls[0]('POST', `/tournaments/${cup.id}/participants/register`, {
    teamName: 'Roster Owls',
    teamMembers: [
      { userId: own.id, role: 'captain' },
      { userId: first.id, role: 'player' },
      { userId: second.id, role: 'substitute' },
    ],
  });
  expect(registered.status).toBe(201);

  const matesPage = await open(mate, '/me');
  const due = matesPage.getByRole('list', { name: 'To do now' }).getByRole('listitem').filter({ hasText: cup.name });
  await expect(due).toContainText(`${own.name} added you to Roster Owls.`);
  await due.getByRole('button', { name: `Accept playing in ${cup.name}` }).click();
  await expect(matesPage.getByText('Accepted')).toBeVisible();
  await expect(matesPage.getByRole('button', { name: `Accept playing in ${cup.name}` })).toBeHidden();
  await expect(matesPage.getByRole('button', { name: `Leave ${cup.name}` })).toBeVisible();

  const benchPage = await open(bench, `/tournaments/${cup.slug}`);
  await expect(benchPage.getByText(`${own.name} added you to Roster Owls.`)).toBeVisible();
  await benchPage.getByRole('button', { name: `Leave ${cup.name}` }).click();
  await benchPage.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click();
  await expect(benchPage.getByText('Registration is open')).toBeVisible();

  const captainsPage = await open(captain, `/tournaments/${cup.slug}`);
  const roster = captainsPage.getByRole('list', { name: 'Roster' });
  await expect(roster.getByRole('listitem')).toHaveCount(2);
  await expect(roster).not.toContainText('not accepted yet');
});

test('project settings say how much of each limit is used', async ({ open }) => {
  const page = await open('owner@demo.test', '/dashboard/demo/settings');
  await expect(page.getByRole('heading', { name: 'Limits' })).toBeVisible();
  await expect(page.getByRole('progressbar', { name: 'Webhook subscriptions' })).toHaveAttribute(
    'aria-valuemax',
    '200',
  );
});
