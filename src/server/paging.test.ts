import { describe, expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { db } from '@/server/db';
import { boundPage, pageArgs, totalOf } from '@/server/paging';
import { readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import { makeDeliveries } from '@/test/deliveries';
import { emitEvents, makeProject, makeSubscription, makeTournament, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { statementsOf } from '@/test/statements';

type Page = { items: { id: string }[]; total: number; limit: number; totalPages: number; hasNext: boolean };

const api = setupTestServer();

/** Half a mebibyte, and what the fields of fixed length of a hundred items take. */
const mostBytes = 512 * 1024 + 100 * 1024;
const mostGames = 2_000;

const bytesOf = (text: string) => Buffer.byteLength(text);
const gamesIn = (text: string) => text.split('"scores"').length - 1;

/** All pages of a list, of each its text. Expects every item to be on one page. */
async function readAll(path: string, bearer?: string): Promise<string[]> {
  const texts: string[] = [];
  const ids: string[] = [];
  for (let page = 1, last = false; !last; page++) {
    const { body, text, status } = await api.get<Page>(`${path}?limit=100&page=${page}`, { bearer });
    expect(status, text).toBe(200);
    expect(body.items.length).toBeLessThanOrEqual(body.limit);
    expect(body.totalPages).toBe(Math.ceil(body.total / body.limit));
    texts.push(text);
    ids.push(...body.items.map(({ id }) => id));
    last = !body.hasNext;
    if (last) expect(new Set(ids).size).toBe(body.total);
  }
  expect(new Set(ids).size).toBe(ids.length);
  return texts;
}

const sizes = (texts: string[], sizeOf: (text: string) => number) => Math.max(...texts.map(sizeOf));

describe('a page is bounded by its largest item', () => {
  const limitOf = (bytes: number | null, parts: number | null) =>
    boundPage({ page: 3, limit: 100 }, { bytes, parts }).limit;

  test('and not at all by ordinary ones', () => {
    expect([limitOf(null, null), limitOf(5_000, null), limitOf(null, 20)]).toEqual([100, 100, 100]);
  });

  test('in bytes, in parts, and in both together', () => {
    expect([limitOf(16 * 1024, null), limitOf(null, 40), limitOf(16 * 1024, 40)]).toEqual([32, 50, 19]);
    expect(limitOf(10_000_000, null)).toBe(1);
  });
});

describe('the total of a list', () => {
  const limit = 3;

  test('is known from a page with room left, and counted otherwise', async () => {
    const counted: [number, number][] = [];
    for (const items of [0, 1, 3, 4, 6]) {
      for (const page of [1, 2, 3]) {
        const args = pageArgs({ page, limit });
        const found = Math.max(0, Math.min(limit, items - args.skip));
        const total = await totalOf(args, found, async () => {
          counted.push([items, page]);
          return items;
        });
        expect(total).toBe(items);
      }
    }
    // Full pages, and those after the last one.
    expect(counted.join(' ')).toBe('0,2 0,3 1,2 1,3 3,1 3,2 3,3 4,1 4,3 6,1 6,2 6,3');
  });

  test('of webhook deliveries is not counted where one page has all', async () => {
    const { project, owner } = await makeProject();
    const subscription = await makeSubscription(project.id, { url: 'https://example.com/hook' });
    await makeDeliveries(subscription, await emitEvents(project.id, 3));
    const path = `/webhooks/subscriptions/${subscription.id}/deliveries`;
    const countsOf = async (query: string) => {
      let total = 0;
      const sent = await statementsOf(async () => {
        total = (await api.get<Page>(path + query, { bearer: owner.bearer })).body.total;
      });
      return [total, sent.filter((text) => text.includes('count(*)') && text.includes('webhook_delivery')).length];
    };
    expect(await countsOf('')).toEqual([3, 0]);
    expect(await countsOf('?limit=2')).toEqual([3, 1]);
  });
});

describe('games', () => {
  const games = Array.from({ length: 99 }, (_, at) => ({ scores: [at, 3], winner: 0 }));

  test('bound the matches of a tournament, in any filter', async () => {
    const cup = await startCup(api, 32);
    const path = `/tournaments/${cup.tournamentId}/matches`;
    const before = await readAll(path);
    expect(before).toHaveLength(1);
    const inRound = (round: number) => ({ tournamentId: cup.tournamentId, round });
    const report = { by: 'prt_1', games, winnerId: null, reportedAt: new Date().toISOString() };
    const played = await db.match.updateMany({ where: inRound(1), data: { games } });
    const reported = await db.match.updateMany({ where: inRound(2), data: { report } });
    const pages = await readAll(path);
    expect(gamesIn(pages.join())).toBe((played.count + reported.count) * games.length);
    expect(sizes(pages, gamesIn)).toBeLessThanOrEqual(mostGames);
    const { body } = await api.get<Page>(`${path}?limit=100&round=3`);
    expect([body.total, body.limit]).toEqual([4, 100]);
  });

  test("bound a player's own matches", async () => {
    const cup = await startCup(api, 32);
    const [participantAId = ''] = cup.participantIds;
    await db.match.updateMany({ where: { tournamentId: cup.tournamentId }, data: { games, participantAId } });
    const pages = await readAll('/me/matches', await cup.bearerOf(participantAId));
    expect(pages.length).toBeGreaterThan(1);
    expect(sizes(pages, gamesIn)).toBeLessThanOrEqual(mostGames);
  });

  test('bound the thread of a match', async () => {
    const cup = await startCup(api, 2);
    const [match] = await readMatches(api, cup.tournamentId);
    const matchId = match?.id ?? '';
    const result = { decidedBy: 'result', participantIds: [null, null], winnerId: null };
    const details = { result: { ...result, games: games.map(({ scores }) => ({ scores, winnerId: null })) } };
    await db.matchMessage.createMany({
      data: Array.from({ length: 30 }, () => ({ id: newId('mms'), matchId, kind: 'report' as const, details })),
    });
    const pages = await readAll(`/matches/${matchId}/messages`, cup.moderator.bearer);
    expect(pages.length).toBeGreaterThan(1);
    expect(sizes(pages, gamesIn)).toBeLessThanOrEqual(mostGames);
  });
});

describe('answers', () => {
  const keys = Array.from({ length: 15 }, (_, at) => `essay${at}`);
  const long = Object.fromEntries(keys.map((key) => [key, 'x'.repeat(2_000)]));
  const questions = keys.map((key) => ({ key, label: key, type: 'text', required: false }));

  /** A tournament with `count` participants with long answers. */
  async function asking(count: number, visibility: 'public' | 'organizers') {
    const { project, owner } = await makeProject();
    const cup = await makeTournament(project.id, {
      customFields: questions.map((question) => ({ ...question, visibility })),
      maxParticipants: 64,
    });
    await db.participant.createMany({
      data: Array.from({ length: count }, (_, at) => ({
        id: newId('prt'),
        tournamentId: cup.id,
        name: `Guest ${at}`,
        registrationStatus: 'approved' as const,
        customFields: long,
      })),
    });
    return { path: `/tournaments/${cup.id}/participants`, owner };
  }

  test('bound the participants where they are shown, and only there', async () => {
    const shown = await asking(40, 'public');
    const hidden = await asking(40, 'organizers');
    for (const [path, bearer] of [
      [shown.path, undefined],
      [shown.path, shown.owner.bearer],
      [hidden.path, hidden.owner.bearer],
    ] as const) {
      const pages = await readAll(path, bearer);
      expect(pages.length).toBeGreaterThan(1);
      expect(sizes(pages, bytesOf)).toBeLessThanOrEqual(mostBytes);
    }
    const [everyone, ...more] = await readAll(hidden.path);
    expect(more).toEqual([]);
    expect(everyone).not.toContain('xxx');
  });

  test("bound a player's registrations, and are not read for the pages that do not show them", async () => {
    const player = await makeUser();
    const { project } = await makeProject();
    for (let at = 0; at < 20; at++) {
      const { id: tournamentId } = await makeTournament(project.id, { customFields: questions });
      await db.participant.create({
        data: {
          ...{ id: newId('prt'), tournamentId, userId: player.id, name: 'Ada', type: 'team', customFields: long },
          ...{ registrationStatus: 'approved', acceptedAt: null },
          roster: { create: [{ tournamentId, userId: player.id, role: 'captain', acceptedAt: null }] },
        },
      });
    }
    const pages = await readAll('/me/registrations', player.bearer);
    expect(pages.length).toBeGreaterThan(1);
    expect(sizes(pages, bytesOf)).toBeLessThanOrEqual(mostBytes);

    const summaries = { when: 'current', page: 1, limit: 100 } as const;
    const trpc = api.trpc(player.bearer);
    const sent = await statementsOf(async () => {
      const { items, limit } = await trpc.participants.myRegistrationSummaries.query(summaries);
      expect([items.length, limit]).toEqual([20, 100]);
      expect(items[0]).toMatchObject({ isCaptain: true, mustAccept: true, tournament: { name: expect.any(String) } });
      expect(items[0]).not.toHaveProperty('roster');
    });
    expect(sent.filter((text) => text.includes('customFields"'))).toEqual([]);
  });

  test('a page of long rosters is read without an object of Prisma for each player', async () => {
    const { path, owner } = await asking(3, 'organizers');
    const [first] = await db.participant.findMany({ where: { name: 'Guest 0' }, orderBy: { id: 'desc' }, take: 1 });
    const { id: participantId = '', tournamentId = '' } = first ?? {};
    const accepted = new Date('2026-11-01T00:00:00.000Z');
    const player = await makeUser({ name: 'Zoe' });
    const place = { participantId, tournamentId, role: 'player' as const };
    await db.rosterMember.createMany({
      data: [
        ...Array.from({ length: 39 }, (_, at) => ({ ...place, name: `Guest player ${at}`, acceptedAt: accepted })),
        { ...place, userId: player.id, acceptedAt: null },
      ],
    });
    let text = '';
    const sent = await statementsOf(async () => {
      ({ text } = await api.get(`${path}?search=Zoe`, owner));
    });
    expect(JSON.parse(text).items).toMatchObject([{ id: participantId, notAccepted: [player.id] }]);
    expect(JSON.parse(text).items[0].roster).toHaveLength(40);
    expect(JSON.parse(text).items[0].roster[39]).toEqual({ userId: player.id, name: 'Zoe', role: 'player' });
    expect(sent.filter((statement) => statement.includes('FROM "public"."roster_member"'))).toEqual([]);
  });
});

test('a delivery is read with as many of its newest attempts as a page has bytes', async () => {
  const { project, owner } = await makeProject();
  const subscription = await makeSubscription(project.id, { url: 'http://127.0.0.1:9/hook' });
  const [deliveryId = ''] = await makeDeliveries(subscription, await emitEvents(project.id, 1));
  const responseBody = 'x'.repeat(16 * 1024);
  await db.webhookAttempt.createMany({
    data: Array.from({ length: 60 }, (_, at) => {
      return { id: newId('wha'), deliveryId, number: at + 1, requestBody: '{}', responseBody };
    }),
  });
  const path = `/webhooks/subscriptions/${subscription.id}/deliveries/${deliveryId}`;
  const { body, text } = await api.get<{ attempts: { number: number }[] }>(path, owner);
  expect(body.attempts.map(({ number }) => number)).toEqual(Array.from({ length: 31 }, (_, at) => at + 30));
  expect(bytesOf(text)).toBeLessThanOrEqual(mostBytes);
});

describe('details and filters', () => {
  const ids = Array.from({ length: 500 }, () => newId('trn'));

  test('bound the audit log, replays and subscriptions', async () => {
    const { project, owner } = await makeProject();
    const subscription = await makeSubscription(project.id, { url: 'http://127.0.0.1:9/hook' });
    const common = { projectId: project.id, createdById: owner.id };
    await db.auditEntry.createMany({
      data: Array.from({ length: 50 }, () => ({
        ...{ id: newId('aud'), projectId: project.id, actorType: 'system', action: 'standings.rule' },
        ...{ targetType: 'stage', targetId: 'stg_1', details: { order: ids } },
      })),
    });
    await db.webhookReplay.createMany({
      data: Array.from({ length: 50 }, () => ({
        ...{ id: newId('whr'), ...common, subscriptionId: subscription.id, total: 500, finishedAt: new Date() },
        filter: { statuses: ['failed'], deliveryIds: ids },
      })),
    });
    const condition = { field: 'payload.tournamentId', operator: 'in', value: ids.slice(0, 100) };
    const conditions = Array.from({ length: 5 }, () => condition);
    for (let at = 0; at < 50; at++) {
      await makeSubscription(project.id, { url: `http://127.0.0.1:9/${at}`, filters: { conditions } });
    }
    for (const path of [
      `/projects/${project.id}/audit-log`,
      `/webhooks/subscriptions/${subscription.id}/replays`,
      '/webhooks/subscriptions',
    ]) {
      const pages = await readAll(path, owner.bearer);
      expect(pages.length, path).toBeGreaterThan(1);
      expect(sizes(pages, bytesOf), path).toBeLessThanOrEqual(mostBytes);
    }
  });
});
