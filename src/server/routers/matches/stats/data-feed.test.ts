import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { signAccessToken } from '@/server/auth/bearer';
import { db } from '@/server/db';
import { takeOver } from '@/server/routers/auth/data-takeover';
import { appendEvents } from '@/server/routers/matches/feed/data-post';
import { readMatches } from '@/server/routers/matches/matches.fixture';
import { makeUser } from '@/test/factories';
import { someoneWaits } from '@/test/locks';
import { setupTestServer } from '@/test/server';
import { countRowsRead, watchStatements } from '@/test/statements';
import { hostTeam, hostTournament, refusalOf, teamOf } from '@/test/tournaments';
import { findDisowned, recountDisowned } from './data-disowned';
import { uncountFeeds } from './data-feed';
import { rebuildStats } from './data-rebuild';

const api = setupTestServer();

type Id = { id: string };

const counted = ['kill', 'kill', 'death', 'assist'] as const;
const perPost = { kills: 2, deaths: 1, assists: 1 };
const none = { kills: 0, deaths: 0, assists: 0 };

/** What the feeds of a project have counted for a player, which a rebuild must not change. */
async function figuresOf(projectId: string, { id: userId }: Id) {
  const read = async () => {
    const row = await db.playerStats.findFirst({ where: { projectId, userId } });
    return row ? { kills: row.kills, deaths: row.deaths, assists: row.assists } : none;
  };
  const kept = await read();
  await rebuildStats();
  expect(await read()).toEqual(kept);
  return kept;
}

/** Two teams who play each other twice. */
async function startTeams() {
  const cup = await hostTeam(api, { format: 'round_robin', formatOptions: { legs: 2 } });
  const [captain, mate] = [await makeUser(), await makeUser()];
  await cup.register(captain.bearer, teamOf(captain, [mate], 'Rivals'));
  expect((await api.post(`${cup.path}/start`, cup.organizer)).status).toBe(200);
  const matchIds = (await readMatches(api, cup.id)).map(({ id }) => id);
  const [matchId = ''] = matchIds;
  const events = (player: Id) => counted.map((type) => ({ type, userId: player.id }));
  const post = (player: Id, to = matchId) =>
    api.post(`/matches/${to}/events`, { ...cup.moderator, body: { events: events(player) } });
  const substitute = async (replaced: Id, coming: Id) => {
    const body = { replacedUserId: replaced.id, substituteUserId: coming.id, reason: 'Ill' };
    const answer = await api.post(`${cup.path}/participants/${cup.participantId}/substitute`, {
      ...cup.moderator,
      body,
    });
    expect(answer.status, answer.text).toBe(200);
  };
  const act = async (action: 'accept' | 'leave', { bearer }: { bearer: string }) => {
    const answer = await api.post(`${cup.path}/registrations/me/${action}`, { bearer });
    expect(answer.status, answer.text).toBe(200);
  };
  return {
    ...cup,
    matchId,
    matchIds,
    events,
    post,
    substitute,
    act,
    figures: (player: Id) => figuresOf(cup.projectId, player),
  };
}

/** Whose events the public feed of a match has. */
async function namedIn(matchId: string): Promise<(string | null)[]> {
  const { body } = await api.get<{ items: { userId: string | null }[] }>(`/matches/${matchId}/events`);
  return [...new Set(body.items.map(({ userId }) => userId))];
}

test('a feed counts nothing for a player who leaves a roster without having accepted, and names them no longer', async () => {
  const { matchId, post, act, figures, mate, bench } = await startTeams();
  for (const player of [mate, bench]) expect((await post(player)).status).toBe(201);
  expect([await figures(mate), await figures(bench)]).toEqual([perPost, perPost]);
  await act('leave', mate);
  expect([await figures(mate), await figures(bench)]).toEqual([none, perPost]);
  expect(await namedIn(matchId)).toEqual([null, bench.id]);
  expect(refusalOf(await post(mate))).toEqual([400, 'VALIDATION_FAILED']);
});

test('a feed counts nothing for who is substituted without having accepted, also after they are back', async () => {
  const { matchId, post, substitute, figures, mate, outsider } = await startTeams();
  expect((await post(mate)).status).toBe(201);
  await substitute(mate, outsider);
  expect([await figures(mate), await namedIn(matchId)]).toEqual([none, [null]]);
  expect(refusalOf(await post(mate))).toEqual([400, 'VALIDATION_FAILED']);
  await substitute(outsider, mate);
  expect(await figures(mate)).toEqual(none);
  expect((await post(mate)).status).toBe(201);
  expect(await figures(mate)).toEqual(perPost);
});

test('who was substituted after having accepted keeps what they did until then, whatever they leave later', async () => {
  const { post, substitute, act, figures, mate, outsider } = await startTeams();
  await act('accept', mate);
  expect((await post(mate)).status).toBe(201);
  await substitute(mate, outsider);
  await substitute(outsider, mate);
  expect((await post(mate)).status).toBe(201);
  expect(await figures(mate)).toEqual({ kills: 4, deaths: 2, assists: 2 });
  await act('leave', mate);
  expect(await figures(mate)).toEqual(perPost);
});

test('a feed counts nothing for the owner of an account who leaves what somebody else registered with it', async () => {
  const cup = await hostTournament(api);
  const [taken, other] = [await makeUser(), await makeUser()];
  const { body } = await cup.register(taken.bearer);
  await cup.register(other.bearer);
  expect((await api.post(`${cup.path}/start`, cup.organizer)).status).toBe(200);
  const [match] = await readMatches(api, cup.id);
  const events = counted.map((type) => ({ type, participantId: body.id }));
  const post = () => api.post(`/matches/${match?.id}/events`, { ...cup.organizer, body: { events } });
  expect((await post()).status).toBe(201);
  expect(await figuresOf(cup.projectId, taken)).toEqual(perPost);
  await db.$transaction((tx) => takeOver(tx, taken.id, '203.0.113.9'));
  const owner = await db.user.findUniqueOrThrow({ where: { id: taken.id } });
  const bearer = `Bearer ${await signAccessToken(owner)}`;
  expect((await api.post(`${cup.path}/registrations/me/leave`, { bearer })).status).toBe(200);
  expect(await figuresOf(cup.projectId, taken)).toEqual(none);
  expect(await namedIn(match?.id ?? '')).toEqual([null]);
  expect((await post()).status).toBe(201);
  expect(await figuresOf(cup.projectId, taken)).toEqual(none);
});

test('a feed counts nothing for a player who leaves a roster by claiming a guest or by joining another team', async () => {
  const { post, figures, mate, bench, organizer, moderator, ...cup } = await startTeams();
  for (const player of [mate, bench]) expect((await post(player)).status).toBe(201);
  const guest = await db.participant.create({
    data: { id: newId('prt'), tournamentId: cup.id, type: 'team', name: 'Guests', registrationStatus: 'approved' },
  });
  const link = await api.post<{ token: string }>(`${cup.path}/participants/${guest.id}/claim-link`, organizer);
  const claimed = await api.post('/claims/accept', { ...bench, body: { token: link.body.token } });
  expect(claimed.status, claimed.text).toBe(200);
  expect(await figures(bench)).toEqual(none);
  const rivals = await db.participant.findFirstOrThrow({
    where: { tournamentId: cup.id, name: 'Rivals' },
    include: { roster: { where: { role: 'player' } } },
  });
  const body = { replacedUserId: rivals.roster[0]?.userId, substituteUserId: mate.id, reason: 'Ill' };
  const answer = await api.post(`${cup.path}/participants/${rivals.id}/substitute`, { ...moderator, body });
  expect(answer.status, answer.text).toBe(200);
  expect(await figures(mate)).toEqual(none);
});

test('leaving waits for events that are being added', async () => {
  const { matchId, events, figures, act, mate } = await startTeams();
  let left: Promise<void> | undefined;
  await db.$transaction(async (tx) => {
    await appendEvents(tx, matchId, events(mate), { single: false, bytes: 0 });
    left = act('leave', mate);
    await someoneWaits();
  });
  await left;
  expect(await figures(mate)).toEqual(none);
});

test('what a player did before they agreed does not count again when they come back, agree and are substituted', async () => {
  const { post, substitute, act, figures, mate, outsider } = await startTeams();
  expect((await post(mate)).status).toBe(201);
  await substitute(mate, outsider);
  await substitute(outsider, mate);
  await act('accept', mate);
  expect((await post(mate)).status).toBe(201);
  await substitute(mate, outsider);
  await substitute(outsider, mate);
  expect((await post(mate)).status).toBe(201);
  await act('leave', mate);
  expect(await figures(mate)).toEqual(perPost);
});

test('a departure reads no events that an earlier one has taken out', async () => {
  const { matchId, moderator, post, substitute, act, mate, outsider } = await startTeams();
  // So many that PostgreSQL reads an index.
  for (let count = 0; count < 5; count += 1) {
    const body = { events: Array.from({ length: 100 }, () => ({ type: 'death', userId: mate.id })) };
    expect((await api.post(`/matches/${matchId}/events`, { ...moderator, body })).status).toBe(201);
  }
  await db.$executeRaw`ANALYZE "match_event"`;
  await substitute(mate, outsider);
  await substitute(outsider, mate);
  expect((await post(mate)).status).toBe(201);
  const sent = await watchStatements(() => act('leave', mate));
  const leaving = sent.filter(({ text }) => text.includes('"feed_departure"') && text.includes('"match_event"'));
  expect(leaving).toHaveLength(1);
  for (const statement of leaving) expect(await countRowsRead('match_event', statement)).toBe(0);
});

test('a player who is named and substituted time and again has departed once', async () => {
  const { participantId, substitute, mate, outsider } = await startTeams();
  for (let count = 0; count < 3; count += 1) {
    await substitute(mate, outsider);
    await substitute(outsider, mate);
  }
  const [row] = await db.$queryRaw<{ rows: number; spans: number }[]>`
    SELECT count(*)::int AS rows, sum((SELECT count(*) FROM unnest("times")))::int AS spans FROM "feed_departure"
    WHERE "participantId" = ${participantId} AND "userId" = ${mate.id}`;
  expect(row).toEqual({ rows: 1, spans: 1 });
});

type Player = Id & { bearer: string; onRoster: boolean; accepted: boolean; playedBefore: boolean };
type Post = { matchId: string; userId: string; counts: boolean; stays: boolean };

const mayLeave = ({ onRoster, accepted }: Player) => onRoster && !accepted;

/** Players of a team in play, and the posts about them: whether these count, and whether they stay when their player leaves. */
async function startModel() {
  const cup = await startTeams();
  const { projectId, gameId, mate, bench, outsider } = cup;
  const players: Player[] = [mate, bench, outsider].map(({ id, bearer }) => {
    return { id, bearer, onRoster: id !== outsider.id, accepted: false, playedBefore: false };
  });
  let { matchIds } = cup;
  let posts: Post[] = [];
  const postsOf = (player: Player) => posts.filter(({ userId }) => userId === player.id);
  const depart = (player: Player, everything = false) => {
    for (const post of postsOf(player)) post.counts &&= post.stays && !everything;
  };
  const pick = (number: number, may: (player: Player) => boolean) => {
    const able = players.filter(may);
    return able[number % able.length];
  };
  const steps = {
    post: async (who: number, other: number) => {
      const player = pick(who, ({ onRoster, playedBefore }) => onRoster || playedBefore);
      const matchId = matchIds[other % matchIds.length];
      if (!player || !matchId) return;
      expect((await cup.post(player, matchId)).status).toBe(201);
      posts.push({ matchId, userId: player.id, counts: true, stays: false });
    },
    substitute: async (who: number, other: number) => {
      const player = pick(who, ({ onRoster }) => onRoster);
      const coming = pick(other, ({ onRoster }) => !onRoster);
      if (!player || !coming) return;
      await cup.substitute(player, coming);
      if (player.accepted) for (const post of postsOf(player)) post.stays = true;
      else depart(player);
      const playedBefore = player.playedBefore || player.accepted;
      Object.assign(player, { onRoster: false, accepted: false, playedBefore });
      coming.onRoster = true;
    },
    accept: async (who: number) => {
      const player = pick(who, mayLeave);
      if (!player) return;
      await cup.act('accept', player);
      player.accepted = true;
    },
    leave: async (who: number) => {
      const player = pick(who, mayLeave);
      if (!player) return;
      await cup.act('leave', player);
      depart(player);
      player.onRoster = false;
    },
    takeOver: async (who: number) => {
      const player = players[who % players.length];
      if (!player) return;
      await db.$transaction((tx) => takeOver(tx, player.id, '203.0.113.9'));
      for (const disowned of await findDisowned(1, player.id)) await recountDisowned(disowned);
      if (player.playedBefore) depart(player, true);
      for (const post of postsOf(player)) post.stays = false;
      const owner = await db.user.findUniqueOrThrow({ where: { id: player.id } });
      const bearer = `Bearer ${await signAccessToken(owner)}`;
      Object.assign(player, { accepted: false, playedBefore: false, bearer });
    },
    deleteMatch: async () => {
      const [matchId, ...left] = matchIds;
      if (!matchId || left.length === 0) return;
      await db.$transaction(async (tx) => {
        await uncountFeeds(tx, { projectId, gameId }, [matchId]);
        await tx.match.delete({ where: { id: matchId } });
      });
      matchIds = left;
      posts = posts.filter((post) => post.matchId !== matchId);
    },
  };
  const check = async () => {
    for (const player of players) {
      const { length } = postsOf(player).filter(({ counts }) => counts);
      expect(await cup.figures(player)).toEqual({ kills: 2 * length, deaths: length, assists: length });
    }
    for (const matchId of matchIds) {
      const { body } = await api.get<{ items: { userId: string | null }[] }>(`/matches/${matchId}/events?limit=100`);
      const ofMatch = posts.filter((post) => post.matchId === matchId);
      const named = ofMatch.flatMap(({ counts, userId }) => counted.map(() => (counts ? userId : null)));
      expect(body.items.map(({ userId }) => userId)).toEqual(named);
    }
  };
  return { steps, check };
}

const likely = ['post', 'post', 'post', 'substitute', 'substitute', 'substitute', 'accept', 'accept'] as const;
const what = fc.constantFrom(...likely, 'leave' as const, 'takeOver' as const, 'deleteMatch' as const);

test('feeds count and name who had agreed, however players come, leave and are taken over', async () => {
  const sequence = fc.array(fc.tuple(what, fc.nat(5), fc.nat(5)), { minLength: 25, maxLength: 25 });
  const happens = fc.asyncProperty(sequence, async (all) => {
    const { steps, check } = await startModel();
    for (const [step, who, other] of all) await steps[step](who, other);
    await check();
  });
  await fc.assert(happens, { numRuns: 12, endOnFailure: true });
});
