import { expect, onTestFinished, test } from 'vitest';
import { env } from '@/env';
import { db } from '@/server/db';
import { resetPasswordEmail } from '@/server/email/account-emails';
import { maxFolded, queueEmailFromOthers, queueEmailsOnce } from '@/server/email/outbox';
import { systemActor } from '@/server/events/emit';
import { readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import type { MatchOutput } from '@/server/routers/matches/schema';
import { lastEmail } from '@/test/email';
import { makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { queueReportEmails } from './data-report-emails';
import { confirmSilently } from './data-results';

const api = setupTestServer();

/** A match of two that the first side can report, and the emails that the other side gets about it. */
async function oneMatch() {
  const cup = await startCup(api, 2);
  const [match] = await readMatches(api, cup.tournamentId);
  const id = match?.id ?? '';
  const [reporter, opponent] = match?.slots.map(({ participantId }) => participantId ?? '') ?? [];
  const bearer = await cup.bearerOf(reporter);
  await cup.bearerOf(opponent);
  const { user } = await db.participant.findUniqueOrThrow({ where: { id: opponent }, include: { user: true } });
  const to = user?.email ?? '';
  async function report(...scores: [number, number]) {
    const answer = await api.post<MatchOutput>(`/matches/${id}/report`, { bearer, body: { games: [{ scores }] } });
    expect(answer.status, answer.text).toBe(200);
    await queueReportEmails(id);
    return answer.body;
  }
  const emails = () => db.outgoingMail.findMany({ where: { kind: 'match.report', recipient: to } });
  return { cup, id, to, reporter, report, emails };
}

test('the opponent is emailed about each changed report, three times for a play of the match', async () => {
  const { cup, id, to, report, emails } = await oneMatch();
  for (const [own, expected] of [1, 2, 3, 3, 3].entries()) {
    const { report: reported } = await report(16, own);
    await queueReportEmails(id);
    expect(await emails()).toHaveLength(expected);
    // The last email is the only one about all further changes.
    expect(reported?.confirmBy !== null, 'silence confirms it').toBe(own < 2);
  }
  expect((await lastEmail(to, 'match.report')).text).toContain('Without an answer, the organizer decides.');
  const bearer = cup.moderator.bearer;
  expect((await api.post(`/matches/${id}/confirm`, { bearer })).status).toBe(200);
  expect((await api.post(`/matches/${id}/reopen`, { bearer, body: {} })).status).toBe(200);
  await report(16, 1);
  expect(await emails()).toHaveLength(4);
});

test('a report that staff remove and that is sent again is emailed again, and no other time', async () => {
  const { cup, id, report, emails } = await oneMatch();
  for (const expected of [1, 2]) {
    const { version } = await report(16, 3);
    await report(16, 3);
    expect(await emails()).toHaveLength(expected);
    const removed = await api.post(`/matches/${id}/reopen`, { bearer: cup.moderator.bearer, body: { version } });
    expect(removed.status, removed.text).toBe(200);
    await queueReportEmails(id);
  }
  expect(await emails()).toHaveLength(2);
});

test('the email takes the turn of the block of the player who reported, not that of the organizer', async () => {
  const { cup, reporter, report, emails } = await oneMatch();
  const { userId } = await db.participant.findUniqueOrThrow({ where: { id: reporter } });
  await db.user.update({ where: { id: userId ?? '' }, data: { createdFrom: 'block' } });
  await db.project.update({ where: { id: cup.project.id }, data: { createdFrom: 'organizer' } });
  await report(16, 3);
  expect((await emails()).map(({ causedBy }) => causedBy)).toEqual(['by block']);
});

test('the email says whether a report counts without an answer', async () => {
  const { to, report } = await oneMatch();
  await report(3, 16);
  const first = await lastEmail(to, 'match.report');
  expect(first.subject).toContain('reported a result');
  expect(first.text).toContain('Without an answer it counts.');
  await report(16, 3);
  const second = await lastEmail(to, 'match.report');
  expect(second.subject).toContain('changed the reported result');
  expect(second.text).toContain('Without an answer, the organizer decides.');
});

/** Uses up what others may send to an address at once. */
async function useUpBudget(to: string, sourceId: string) {
  const email = resetPasswordEmail({ name: 'Ada', emailVerifiedAt: new Date() }, 'the-token');
  const cause = () => db.$transaction((tx) => queueEmailFromOthers(tx, { to, kind: 'update', email, sourceId }));
  while ((await cause()) !== null);
}

test('what strangers send to an address does not delay the email about a report', async () => {
  const { cup, to, report, emails } = await oneMatch();
  await useUpBudget(to, cup.project.id);
  await report(16, 3);
  expect(await emails()).toMatchObject([{ foldedAt: null }]);
});

/** Expects that silence does not confirm the report of a match once its time has passed. */
async function expectNoConfirmation(id: string) {
  expect(await queueReportEmails(id)).toBe(false);
  const past = new Date(Date.now() - 1_000);
  await db.match.updateMany({ where: { id, confirmBy: { not: null } }, data: { confirmBy: past } });
  expect(await confirmSilently(id, { actor: systemActor, requestId: null })).toBe(false);
  expect(await db.match.findUniqueOrThrow({ where: { id } })).toMatchObject({ winnerId: null, confirmBy: null });
}

/** Queues emails that an address gets at once up to its limit, and `more` that wait for its digest. */
async function useUpOwnEmails(to: string, sourceId: string, more = 0) {
  const email = resetPasswordEmail({ name: 'Ada', emailVerifiedAt: new Date() }, 'the-token');
  const count = env.OWN_EMAILS_PER_ADDRESS_PER_HOUR + more;
  const emails = Array.from({ length: count }, (_, at) => {
    return { to, kind: 'update', email, asked: true, dedupeKey: `${to} ${at}`, sourceId };
  });
  await db.$transaction((tx) => queueEmailsOnce(tx, emails));
}

test('silence confirms nothing while the address of the opponent gets emails with a digest only', async () => {
  const { id, to, report, emails } = await oneMatch();
  await useUpOwnEmails(to, id);
  await report(16, 3);
  expect((await emails()).map(({ foldedAt }) => foldedAt !== null)).toEqual([true]);
  await expectNoConfirmation(id);
});

test('silence confirms nothing whose email was dropped, because the digest of the address is full', async () => {
  const { cup, id, to, report, emails } = await oneMatch();
  await useUpOwnEmails(to, cup.project.id, maxFolded);
  await report(16, 3);
  expect(await emails()).toEqual([]);
  await expectNoConfirmation(id);
});

test('silence confirms nothing whose email has failed for good', async () => {
  const { id, to, report } = await oneMatch();
  await report(16, 3);
  expect(await queueReportEmails(id)).toBe(true);
  const data = { failedAt: new Date(), dueAt: null, contentEncrypted: null, lastError: '550 no such mailbox' };
  await db.outgoingMail.updateMany({ where: { kind: 'match.report', recipient: to }, data });
  await expectNoConfirmation(id);
});

/** Lets the time of a report pass, and has silence confirm it. */
async function confirmAfterTime(id: string) {
  const past = new Date(Date.now() - 1_000);
  await db.match.updateMany({ where: { id, confirmBy: { not: null } }, data: { confirmBy: past } });
  return confirmSilently(id, { actor: systemActor, requestId: null });
}

test('silence confirms nothing whose email waits for a mail server, and counts from when one takes it', async () => {
  const { cup, id, to, reporter, report } = await oneMatch();
  const { autoConfirmMinutes } = await db.tournament.findUniqueOrThrow({ where: { id: cup.tournamentId } });
  const wait = autoConfirmMinutes * 60_000;
  await report(16, 3);
  const match = () => db.match.findUniqueOrThrow({ where: { id } });
  for (let times = 0; times < 2; times += 1) {
    const before = Date.now();
    expect(await confirmAfterTime(id)).toBe(false);
    const { winnerId, confirmBy } = await match();
    expect(winnerId).toBe(null);
    expect(Number(confirmBy), 'an answer has all of its time').toBeGreaterThan(before + wait - 5_000);
  }
  const emails = { kind: 'match.report', recipient: to };
  const taken = (sentAt: number) =>
    db.outgoingMail.updateMany({ where: emails, data: { sentAt: new Date(sentAt), dueAt: null } });
  const reported = Object((await match()).report);
  const reportedAt = (at: number) =>
    db.match.update({ where: { id }, data: { report: { ...reported, reportedAt: new Date(at).toISOString() } } });
  const late = Date.now() - 100;
  await reportedAt(late - 60_000);
  await taken(late);
  expect(await confirmAfterTime(id)).toBe(false);
  expect(Number((await match()).confirmBy)).toBe(late + wait);
  const soon = Date.parse(reported.reportedAt);
  await reportedAt(soon);
  await taken(soon + 9_000);
  expect(await confirmAfterTime(id)).toBe(true);
  expect(await match()).toMatchObject({ winnerId: reporter, confirmBy: null });
});

test('silence confirms nothing whose email was given up after it had waited', async () => {
  const { id, to, report } = await oneMatch();
  await report(16, 3);
  expect(await confirmAfterTime(id)).toBe(false);
  expect((await db.match.findUniqueOrThrow({ where: { id } })).confirmBy).not.toBe(null);
  const data = { failedAt: new Date(), dueAt: null, contentEncrypted: null, lastError: 'connect ECONNREFUSED' };
  await db.outgoingMail.updateMany({ where: { kind: 'match.report', recipient: to }, data });
  await expectNoConfirmation(id);
});

test('silence confirms nothing whose email the mail server of the opponent has refused for half an hour', async () => {
  const { id, to, report } = await oneMatch();
  await report(16, 3);
  const refused = (attempts: number) =>
    db.outgoingMail.updateMany({
      where: { kind: 'match.report', recipient: to },
      data: { attempts, lastError: '450 not now', dueAt: new Date(Date.now() + 3_600_000) },
    });
  await refused(5);
  expect(await confirmAfterTime(id)).toBe(false);
  expect((await db.match.findUniqueOrThrow({ where: { id } })).confirmBy).not.toBe(null);
  await refused(6);
  await expectNoConfirmation(id);
});

test('whatever staff take back, three emails for a match are sent at once, and silence confirms no other report', async () => {
  const { cup, id, to, report, emails } = await oneMatch();
  await useUpBudget(to, cup.project.id);
  const bearer = cup.moderator.bearer;
  for (const [index, isConfirmed] of [true, true, true, false, false].entries()) {
    const { report: reported } = await report(16, 3);
    expect(reported?.confirmBy !== null, `silence confirms report ${index}`).toBe(isConfirmed);
    if (index % 2 === 1) await api.post(`/matches/${id}/resolve`, { bearer, body: { games: [{ scores: [16, 3] }] } });
    const reopened = await api.post(`/matches/${id}/reopen`, { bearer, body: {} });
    expect(reopened.status, reopened.text).toBe(200);
  }
  const folded = (await emails()).map(({ foldedAt }) => foldedAt !== null);
  expect(folded.sort()).toEqual([false, false, false, true, true]);
});

test('however often staff draw again, silence confirms a few reports against a participant', async () => {
  const limit = env.MATCH_ANSWERS_PER_PLAYER_PER_HOUR;
  onTestFinished(() => void Object.assign(env, { MATCH_ANSWERS_PER_PLAYER_PER_HOUR: limit }));
  env.MATCH_ANSWERS_PER_PLAYER_PER_HOUR = 2;
  const { cup, reporter } = await oneMatch();
  const bearer = await cup.bearerOf(reporter);
  const isConfirmed: boolean[] = [];
  for (let count = 0; count < 4; count += 1) {
    const [match] = await readMatches(api, cup.tournamentId);
    const body = { games: [{ scores: [16, 3] }] };
    const { report } = (await api.post<MatchOutput>(`/matches/${match?.id}/report`, { bearer, body })).body;
    isConfirmed.push(report?.confirmBy !== null);
    const drawn = await api.post(`/tournaments/${cup.tournamentId}/draw`, { bearer: cup.organizer.bearer });
    expect(drawn.status, drawn.text).toBe(200);
  }
  expect(isConfirmed).toEqual([true, true, false, false]);
});

test('however often a participant changes a report, silence confirms what others report against the same opponent', async () => {
  const limit = env.MATCH_ANSWERS_PER_PLAYER_PER_HOUR;
  onTestFinished(() => void Object.assign(env, { MATCH_ANSWERS_PER_PLAYER_PER_HOUR: limit }));
  env.MATCH_ANSWERS_PER_PLAYER_PER_HOUR = 4;
  const cup = await startCup(api, 3, { format: 'round_robin' });
  const [opponent, changing, other] = cup.participantIds;
  const matches = await readMatches(api, cup.tournamentId);
  const report = async (by: string | undefined, scores: [number, number]) => {
    const match = matches.find(({ slots }) => [by, opponent].every((id) => slots.some((s) => s.participantId === id)));
    const bearer = await cup.bearerOf(by);
    return api.post<MatchOutput>(`/matches/${match?.id}/report`, { bearer, body: { games: [{ scores }] } });
  };
  const isConfirmed: boolean[] = [];
  for (const scores of [
    [1, 0],
    [0, 1],
    [2, 0],
    [0, 2],
  ] as [number, number][]) {
    const { status, text, body } = await report(changing, scores);
    expect(status, text).toBe(200);
    isConfirmed.push(body.report?.confirmBy !== null);
  }
  expect(isConfirmed).toEqual([true, false, false, false]);
  expect((await report(changing, [3, 0])).reason).toBe('QUOTA_EXCEEDED');
  const { status, text, body } = await report(other, [1, 0]);
  expect(status, text).toBe(200);
  expect(body.report?.confirmBy).toEqual(expect.any(String));
});

test('silence confirms nothing against whoever has not accepted, who is not emailed', async () => {
  const { id, to, report, emails } = await oneMatch();
  const { participantBId } = await db.match.findUniqueOrThrow({ where: { id } });
  await db.participant.update({ where: { id: participantBId ?? '' }, data: { acceptedAt: null } });
  await report(16, 3);
  const past = new Date(Date.now() - 1_000);
  expect(await db.match.updateMany({ where: { id, confirmBy: { not: null } }, data: { confirmBy: past } })).toEqual({
    count: 1,
  });
  expect(await queueReportEmails(id)).toBe(false);
  expect(await confirmSilently(id, { actor: systemActor, requestId: null })).toBe(false);
  expect((await db.match.findUniqueOrThrow({ where: { id } })).winnerId).toBe(null);
  expect(await emails(), to).toEqual([]);
});

test('silence confirms nothing against those whom no email can reach, and counts where they want none', async () => {
  const cases = [
    [{ emailVerifiedAt: null }, false],
    [{ suspendedAt: new Date() }, false],
    [{ emailNotifications: false }, true],
  ] as const;
  for (const [data, counts] of cases) {
    const { id, to, reporter, report, emails } = await oneMatch();
    await db.user.update({ where: { email: to }, data });
    await report(16, 3);
    const past = new Date(Date.now() - 1_000);
    await db.match.updateMany({ where: { id, confirmBy: { not: null } }, data: { confirmBy: past } });
    expect(await queueReportEmails(id), JSON.stringify(data)).toBe(counts);
    expect(await confirmSilently(id, { actor: systemActor, requestId: null }), JSON.stringify(data)).toBe(counts);
    const expected = { winnerId: counts ? reporter : null, confirmBy: null };
    expect(await db.match.findUniqueOrThrow({ where: { id } })).toMatchObject(expected);
    expect(await emails(), to).toEqual([]);
  }
});

test('silence confirms nothing against who came after the report and was never sent an email about it', async () => {
  const { cup, id, to, report, emails } = await oneMatch();
  await report(16, 3);
  await db.outgoingMail.updateMany({ where: { recipient: to }, data: { sentAt: new Date() } });
  const substitute = await makeUser();
  const { tournamentId } = cup;
  // As a substitution leaves it.
  await db.participant.updateMany({ where: { tournamentId, user: { email: to } }, data: { userId: substitute.id } });
  const past = new Date(Date.now() - 1_000);
  await db.match.update({ where: { id }, data: { confirmBy: past } });
  expect(await confirmSilently(id, { actor: systemActor, requestId: null })).toBe(false);
  expect(await db.match.findUniqueOrThrow({ where: { id } })).toMatchObject({ winnerId: null, confirmBy: null });
  expect(await emails()).toHaveLength(1);
});
