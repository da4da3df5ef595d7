import '@/test/store';
import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { imageLimit } from '@/domain/files/images';
import { env } from '@/env';
import { db } from '@/server/db';
import { liveEvents } from '@/server/events/live-events';
import { takeQuota } from '@/server/limits/take-quota';
import { readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import type { MatchOutput } from '@/server/routers/matches/schema';
import { expiredMedia, removeExpired } from '@/server/storage/media';
import { headObject } from '@/server/storage/object-store';
import { makeApiKey, makeUser } from '@/test/factories';
import { png } from '@/test/images';
import { setupTestServer } from '@/test/server';
import type { MessageOutput } from './schema';

const api = setupTestServer();

type Thread = { items: MessageOutput[]; total: number; names: Record<string, string>; canPost: boolean };
type Grant = { uploadUrl: string; mediaFileId: string; key: string; requiredHeaders: Record<string, string> };

const image = () => png(1_500);
const describeImage = (bytes: Buffer) => ({
  contentType: 'image/png',
  sizeBytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
});
/** A signed address on the port of this test's server. */
const here = (url: string) => url.replace(env.PUBLIC_URL ?? '', api.url);
const won = { games: [{ scores: [1, 0] as [number, number] }] };
const lost = { games: [{ scores: [0, 1] as [number, number] }] };

/** A running cup of four: its first match with the bearers of both sides and of a player of another match. */
async function setup() {
  const cup = await startCup(api, 4);
  const [match] = await readMatches(api, cup.tournamentId);
  if (!match) throw new Error('no match');
  const [a, b] = match.slots.map(({ participantId }) => participantId ?? '');
  const other = cup.participantIds.find((id) => id !== a && id !== b);
  return {
    ...cup,
    match,
    participants: [a, b] as const,
    a: await cup.bearerOf(a),
    b: await cup.bearerOf(b),
    other: await cup.bearerOf(other),
    staff: cup.moderator.bearer,
  };
}
type Setup = Awaited<ReturnType<typeof setup>>;

const call = (it: Setup, what: string, bearer: string, body: unknown = {}) =>
  api.post<MatchOutput>(`/matches/${it.match.id}/${what}`, { bearer, body });
const read = async (it: Setup, bearer: string) =>
  (await api.get<Thread>(`/matches/${it.match.id}/messages`, { bearer })).body;
const post = (it: Setup, bearer: string, body: unknown) =>
  api.post<MessageOutput>(`/matches/${it.match.id}/messages`, { bearer, body });

async function grant(it: Setup, bearer: string, bytes: Buffer): Promise<Grant> {
  const answer = await api.post<Grant>(`/matches/${it.match.id}/media`, { bearer, body: describeImage(bytes) });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}
async function upload(it: Setup, bearer: string, bytes = image()): Promise<Grant> {
  const granted = await grant(it, bearer, bytes);
  const { uploadUrl, requiredHeaders: headers } = granted;
  const sent = await fetch(here(uploadUrl), { method: 'PUT', headers, body: new Uint8Array(bytes) });
  expect(sent.status).toBe(200);
  return granted;
}

test('a dispute opens a thread for both sides and staff, and the ruling closes it for the players', async () => {
  const it = await setup();
  expect((await read(it, it.a)).canPost).toBe(false);
  expect((await post(it, it.a, { text: 'Hello?' })).status).toBe(409);

  await call(it, 'report', it.a, won);
  const disputed = await call(it, 'dispute', it.b, { reason: 'You left after the first round.' });
  expect(disputed.body.status).toBe('disputed');
  const written = await post(it, it.a, { text: '  The server crashed.  ' });
  expect([written.status, written.body.text, written.body.kind]).toEqual([201, 'The server crashed.', 'comment']);
  expect((await post(it, it.staff, { text: 'Send me the scoreboard.' })).status).toBe(201);
  expect((await call(it, 'resolve', it.staff, lost)).status).toBe(200);

  const [a, b] = it.participants;
  const thread = await read(it, it.b);
  expect(thread.canPost).toBe(false);
  expect(
    thread.items.map(({ kind, author, text }) => [kind, author?.participantId ?? 'staff', text]).reverse(),
  ).toEqual([
    ['report', a, ''],
    ['dispute', b, 'You left after the first round.'],
    ['comment', a, 'The server crashed.'],
    ['comment', 'staff', 'Send me the scoreboard.'],
    ['ruling', 'staff', ''],
  ]);
  const games = [{ scores: [0, 1], winnerId: b }];
  expect(thread.items[0]?.result).toEqual({ decidedBy: 'result', participantIds: [a, b], games, winnerId: b });
  expect(Object.keys(thread.names).sort()).toEqual([a, b].sort());
  expect((await post(it, it.b, { text: 'Thanks' })).status).toBe(409);
  expect((await post(it, it.staff, { text: 'You are welcome.' })).status).toBe(201);
});

test('different reports dispute a match by themselves, and silence has no author', async () => {
  const it = await setup();
  await call(it, 'report', it.a, won);
  await call(it, 'report', it.b, lost);
  const { items, canPost } = await read(it, it.b);
  expect(canPost).toBe(true);
  expect(items.map(({ kind, author }) => [kind, author?.participantId ?? null])).toEqual([
    ['dispute', null],
    ['report', it.participants[1]],
    ['report', it.participants[0]],
  ]);
});

test('a correction keeps what the result was, and says so in every match that lost one', async () => {
  const it = await setup();
  const second = (await readMatches(api, it.tournamentId))[1];
  await call(it, 'resolve', it.staff, won);
  await api.post(`/matches/${second?.id}/resolve`, { bearer: it.staff, body: won });
  const final = (await readMatches(api, it.tournamentId)).find(({ bracket }) => bracket === 'final');
  await api.post(`/matches/${final?.id}/resolve`, { bearer: it.staff, body: won });
  const corrected = await call(it, 'correct', it.staff, { ...lost, reason: 'Sides were swapped.' });
  expect(corrected.status, corrected.text).toBe(200);

  const [line] = (await read(it, it.a)).items;
  const [a, b] = it.participants;
  expect(line).toMatchObject({ kind: 'correction', text: 'Sides were swapped.', author: { participantId: null } });
  expect([line?.previousResult?.winnerId, line?.result?.winnerId]).toEqual([a, b]);
  const { body } = await api.get<Thread>(`/matches/${final?.id}/messages`, { bearer: it.staff });
  expect(body.items.map(({ kind }) => kind)).toEqual(['result_lost', 'ruling']);
  expect(body.items[0]?.previousResult).toMatchObject({ winnerId: a, games: [{ scores: [1, 0] }] });
});

test('who a correction puts into a match does not read what others wrote before', async () => {
  const it = await setup();
  const { staff, tournamentId } = it;
  const [first, second, final] = await readMatches(api, tournamentId);
  const ask = (id: string | undefined, what: string, bearer: string, body: unknown) =>
    api.post(`/matches/${id}/${what}`, { bearer, body });
  await ask(first?.id, 'resolve', staff, won);
  await ask(second?.id, 'resolve', staff, won);
  const players = (await readMatches(api, tournamentId)).find(({ id }) => id === final?.id)?.slots ?? [];
  const stays = players.find(({ participantId }) => !it.participants.includes(participantId ?? ''));
  const opponent = await it.bearerOf(stays?.participantId);
  const finalOf: Setup = { ...it, match: { ...it.match, id: final?.id ?? '' } };
  await call(finalOf, 'report', it.a, won);
  const { mediaFileId } = await upload(finalOf, opponent);
  const disputed = await call(finalOf, 'dispute', opponent, { reason: 'They cheated.', mediaFileIds: [mediaFileId] });
  expect(disputed.status, disputed.text).toBe(200);
  await call(finalOf, 'resolve', staff, won);
  const corrected = await ask(first?.id, 'correct', staff, { ...lost, reason: 'Typo' });
  expect(corrected.status, corrected.text).toBe(200);

  const textsOf = async (bearer: string) => (await read(finalOf, bearer)).items.map(({ text }) => text);
  for (const bearer of [staff, opponent]) expect(await textsOf(bearer)).toContain('They cheated.');
  const joined = await read(finalOf, it.b);
  expect(joined.items.map(({ kind }) => kind)).toEqual(['result_lost']);
  expect(joined.total).toBe(1);
  const see = (bearer: string) => api.get(`/matches/${final?.id}/media/${mediaFileId}`, { bearer });
  expect([(await see(opponent)).status, (await see(it.b)).status]).toEqual([200, 404]);
  await post(finalOf, staff, { text: 'Play again, please.' });
  expect(await textsOf(it.b)).toContain('Play again, please.');
});

test('only the players of the match and staff read or write', async () => {
  const it = await setup();
  await call(it, 'report', it.a, won);
  await call(it, 'dispute', it.b, { reason: 'No.' });
  const { key } = await makeApiKey(it.project.id);
  const path = `/matches/${it.match.id}/messages`;
  const refused = [{ bearer: it.other }, { bearer: it.stranger.bearer }, { apiKey: key }, {}] as const;
  const statuses = await Promise.all(
    refused.map(async (caller) => [
      (await api.get(path, caller)).status,
      (await api.post(path, { ...caller, body: { text: 'Me too' } })).status,
      (await api.post(`/matches/${it.match.id}/media`, { ...caller, body: describeImage(image()) })).status,
    ]),
  );
  expect(statuses).toEqual([
    [403, 403, 403],
    [403, 403, 403],
    [401, 401, 401],
    [401, 401, 401],
  ]);
  expect((await read(it, it.staff)).total).toBe(2);
});

test('texts have limits, an unconfirmed account writes nothing, and nobody floods a thread', async () => {
  const it = await setup();
  await call(it, 'report', it.a, won);
  await call(it, 'report', it.b, lost);
  for (const body of [
    {},
    { text: '   ' },
    { text: 'x'.repeat(2_001) },
    { text: 'x', mediaFileIds: Array(6).fill('y') },
  ]) {
    expect((await post(it, it.a, body)).status).toBe(400);
  }
  const { userId } = await db.participant.findUniqueOrThrow({ where: { id: it.participants[1] } });
  await db.user.update({ where: { id: userId ?? '' }, data: { emailVerifiedAt: null } });
  const refused = await post(it, it.b, { text: 'Hi' });
  expect([refused.status, refused.body]).toMatchObject([403, { error: { code: 'EMAIL_NOT_CONFIRMED' } }]);
  const noUpload = await api.post(`/matches/${it.match.id}/media`, { bearer: it.b, body: describeImage(image()) });
  expect(noUpload.status).toBe(403);

  const answers = await Promise.all(Array.from({ length: 25 }, (_, at) => post(it, it.a, { text: `Line ${at}` })));
  const counts = answers.map(({ status }) => status);
  expect([counts.filter((status) => status === 201).length, counts.filter((status) => status === 429).length]).toEqual([
    20, 5,
  ]);
  expect(Number(answers.find(({ status }) => status === 429)?.headers.get('retry-after'))).toBeGreaterThan(0);
  const page = await api.get<Thread & { totalPages: number }>(`/matches/${it.match.id}/messages?limit=10&page=2`, {
    bearer: it.a,
  });
  expect([page.body.items.length, page.body.total, page.body.totalPages]).toEqual([10, 23, 3]);
});

test('screenshots are shown to those who may read the thread, through addresses that expire', async () => {
  const it = await setup();
  const bytes = image();
  await call(it, 'report', it.a, won);
  const first = await upload(it, it.b, bytes);
  expect(first.key).toBe(`match_screenshot/${it.project.id}/${it.match.id}/${first.mediaFileId}`);
  const view = (mediaFileId: string, bearer: string) =>
    api.get<{ url: string; expiresAt: string }>(`/matches/${it.match.id}/media/${mediaFileId}`, { bearer });
  expect((await view(first.mediaFileId, it.b)).status, 'nobody has sent it yet').toBe(404);
  const disputed = await call(it, 'dispute', it.b, { reason: 'See this.', mediaFileIds: [first.mediaFileId] });
  expect(disputed.status, disputed.text).toBe(200);

  const seen = await Promise.all(
    [it.a, it.b, it.staff, it.other, it.stranger.bearer].map((one) => view(first.mediaFileId, one)),
  );
  expect(seen.map(({ status }) => status)).toEqual([200, 200, 200, 403, 403]);
  const { url = '', expiresAt = '' } = seen[0]?.body ?? {};
  expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(300_000);
  const shown = await fetch(here(url));
  expect(Buffer.from(await shown.arrayBuffer()).equals(bytes)).toBe(true);
  expect(Object.fromEntries(shown.headers)).toMatchObject({
    'content-type': 'image/png',
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  });
  const forged = new URL(here(url));
  forged.searchParams.set('X-Amz-Expires', '604800');
  expect((await fetch(forged)).status).toBe(403);
  expect((await fetch(`${api.url}/media/${first.mediaFileId}`)).status, 'it is not public').toBe(404);
});

test('a message carries only uploads that arrived and that its author made for this match, each once', async () => {
  const it = await setup();
  await call(it, 'report', it.a, won);
  await call(it, 'report', it.b, lost);
  const mine = await upload(it, it.a);
  const theirs = await upload(it, it.b);
  const missing = await grant(it, it.a, image());
  const elsewhere = await setup();
  await call(elsewhere, 'report', elsewhere.b, lost);
  const foreign = await upload(elsewhere, elsewhere.a);
  const banner = await db.mediaFile.create({
    data: {
      ...{ id: 'med_x', key: `x-${it.match.id}`, kind: 'tournament_banner', subjectId: it.match.id },
      ...{ contentType: 'image/png', sizeBytes: 1, sha256: 'x', status: 'ready', projectId: it.project.id },
      createdById: 'nobody',
    },
  });
  const send = async (...ids: string[]) => (await post(it, it.a, { text: 'Look', mediaFileIds: ids })).status;
  expect(await send(theirs.mediaFileId)).toBe(400);
  expect(await send(foreign.mediaFileId)).toBe(400);
  expect(await send(banner.id)).toBe(400);
  expect(await send(missing.mediaFileId)).toBe(409);
  expect(await send(mine.mediaFileId, mine.mediaFileId)).toBe(400);
  expect(await send(mine.mediaFileId, theirs.mediaFileId)).toBe(400);
  expect((await db.mediaFile.findUniqueOrThrow({ where: { id: mine.mediaFileId } })).expiresAt).not.toBeNull();
  const only = await post(it, it.a, { mediaFileIds: [mine.mediaFileId] });
  expect([only.status, only.body.mediaFileIds]).toEqual([201, [mine.mediaFileId]]);
  expect(await send(mine.mediaFileId)).toBe(409);
  await db.mediaFile.delete({ where: { id: banner.id } });
});

test('an upload is an image of a banner’s size, and ten in an hour are enough for one person', async () => {
  const it = await setup();
  await call(it, 'report', it.b, lost);
  const ask = (more: object) =>
    api.post(`/matches/${it.match.id}/media`, { bearer: it.a, body: { ...describeImage(image()), ...more } });
  expect((await ask({ contentType: 'image/svg+xml' })).status).toBe(400);
  expect((await ask({ contentType: 'text/html' })).status).toBe(400);
  expect((await ask({ sizeBytes: imageLimit + 1 })).status).toBe(400);
  expect((await ask({ sha256: 'x' })).status).toBe(400);
  const statuses = (await Promise.all(Array.from({ length: 12 }, () => ask({})))).map(({ status }) => status);
  expect(statuses.sort()).toEqual([...Array(10).fill(201), 429, 429]);
});

test('screenshots that nobody sent, and those of a match that is gone, are deleted', async () => {
  const it = await setup();
  await call(it, 'report', it.a, won);
  const unclaimed = await upload(it, it.b);
  const shown = await upload(it, it.b);
  await call(it, 'dispute', it.b, { reason: 'See this.', mediaFileIds: [shown.mediaFileId] });
  const expiry = async (id: string) => (await db.mediaFile.findUniqueOrThrow({ where: { id } })).expiresAt;
  expect(await expiry(shown.mediaFileId)).toBeNull();
  expect((await expiry(unclaimed.mediaFileId))?.getTime()).toBeGreaterThan(Date.now() + 23 * 3_600_000);

  await db.match.delete({ where: { id: it.match.id } });
  expect(await expiry(shown.mediaFileId)).not.toBeNull();
  const ids = [unclaimed.mediaFileId, shown.mediaFileId];
  await db.mediaFile.updateMany({ where: { id: { in: ids } }, data: { expiresAt: new Date(Date.now() - 1_000) } });
  expect(await expiredMedia(500)).toEqual(expect.arrayContaining(ids));
  for (const id of ids) await removeExpired(id);
  expect(await headObject(unclaimed.key)).toBeNull();
  expect(await headObject(shown.key)).toBeNull();
});

test('messages, reports and proposals that have no event wake open pages', async () => {
  const it = await setup();
  await call(it, 'start', it.staff);
  const stop = new AbortController();
  const { notices } = liveEvents([it.tournamentId], stop.signal);
  const next = async () => (await notices.next()).value;
  await call(it, 'report', it.a, won);
  expect(await next()).toMatchObject({ type: 'match.changed' });
  await call(it, 'report', it.b, lost);
  expect(await next()).toMatchObject({ type: 'match.disputed' });
  await post(it, it.a, { text: 'No' });
  expect(await next()).toMatchObject({ type: 'thread.changed' });
  stop.abort();
});

test('screenshots are granted to whoever can dispute the result or write in the thread', async () => {
  const it = await setup();
  const ask = async () => {
    const body = describeImage(image());
    const all = [it.a, it.b, it.staff].map((bearer) => api.post(`/matches/${it.match.id}/media`, { bearer, body }));
    return (await Promise.all(all)).map(({ status }) => status);
  };
  expect(await ask()).toEqual([409, 409, 201]);
  await call(it, 'report', it.a, won);
  expect(await ask(), 'only the other side can dispute it').toEqual([409, 201, 201]);
  await call(it, 'dispute', it.b, { reason: 'No.' });
  expect(await ask()).toEqual([201, 201, 201]);
  await call(it, 'resolve', it.staff, won);
  expect(await ask()).toEqual([409, 409, 201]);
});

test('screenshots of a player are limited by the day', async () => {
  const { SCREENSHOTS_PER_USER_PER_DAY } = env;
  env.SCREENSHOTS_PER_USER_PER_DAY = 1;
  onTestFinished(() => void Object.assign(env, { SCREENSHOTS_PER_USER_PER_DAY }));
  const it = await setup();
  await call(it, 'report', it.a, won);
  await grant(it, it.b, image());
  const second = await api.post(`/matches/${it.match.id}/media`, { bearer: it.b, body: describeImage(image()) });
  expect(second).toMatchObject({ status: 429, reason: 'QUOTA_EXCEEDED' });
});

describe('screenshots of a project are limited by the size of those that were sent', () => {
  beforeEach(() => {
    const { SCREENSHOT_KIB_PER_PROJECT_PER_DAY } = env;
    // A file of 1.5 KiB counts as 2, so a player can send one in a day.
    env.SCREENSHOT_KIB_PER_PROJECT_PER_DAY = 100;
    onTestFinished(() => void Object.assign(env, { SCREENSHOT_KIB_PER_PROJECT_PER_DAY }));
  });

  test('a player sends a fiftieth', async () => {
    const it = await setup();
    await call(it, 'report', it.a, won);
    const { mediaFileId: first } = await upload(it, it.b);
    const { mediaFileId: second } = await upload(it, it.b);
    const used = async () => {
      const ofProject = { startsWith: `quota:screenshotKib:${it.project.id}` };
      const subject = [{ subject: ofProject }, { subject: `quota:screenshotKib:${it.tournamentId}` }];
      const rows = await db.rateLimitWindow.findMany({ where: { OR: subject } });
      return rows.map(({ total }) => total).sort((x, y) => x - y);
    };
    expect(await used(), 'what nobody has sent does not count').toEqual([]);
    expect((await call(it, 'dispute', it.b, { reason: 'See this.', mediaFileIds: [first] })).status).toBe(200);
    const refused = await post(it, it.b, { text: 'And this', mediaFileIds: [second] });
    expect(refused).toMatchObject({ status: 429, reason: 'QUOTA_EXCEEDED' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(80_000);
    expect((await post(it, it.b, { text: 'And that' })).status).toBe(201);
    expect(await used()).toEqual([2, 3, 10, 100]);
    const { mediaFileId: other } = await upload(it, it.a);
    expect((await post(it, it.a, { text: 'Mine', mediaFileIds: [other] })).status, 'the other side has its own').toBe(
      201,
    );
  });

  test.each([
    ['those of a tournament', (it: Setup) => it.tournamentId, 91],
    ['all', (it: Setup) => `${it.project.id} players`, 98],
  ])('%s leave room to staff, who have the whole day of the project', async (_who, subjectOf, used) => {
    const it = await setup();
    await call(it, 'report', it.a, won);
    await db.$transaction((tx) => takeQuota(tx, 'screenshotKib', subjectOf(it), used));
    const send = async (bearer: string) => {
      const { mediaFileId } = await upload(it, bearer);
      return (await post(it, bearer, { text: 'See this.', mediaFileIds: [mediaFileId] })).status;
    };
    expect(await send(it.staff)).toBe(201);
    expect(await send(it.b)).toBe(429);
    expect(await send(it.staff)).toBe(201);
    await db.$transaction((tx) => takeQuota(tx, 'screenshotKib', it.project.id, 95));
    expect(await send(it.staff)).toBe(429);
  });
});

describe('what the players of a side write in a match', () => {
  const limit = env.MATCH_LINES_PER_SIDE_PER_MONTH;
  /** Disputed, with a second player on each roster. */
  async function disputed() {
    const it = await setup();
    await call(it, 'report', it.a, won);
    await call(it, 'dispute', it.b, { reason: 'You left.' });
    const mates = await Promise.all(
      it.participants.map(async (participantId = '') => {
        const mate = await makeUser();
        await db.user.update({ where: { id: mate.id }, data: { emailVerifiedAt: new Date() } });
        const { tournamentId } = it;
        const data = { participantId, tournamentId, userId: mate.id, role: 'player', acceptedAt: new Date() } as const;
        await db.rosterMember.create({ data });
        return mate.bearer;
      }),
    );
    return { ...it, mates };
  }
  const statuses = async (sent: Promise<{ status: number }>[]) =>
    (await Promise.all(sent)).map(({ status }) => status).sort();

  test('has a limit that its players share exactly, while the other side and staff can write', async () => {
    const it = await disputed();
    onTestFinished(() => void Object.assign(env, { MATCH_LINES_PER_SIDE_PER_MONTH: limit }));
    env.MATCH_LINES_PER_SIDE_PER_MONTH = 5;
    const bearers = [it.a, it.mates[0] ?? ''];
    const sent = Array.from({ length: 8 }, (_, at) => post(it, bearers[at % 2] ?? '', { text: `Hello ${at}` }));
    expect(await statuses(sent)).toEqual([201, 201, 201, 201, 201, 429, 429, 429]);
    const refused = await post(it, it.a, { text: 'Hello?' });
    expect([refused.reason, refused.text]).toEqual(['QUOTA_EXCEEDED', expect.stringContaining('5 lines')]);
    for (const bearer of [it.b, it.mates[1] ?? '', it.staff, it.staff])
      expect((await post(it, bearer, { text: 'Yes' })).status).toBe(201);
    expect(await db.matchMessage.count({ where: { matchId: it.match.id, kind: 'comment' } })).toBe(9);
  });

  test('leaves it reports and disputes, of which it has as many', async () => {
    const it = await setup();
    onTestFinished(() => void Object.assign(env, { MATCH_LINES_PER_SIDE_PER_MONTH: limit }));
    env.MATCH_LINES_PER_SIDE_PER_MONTH = 2;
    const scores = (score: number) => ({ games: [{ scores: [score, 0] }] });
    const side = it.participants[0];
    await db.$transaction((tx) => takeQuota(tx, 'matchLines', `${it.match.id} ${side}`, 2));
    const reported: unknown[] = [];
    for (const score of [1, 2, 3]) {
      const { status, reason } = await call(it, 'report', it.a, scores(score));
      reported.push([status, reason]);
    }
    expect(reported).toEqual([
      [200, undefined],
      [200, undefined],
      [429, 'QUOTA_EXCEEDED'],
    ]);
    expect((await call(it, 'dispute', it.b, { reason: 'You left.' })).status).toBe(200);
    expect((await post(it, it.a, { text: 'Hello' })).status).toBe(429);
    expect((await call(it, 'resolve', it.staff, won)).status).toBe(200);
  });
});
