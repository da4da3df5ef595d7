import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { bodyExamples } from '@/server/http/openapi/examples';
import { makeApiKey } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { hostTournament } from '@/test/tournaments';
import { type Route, routeTable } from './routes';

const api = setupTestServer();

/** What no field expects; each route gets a few of them in each of its fields. */
const hostile: readonly unknown[] = [
  ...[null, -1, 2_147_483_648, 9_007_199_254_740_992, 1e308, 1.5, true, '', 'a\0b', '\ud800', '\u202e'],
  ...['__proto__', 'constructor', 'x'.repeat(5_000), '-0', '1e5', 'NaN', "';--", '%00', 'http://[::1', 'javascript:1'],
  ...['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-14:00', '0001-01-01T00:00:00+14:00', '2027-02-30T00:00:00Z'],
  ...[[], [[]], [null], Array(300).fill('x'), {}, { constructor: 1 }],
];
const perField = 6;

type Ids = Readonly<Record<string, string>>;

/** The address of a route, with what exists where there is something. */
function pathOf({ pattern }: Route, ids: Ids): string {
  return pattern.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? `trn_${'0'.repeat(26)}`);
}

/** Requests to a route with one field at a time that holds what it does not expect. */
function requestsOf(route: Route, ids: Ids, offset: number): [path: string, body: object | undefined][] {
  const path = pathOf(route, ids);
  const base = bodyExamples[route.procedure.replaceAll('.', '-')] ?? {};
  const fields = [...route.input.keys()].filter((name) => !route.pathParameters.includes(name));
  return fields.flatMap((name, field) =>
    Array.from({ length: perField }, (_, at): [string, object | undefined] => {
      const value = hostile[(offset + field * perField + at) % hostile.length];
      if (route.takesBody) return [path, { ...base, [name]: value }];
      const text = typeof value === 'string' ? value.replace(/\p{Surrogate}/gu, '\u{fffd}') : JSON.stringify(value);
      return [`${path}?${name}=${encodeURIComponent(text)}`, undefined];
    }),
  );
}

test('no value in any field of any route is a failure of the server', { timeout: 120_000 }, async () => {
  const { id: tournamentId, project, owner } = await hostTournament(api);
  const { key } = await makeApiKey(project.id);
  await db.game.createMany({ data: [{ id: 'cs2', name: 'Counter-Strike 2' }], skipDuplicates: true });
  const ids = { tournamentId, projectId: project.id, userId: owner.id, game: 'cs2', group: '1' };
  const failed: unknown[] = [];
  let sent = 0;
  // Those about passwords and sessions are limited by network.
  const routes = routeTable.routes.filter(({ pattern }) => !/^\/auth\/|password|sign-out/.test(pattern));
  for (const [at, route] of routes.entries()) {
    const credential = route.access === 'apiKey' ? { apiKey: key } : { bearer: owner.bearer };
    const requests = requestsOf(route, ids, at);
    sent += requests.length;
    await Promise.all(
      requests.map(async ([path, body]) => {
        const { status } = await api.call(route.method, path, { ...credential, body });
        if (status >= 500) failed.push([route.method, path.slice(0, 200), JSON.stringify(body)?.slice(0, 300), status]);
      }),
    );
  }
  expect(failed).toEqual([]);
  expect(sent).toBeGreaterThan(1_000);
});
