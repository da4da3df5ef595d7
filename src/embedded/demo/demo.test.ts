import { Webhook } from 'standardwebhooks';
import { beforeAll, expect, test } from 'vitest';
import { Prisma } from '@/generated/prisma/client';
import { db } from '@/server/db';
import { setupTestServer } from '@/test/server';
import { renewDemo } from './dates';
import { type Demo, listTournaments, seedDemo } from './demo';
import { findCast } from './people';
import { continueDemo } from './played';

const api = setupTestServer();
let demo: Demo;
beforeAll(async () => {
  demo = await seedDemo({ baseUrl: api.url });
}, 60_000);

test('has the people, projects, keys and tournaments that its file promises', async () => {
  expect(demo.baseUrl).toBe(api.url);
  expect(demo.project.slug).toBe('demo');
  expect(demo.users.map((user) => user.email)).toEqual([
    ...['owner', 'organizer', 'moderator'].map((name) => `${name}@demo.test`),
    ...Array.from({ length: 32 }, (_, index) => `player${index + 1}@demo.test`),
  ]);
  expect(demo.users.slice(0, 4).map((user) => user.role)).toEqual(['OWNER', 'ORGANIZER', 'MODERATOR', 'PLAYER']);
  expect(demo.otherProjects.map(({ slug, plan }) => [slug, plan])).toEqual([
    ['demo-pro', 'pro'],
    ['demo-free', 'free'],
  ]);
  expect(new Set(demo.tournaments.map((tournament) => tournament.status))).toEqual(
    new Set(['PUBLISHED', 'DRAFT', 'CANCELLED', 'COMPLETED', 'IN_PROGRESS']),
  );
});

test('its keys are of the plans and scopes said', async () => {
  const read = async (apiKey: string) => (await api.get('/data/tournaments', { apiKey })).status;
  const [pro, free] = demo.otherProjects;
  expect([
    await read(demo.apiKeys.data),
    await read(demo.apiKeys.all),
    await read(demo.apiKeys.antiCheat),
    await read(pro?.apiKey ?? ''),
    await read(free?.apiKey ?? ''),
  ]).toEqual([200, 200, 403, 200, 403]);
});

test('its tournaments are in different phases, and their numbers agree with their rows', async () => {
  const bySlug = async (slug: string) => (await api.get<Record<string, unknown>>(`/tournaments/${slug}`)).body;
  expect(await bySlug('northern-lights-open')).toMatchObject({ registrationOpen: true, currentParticipants: 13 });
  expect(await bySlug('friday-night-rockets')).toMatchObject({
    checkInOpen: true,
    currentParticipants: 16,
    waitlistedParticipants: 4,
  });
  expect(await bySlug('budapest-wingman-masters')).toMatchObject({ registrationOpen: true, currentParticipants: 8 });
  expect(await bySlug('midlane-duels')).toMatchObject({ registrationOpen: false, status: 'PUBLISHED' });
  expect((await api.get('/tournaments/spring-invitational')).status).toBe(404);
  const rows = await db.tournament.findMany({
    select: {
      currentParticipants: true,
      _count: { select: { participants: { where: { registrationStatus: 'approved' } } } },
    },
  });
  for (const row of rows) expect(row.currentParticipants).toBe(row._count.participants);
});

test('a newcomer signs in as player1, who can enter one tournament and check in to another', async () => {
  const { body, status } = await api.post<{ accessToken: string }>('/auth/token', {
    body: { email: 'player1@demo.test', password: 'demo-password' },
  });
  expect(status).toBe(200);
  const bearer = `Bearer ${body.accessToken}`;
  expect((await api.post('/tournaments/northern-lights-open/participants/register', { bearer })).status).toBe(201);
  expect((await api.post('/tournaments/friday-night-rockets/participants/checkin/me', { bearer })).status).toBe(200);
});

test('has teams, entered with the rosters they have, and one that waits for player1', async () => {
  expect(await db.team.count({ where: { disbandedAt: null } })).toBe(13);
  const entered = await db.participant.findMany({
    where: { type: 'team' },
    select: { name: true, roster: { select: { userId: true } }, team: { include: { members: true } } },
  });
  expect(entered).toHaveLength(12);
  for (const { name, roster, team } of entered) {
    expect(team?.name).toBe(name);
    expect(roster.map(({ userId }) => userId).sort()).toEqual(team?.members.map(({ userId }) => userId).sort());
  }
  const open = await db.teamInvitation.findMany({
    where: { acceptedAt: null, declinedAt: null, revokedAt: null },
    select: { userId: true, team: { select: { name: true } } },
  });
  const player1 = demo.users.find(({ email }) => email === 'player1@demo.test');
  expect(open).toEqual([{ userId: player1?.id, team: { name: 'Night Owls' } }]);
});

test('has a webhook with a past to look into: what arrived, what arrived late, what never did and why', async () => {
  const { body } = await api.post<{ accessToken: string }>('/auth/token', {
    body: { email: 'owner@demo.test', password: 'demo-password' },
  });
  const bearer = `Bearer ${body.accessToken}`;
  const listed = await api.get<{ items: { id: string; status: string }[] }>('/webhooks/subscriptions', { bearer });
  const [subscription] = listed.body.items;
  expect(listed.body.items).toMatchObject([{ status: 'paused' }]);
  const rows = await db.webhookDelivery.findMany({ include: { attempts: { orderBy: { number: 'asc' } } } });
  expect(rows.length).toBeGreaterThan(30);
  expect(rows.filter(({ status }) => status === 'failed')).toHaveLength(1);
  const tries = rows.filter(({ status }) => status === 'delivered').map(({ attemptCount }) => attemptCount);
  expect(new Set(tries)).toEqual(new Set([1, 2, 7]));
  for (const { attempts, attemptCount, completedAt } of rows) {
    expect(attempts.map(({ number }) => number)).toEqual(attempts.map((_, index) => index + 1));
    expect(attempts).toHaveLength(attemptCount);
    expect(completedAt?.getTime()).toBeLessThan(Date.now());
  }
  const path = `/webhooks/subscriptions/${subscription?.id}`;
  const { body: secret } = await api.post<{ signingSecret: string }>(`${path}/reveal-secret`, { bearer });
  const sent = rows[0]?.attempts[0];
  const verifier = new Webhook(secret.signingSecret);
  const received = verifier.sign(rows[0]?.id ?? '', sent?.startedAt ?? new Date(0), sent?.requestBody ?? '');
  expect(sent?.requestHeaders).toMatchObject({ 'webhook-signature': received });
  const failed = await api.get<{ items: { id: string }[] }>(`${path}/deliveries?status=failed`, { bearer });
  const once = await api.get(`${path}/deliveries/${failed.body.items[0]?.id}`, { bearer });
  expect(JSON.stringify(once.body)).toContain('no scene for this tournament');
});

type Standings = { final: { rank: number }[] };
type Listed = { items: { status: string; report: unknown; completedAt: string | null; station: string | null }[] };

const running = () =>
  db.tournament.findFirstOrThrow({ where: { slug: { startsWith: 'versus-night' } }, orderBy: { createdAt: 'desc' } });
const matchesOf = async (id: string) => (await api.get<Listed>(`/tournaments/${id}/matches?limit=100`)).body.items;
const decidedIn = async (id: string) => (await matchesOf(id)).filter(({ status }) => status === 'completed').length;

async function goOn() {
  const cast = await findCast();
  if (!cast) throw new Error('nobody is there');
  return continueDemo(demo.project.id, cast);
}

test('one tournament is finished, with a champion, in the past', async () => {
  const { body } = await api.get<{ status: string; completedAt: string; startDate: string }>(
    '/tournaments/old-mill-blitz',
  );
  expect(body.status).toBe('COMPLETED');
  expect(Date.parse(body.completedAt)).toBeGreaterThan(Date.parse(body.startDate));
  expect(Date.parse(body.completedAt)).toBeLessThan(Date.now() - 8 * 86_400_000);
  const standings = await api.get<Standings>('/tournaments/old-mill-blitz/standings');
  expect(standings.body.final[0]?.rank).toBe(1);
  for (const { completedAt } of await matchesOf('old-mill-blitz')) {
    expect(Date.parse(completedAt ?? '')).toBeGreaterThan(Date.parse(body.startDate));
    expect(Date.parse(completedAt ?? '')).toBeLessThanOrEqual(Date.parse(body.completedAt));
  }
});

test('one is being played: results, a report that waits, a match that runs, and stations', async () => {
  const { id } = await running();
  const matches = await matchesOf(id);
  expect(matches.filter(({ status }) => status === 'completed')).toHaveLength(6);
  expect(matches.filter(({ report }) => report !== null)).toHaveLength(1);
  expect(matches.filter(({ status, report }) => status === 'in_progress' && report === null)).toHaveLength(1);
  expect(matches.filter(({ station }) => station !== null).length).toBeGreaterThan(1);
});

test('each start lets it go on a little and notifies nobody, until it is over and another begins', async () => {
  const first = await running();
  const before = await decidedIn(first.id);
  const pending = () => db.pendingEvent.count({ where: { projectId: demo.project.id } });
  const waiting = await pending();
  expect(await goOn()).toBe(true);
  expect(await decidedIn(first.id)).toBe(before + 3);
  expect(await pending()).toBe(waiting);

  // What a visitor disputes is left to them, and the rest goes on.
  const [disputed] = await db.match.findMany({ where: { tournamentId: first.id, report: { not: Prisma.DbNull } } });
  await db.match.update({ where: { id: disputed?.id ?? '' }, data: { status: 'disputed', confirmBy: null } });
  expect(await goOn()).toBe(true);
  expect((await db.match.findUniqueOrThrow({ where: { id: disputed?.id ?? '' } })).status).toBe('disputed');
  await db.match.update({ where: { id: disputed?.id ?? '' }, data: { status: 'in_progress' } });

  for (let start = 0; start < 12 && (await running()).id === first.id; start += 1) await goOn();
  const second = await running();
  expect([second.name, second.status]).toEqual(['Versus Night #2', 'IN_PROGRESS']);
  expect((await db.tournament.findUniqueOrThrow({ where: { id: first.id } })).status).toBe('COMPLETED');
  const listed = await listTournaments(demo);
  expect(listed.slice(0, demo.tournaments.length).map(({ id }) => id)).toEqual(demo.tournaments.map(({ id }) => id));
  expect(listed.at(-1)).toEqual({ id: second.id, slug: second.slug, status: 'IN_PROGRESS' });
  expect(await pending()).toBe(waiting);
}, 120_000);

test('a running tournament that people have changed is left as it is', async () => {
  const { id } = await running();
  const before = await decidedIn(id);
  await db.tournament.update({ where: { id }, data: { resultMode: 'staff' } });
  await db.match.updateMany({ where: { tournamentId: id }, data: { report: Prisma.DbNull, confirmBy: null } });
  expect(await goOn()).toBe(false);
  expect(await decidedIn(id)).toBe(before);
  await db.tournament.update({ where: { id }, data: { status: 'CANCELLED' } });
  expect(await goOn()).toBe(false);
  await db.tournament.delete({ where: { id } });
});

test('what it tells is history, and goes to nobody', async () => {
  const pending = await db.pendingEvent.findMany({ where: { projectId: demo.project.id } });
  const ids = pending.map(({ eventId }) => eventId);
  expect(await db.domainEvent.count({ where: { id: { in: ids }, type: 'tournament.created' } })).toBe(0);
  const first = await db.participant.findFirstOrThrow({ orderBy: { registeredAt: 'asc' } });
  expect(Date.now() - first.registeredAt.getTime()).toBeGreaterThan(5 * 86_400_000);
});

test('seeding again replaces what it made and leaves what others made', async () => {
  const organizer = await db.user.findUniqueOrThrow({ where: { email: 'organizer@demo.test' } });
  const tournament = await db.tournament.findUniqueOrThrow({ where: { slug: 'midlane-duels' } });
  const kept = await db.tournament.create({
    data: {
      ...tournament,
      customFields: [],
      formatOptions: {},
      entryFee: undefined,
      prizePool: undefined,
      id: 'trn_kept',
      slug: 'kept',
      name: 'Made by a visitor',
    },
  });
  const teams = await db.team.count();
  const again = await seedDemo({ baseUrl: api.url });
  expect(await db.team.count()).toBe(teams);
  expect(again.project.id).toBe(demo.project.id);
  expect(again.users).toEqual(demo.users);
  expect(again.tournaments.map(({ slug }) => slug)).toEqual(demo.tournaments.map(({ slug }) => slug));
  expect(await db.tournament.count({ where: { id: kept.id, createdById: organizer.id } })).toBe(1);
  expect(await db.tournament.count({ where: { projectId: demo.project.id } })).toBe(demo.tournaments.length + 1);
  expect((await api.get('/data/tournaments', { apiKey: demo.apiKeys.data })).status).toBe(401);
  expect((await api.get('/data/tournaments', { apiKey: again.apiKeys.data })).status).toBe(200);
}, 60_000);

test('a demo whose first start has passed is given the dates of a new one, but for what somebody has changed', async () => {
  expect(await renewDemo(Date.now())).toBe(0);
  expect(Date.parse(demo.freshUntil) - Date.now()).toBeGreaterThan(86_400_000);
  await db.$executeRaw`
    UPDATE tournament SET "startDate" = "startDate" - interval '8 days',
      "registrationOpensAt" = "registrationOpensAt" - interval '8 days',
      "registrationClosesAt" = "registrationClosesAt" - interval '8 days',
      "checkInOpensAt" = "checkInOpensAt" - interval '8 days',
      "checkInClosesAt" = "checkInClosesAt" - interval '8 days'`;
  await db.$executeRaw`UPDATE webhook_subscription SET "pausedAt" = "pausedAt" - interval '8 days'`;
  await db.$executeRaw`UPDATE webhook_delivery SET "createdAt" = "createdAt" - interval '8 days'`;
  const changed = new Date(Date.now() + 5 * 86_400_000);
  await db.tournament.update({
    where: { slug: 'budapest-wingman-masters' },
    data: { registrationClosesAt: changed, startDate: changed },
  });

  const open = { status: 'PUBLISHED' };
  expect(await renewDemo(Date.now())).toBe(6);
  const bySlug = async (slug: string) => (await api.get<Record<string, unknown>>(`/tournaments/${slug}`)).body;
  expect(await bySlug('northern-lights-open')).toMatchObject({ ...open, registrationOpen: true });
  expect(await bySlug('friday-night-rockets')).toMatchObject({ ...open, checkInOpen: true, currentParticipants: 16 });
  expect(await bySlug('midlane-duels')).toMatchObject({ ...open, registrationOpen: false });
  expect(await bySlug('harbour-city-fighters')).toMatchObject({ ...open, registrationOpen: true });
  expect(await bySlug('budapest-wingman-masters')).toMatchObject({ startDate: changed.toISOString() });
  const { _max } = await db.webhookDelivery.aggregate({ _max: { createdAt: true } });
  expect(Date.now() - (_max.createdAt?.getTime() ?? 0)).toBeLessThan(86_400_000);
  expect(_max.createdAt?.getTime()).toBeLessThan(Date.now());
  expect(await renewDemo(Date.now())).toBe(0);
});
