import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { announce } from '@/server/events/live';
import { makeMember, makeUser } from '@/test/factories';
import { follow } from '@/test/live';
import { setupTestServer } from '@/test/server';
import { statementsOf } from '@/test/statements';
import { setupReview } from './review.fixture';

const server = setupTestServer();

const auditOf = (targetId: string) =>
  db.auditEntry.findMany({
    where: { targetId },
    orderBy: { createdAt: 'asc' },
    select: { action: true, actorId: true, projectId: true, details: true },
  });

test('a moderator decides, changes their mind and takes it back, each time with an audit entry', async () => {
  const { project, moderator, organizer, player, detect, as } = await setupReview(server);
  const detectionId = await detect();
  const input = { projectId: project.id, detectionId };
  const first = await as(moderator).decide.mutate({ ...input, verdict: 'confirmed', note: ' Seen it. ', version: 0 });
  expect(first).toMatchObject({
    id: detectionId,
    verdict: 'confirmed',
    note: 'Seen it.',
    reviewedBy: { userId: moderator.id, name: 'MODERATOR' },
    reviewedAt: expect.any(String),
    version: 1,
  });
  const second = await as(organizer).decide.mutate({ ...input, verdict: 'inconclusive', note: null, version: 1 });
  expect(second).toMatchObject({
    verdict: 'inconclusive',
    note: null,
    reviewedBy: { userId: organizer.id },
    version: 2,
  });
  const last = await as(organizer).decide.mutate({ ...input, verdict: null, note: 'lost', version: 2 });
  expect(last).toMatchObject({ verdict: null, note: null, reviewedBy: null, reviewedAt: null, version: 3 });
  expect(await as(moderator).detection.query(input)).toMatchObject({ verdict: null, version: 3 });
  const details = { rule: 'Blocked program', ruleId: 'cs2.blocked_process', userId: player.id };
  const { id: projectId } = project;
  expect(await auditOf(detectionId)).toEqual([
    {
      projectId,
      actorId: moderator.id,
      action: 'detection.confirm',
      details: { ...details, from: null, note: 'Seen it.' },
    },
    {
      projectId,
      actorId: organizer.id,
      action: 'detection.mark_inconclusive',
      details: { ...details, from: 'confirmed' },
    },
    { projectId, actorId: organizer.id, action: 'detection.reopen', details: { ...details, from: 'inconclusive' } },
  ]);
});

test('staff who play neither find nor decide a detection of their own, and the others do', async () => {
  const { project, moderator, player, detect, as } = await setupReview(server);
  await db.member.create({ data: { projectId: project.id, userId: player.id, role: 'OWNER' } });
  const detectionId = await detect();
  const others = await detect({ userId: moderator.id });
  const { id: projectId } = project;
  const found = async (who: { bearer: string }) => {
    const { items, total } = await as(who).queue.query({ projectId });
    return [items.map(({ id }) => id), total];
  };
  expect([await found(player), await found(moderator)]).toEqual([
    [[others], 1],
    [[detectionId], 1],
  ]);
  const input = { projectId, detectionId };
  const reads = (who: { bearer: string }) => {
    const { detection, reports, evidence } = as(who);
    return Promise.allSettled([detection.query(input), reports.query(input), evidence.query(input)]);
  };
  const reasons = (results: PromiseSettledResult<unknown>[]) =>
    results.map((one) => (one.status === 'fulfilled' ? 'OK' : one.reason.data.reason));
  expect(reasons(await reads(player))).toEqual(['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND']);
  expect(reasons(await reads(moderator))).toEqual(['OK', 'OK', 'OK']);
  const decide = (who: { bearer: string }, id: string) =>
    as(who).decide.mutate({ projectId, detectionId: id, verdict: 'dismissed', note: null, version: 0 });
  await expect(decide(player, detectionId)).rejects.toMatchObject({ data: { reason: 'FORBIDDEN', httpStatus: 403 } });
  const asked = encodeURIComponent(JSON.stringify({ json: { projectId } }));
  const page = await follow(`${server.url}/api/trpc/antiCheat.review.live?input=${asked}`, player.bearer);
  await page.until('live.resumed');
  const common = { projectId, tournamentId: null, userId: null };
  announce([
    { ...common, id: 'evt_1', type: 'anticheat.detection_raised', ...aboutDetection(detectionId) },
    { ...common, id: '', type: 'detection.changed', ...aboutDetection(others) },
  ]);
  await page.until(others);
  expect(page.text()).not.toContain(detectionId);
  expect(await db.detection.findUnique({ where: { id: detectionId } })).toMatchObject({ verdict: null, version: 0 });
  expect(await decide(player, others)).toMatchObject({ verdict: 'dismissed' });
});

test('of reviewers at the same time one decides, and the others hear who did', async () => {
  const { project, detect, as } = await setupReview(server);
  const detectionId = await detect();
  const reviewers = await Promise.all(Array.from({ length: 4 }, () => makeMember(project.id, 'MODERATOR')));
  const decisions = await Promise.allSettled(
    reviewers.map((reviewer, index) =>
      as(reviewer).decide.mutate({
        ...{ projectId: project.id, detectionId, note: null, version: 0 },
        verdict: index % 2 === 0 ? 'confirmed' : 'dismissed',
      }),
    ),
  );
  const won = decisions.flatMap((decision) => (decision.status === 'fulfilled' ? [decision.value] : []));
  const lost = decisions.flatMap((decision) => (decision.status === 'rejected' ? [decision.reason] : []));
  expect(won).toHaveLength(1);
  for (const error of lost) {
    expect(error.data).toMatchObject({ reason: 'ALREADY_REVIEWED', httpStatus: 409 });
    expect(error.message).toBe(
      `MODERATOR ${won[0]?.verdict} this detection in the meantime. Look at it again before you change it.`,
    );
  }
  expect(await auditOf(detectionId)).toHaveLength(1);
  expect(await db.detection.findUniqueOrThrow({ where: { id: detectionId } })).toMatchObject({
    verdict: won[0]?.verdict,
    reviewedById: won[0]?.reviewedBy?.userId,
    version: 1,
  });
});

test('who may not review changes nothing', async () => {
  const { project, player, member, moderator, detect, as } = await setupReview(server);
  const stranger = await setupReview(server);
  const detectionId = await detect();
  const unconfirmed = await makeMember(project.id, 'MODERATOR');
  await db.user.update({ where: { id: unconfirmed.id }, data: { emailVerifiedAt: null } });
  const review = { projectId: project.id, detectionId, verdict: 'dismissed', note: null, version: 0 } as const;
  const refusals: [{ bearer: string }, Partial<typeof review>, string][] = [
    [player, {}, 'NOT_FOUND'],
    [member, {}, 'FORBIDDEN'],
    [unconfirmed, {}, 'EMAIL_NOT_CONFIRMED'],
    [await makeUser(), {}, 'NOT_FOUND'],
    [stranger.moderator, {}, 'NOT_FOUND'],
    [stranger.moderator, { projectId: stranger.project.id }, 'NOT_FOUND'],
    [moderator, { detectionId: 'det_unknown' }, 'NOT_FOUND'],
    [{ bearer: '' }, {}, 'UNAUTHENTICATED'],
  ];
  for (const [who, changes, reason] of refusals) {
    await expect(as(who).decide.mutate({ ...review, ...changes })).rejects.toMatchObject({ data: { reason } });
  }
  const invalid = as(moderator).decide.mutate({ ...review, note: 'x'.repeat(1_001) });
  await expect(invalid).rejects.toMatchObject({ data: { reason: 'VALIDATION_FAILED' } });
  const impossible = as(moderator).decide.mutate({ ...review, version: 2 ** 31 });
  await expect(impossible).rejects.toMatchObject({ data: { reason: 'VERSION_MISMATCH' } });
  expect(await auditOf(detectionId)).toEqual([]);
  expect(await db.detection.findUniqueOrThrow({ where: { id: detectionId } })).toMatchObject({
    verdict: null,
    version: 0,
  });
});

test('pages of staff hear of reviews; the player whom it is about, and other projects, do not', async () => {
  const { project, moderator, player, detect, as } = await setupReview(server);
  const stranger = await setupReview(server);
  const detectionId = await detect();
  const watch = (projectId: string, bearer: string) =>
    follow(
      `${server.url}/api/trpc/antiCheat.review.live?input=${encodeURIComponent(JSON.stringify({ json: { projectId } }))}`,
      bearer,
    );
  const staff = await watch(project.id, moderator.bearer);
  const others = await watch(stranger.project.id, stranger.moderator.bearer);
  const own = await follow(`${server.url}/api/trpc/participants.live`, player.bearer);
  const refused = await watch(project.id, player.bearer);
  await Promise.all([staff, others, own].map((page) => page.until('live.resumed')));
  await refused.until('NOT_FOUND');
  await as(moderator).decide.mutate({
    projectId: project.id,
    detectionId,
    verdict: 'confirmed',
    note: null,
    version: 0,
  });
  await staff.until(detectionId);
  const common = { projectId: project.id, tournamentId: null };
  announce([
    { ...common, id: 'evt_1', type: 'anticheat.detection_raised', ...aboutDetection(detectionId), userId: player.id },
    {
      ...{ ...common, id: 'evt_2', type: 'participant.updated', userId: player.id },
      ...{ aggregateType: 'participant', aggregateId: 'prt_1' },
    },
  ]);
  await own.until('participant.updated');
  expect(own.text()).not.toContain('detection');
  expect(others.text()).not.toContain(detectionId);

  await db.member.deleteMany({ where: { projectId: project.id, userId: moderator.id } });
  announce([{ ...common, id: '', type: 'detection.changed', ...aboutDetection('det_later'), userId: null }]);
  await staff.until('FORBIDDEN');
  expect(staff.text()).not.toContain('det_later');
});

test('pages that hear of a review at once read the roles of their viewers together', async () => {
  const { project, moderator } = await setupReview(server);
  const input = encodeURIComponent(JSON.stringify({ json: { projectId: project.id } }));
  const url = `${server.url}/api/trpc/antiCheat.review.live?input=${input}`;
  const pages = await Promise.all(Array.from({ length: 60 }, () => follow(url, moderator.bearer)));
  await Promise.all(pages.map((page) => page.until('live.resumed')));
  const statements = await statementsOf(async () => {
    const common = { projectId: project.id, tournamentId: null, userId: null };
    announce([{ ...common, id: '', type: 'detection.changed', ...aboutDetection('det_together') }]);
    await Promise.all(pages.map((page) => page.until('det_together')));
  });
  const ofRoles = statements.filter((text) => text.includes('"member"'));
  expect(ofRoles.length).toBeLessThan(5);
  // A condition for each page would take PostgreSQL a second to plan for two thousand.
  for (const text of ofRoles) expect(text.length).toBeLessThan(500);
});

const aboutDetection = (aggregateId: string) => ({ aggregateType: 'detection', aggregateId });
