import { expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { db } from '@/server/db';
import { takeOver } from '@/server/routers/auth/data-takeover';
import { makeApiKey, makeMember, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { setupReview } from './review.fixture';

const server = setupTestServer();

test('staff see the detections of their project, newest first, with player, match and evidence', async () => {
  const { project, moderator, player, match, tournamentId, detect, as } = await setupReview(server);
  const older = await detect();
  const newer = await detect({ matchId: match.id });
  const page = await as(moderator).queue.query({ projectId: project.id });
  expect(page).toMatchObject({ total: 2, page: 1, limit: 25, hasNext: false });
  expect(page.items.map(({ id }) => id)).toEqual([newer, older]);
  expect(page.items[0]).toMatchObject({
    ruleId: 'cs2.blocked_process',
    severity: 'critical',
    explanation: 'Running beside the game: xenos64.exe.',
    player: { userId: player.id, name: player.name },
    match: {
      number: match.number,
      tournamentId,
      tournamentSlug: expect.any(String),
      tournamentName: expect.any(String),
    },
    verdict: null,
    note: null,
    reviewedBy: null,
    reviewedAt: null,
    version: 0,
    evidenceCount: 0,
  });
  expect(page.items[1]?.match).toBeNull();
});

test('a detection from before an account was taken over does not name its owner', async () => {
  const { project, moderator, player, detect, as } = await setupReview(server);
  const before = await detect();
  await db.$transaction((tx) => takeOver(tx, player.id, '203.0.113.9', 'True Owner'));
  const after = await detect();
  const { items } = await as(moderator).queue.query({ projectId: project.id });
  expect(items.map(({ id, player }) => [id, player])).toEqual([
    [after, { userId: player.id, name: 'True Owner', beforeTakeover: false }],
    [before, { userId: player.id, name: null, beforeTakeover: true }],
  ]);
  const detail = (detectionId: string) => as(moderator).detection.query({ projectId: project.id, detectionId });
  expect((await detail(before)).player).toEqual({ userId: player.id, name: null, beforeTakeover: true });
  expect((await detail(after)).player).toMatchObject({ name: 'True Owner', beforeTakeover: false });
  const { key: apiKey } = await makeApiKey(project.id);
  const listed = await server.get<{ id: string; beforeTakeover: boolean }[]>('/anti-cheat/detections', { apiKey });
  expect(listed.body.map(({ id, beforeTakeover }) => [id, beforeTakeover])).toEqual([
    [after, false],
    [before, true],
  ]);
  const session = async (id: string) => {
    const sessionId = items.find((item) => item.id === id)?.sessionId ?? '';
    const { staffSessions } = server.trpc(moderator.bearer).antiCheat;
    return (await staffSessions.players.query({ projectId: project.id, sessionId })).items;
  };
  expect(await session(before)).toMatchObject([{ userId: player.id, name: null, beforeTakeover: true }]);
  expect(await session(after)).toMatchObject([{ userId: player.id, name: 'True Owner', beforeTakeover: false }]);
});

test('each filter leaves what it says, and the page counts what is left', async () => {
  const { project, moderator, match, tournamentId, detect, as } = await setupReview(server);
  const other = await makeUser();
  const plain = await detect();
  const dismissed = await detect({ verdict: 'dismissed', reviewedById: moderator.id, reviewedAt: new Date() });
  const snap = await detect({ ruleId: 'cs2.aim_snap', severity: 'high', userId: other.id });
  const dota = await detect({ game: 'dota2' });
  const ofMatch = await detect({ matchId: match.id });
  const all = [ofMatch, dota, snap, dismissed, plain];
  const without = (...ids: string[]) => all.filter((id) => !ids.includes(id));
  const cases: [Record<string, unknown>, string[]][] = [
    [{}, all],
    [{ status: 'unreviewed' }, without(dismissed)],
    [{ status: 'dismissed' }, [dismissed]],
    [{ status: 'confirmed' }, []],
    [{ severity: 'high' }, [snap]],
    [{ rule: 'aim_snap' }, [snap]],
    [{ rule: 'blocked_process' }, without(snap)],
    [{ game: 'dota2' }, [dota]],
    [{ game: 'cs2', rule: 'blocked_process' }, without(snap, dota)],
    [{ game: 'dota2', rule: 'aim_snap' }, []],
    [{ matchId: match.id }, [ofMatch]],
    [{ tournamentId }, [ofMatch]],
    [{ tournamentId: newId('trn') }, []],
    [{ userId: other.id }, [snap]],
    [{ status: 'unreviewed', severity: 'critical', game: 'cs2', matchId: match.id }, [ofMatch]],
  ];
  for (const [filter, expected] of cases) {
    const page = await as(moderator).queue.query({ projectId: project.id, ...filter });
    expect(
      page.items.map(({ id }) => id),
      JSON.stringify(filter),
    ).toEqual(expected);
    expect(page.total).toBe(expected.length);
  }
  const second = await as(moderator).queue.query({ projectId: project.id, page: 2, limit: 2 });
  expect(second.items.map(({ id }) => id)).toEqual(all.slice(2, 4));
  expect(second).toMatchObject({ total: 5, totalPages: 3, hasNext: true, hasPrev: true });
});

test('a match of another project is not named, although a session says its id', async () => {
  const { project, moderator, detect, as } = await setupReview(server);
  const stranger = await setupReview(server);
  const { match, tournamentId } = stranger;
  await detect({ matchId: match.id });
  const { items } = await as(moderator).queue.query({ projectId: project.id });
  expect(items[0]).toMatchObject({ matchId: match.id, match: null });
  // Nor does a filter tell in which tournament it is played.
  expect(await as(moderator).queue.query({ projectId: project.id, tournamentId })).toMatchObject({
    total: 0,
    items: [],
  });
});

test('one detection has its session and client, and the thresholds that it was raised by', async () => {
  const { project, moderator, player, clientId, detect, as } = await setupReview(server);
  const detectionId = await detect({
    ruleId: 'cs2.reaction_floor',
    thresholds: { floorMs: 150 },
    figures: { medianMs: 60 },
  });
  const found = await as(moderator).detection.query({ projectId: project.id, detectionId });
  expect(found).toMatchObject({
    id: detectionId,
    player: { userId: player.id },
    figures: { medianMs: 60 },
    thresholds: { floorMs: 150, samples: 8 },
    session: { game: 'cs2', endedAt: null, requested: 1, wired: 1 },
    client: { id: clientId, revokedAt: null },
  });
  expect(Date.parse(found.windowEnd) - Date.parse(found.windowStart)).toBe(60_000);
});

test('players, other members and the staff of other projects see nothing', async () => {
  const { project, player, member, detect, as } = await setupReview(server);
  const stranger = await setupReview(server);
  const [detectionId, theirs] = [await detect(), await stranger.detect()];
  const { id: projectId } = project;
  const [nobody, admin] = [await makeUser(), await makeMember(projectId, 'ADMIN')];
  const refusals: [() => Promise<unknown>, string][] = [
    [() => as(member).queue.query({ projectId }), 'FORBIDDEN'],
    [() => as(member).detection.query({ projectId, detectionId }), 'FORBIDDEN'],
    [() => as(player).queue.query({ projectId }), 'NOT_FOUND'],
    [() => as(player).detection.query({ projectId, detectionId }), 'NOT_FOUND'],
    [() => as(nobody).queue.query({ projectId }), 'NOT_FOUND'],
    [() => as(stranger.owner).queue.query({ projectId }), 'NOT_FOUND'],
    [() => as(stranger.owner).detection.query({ projectId, detectionId }), 'NOT_FOUND'],
    [() => as(stranger.owner).detection.query({ projectId: stranger.project.id, detectionId }), 'NOT_FOUND'],
    [() => as(admin).detection.query({ projectId, detectionId: theirs }), 'NOT_FOUND'],
    [() => as({ bearer: '' }).queue.query({ projectId }), 'UNAUTHENTICATED'],
  ];
  for (const [call, reason] of refusals) await expect(call()).rejects.toMatchObject({ data: { reason } });
});
