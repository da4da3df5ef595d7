import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { systemActor } from '@/server/events/emit';
import { countEvents, readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import type { CorrectionOutput, MatchOutput } from '@/server/routers/matches/schema';
import { setupTestServer } from '@/test/server';
import { queueReportEmails } from './data-report-emails';
import { confirmSilently } from './data-results';

const api = setupTestServer();
const score = { games: [{ scores: [1, 0] }] };

/** A cup of four whose semifinals are decided for the first slot, and whose final has a report by the first finalist. */
async function reportedFinal() {
  const cup = await startCup(api, 4);
  const staff = cup.moderator.bearer;
  const [first, second] = await readMatches(api, cup.tournamentId);
  for (const match of [first, second]) {
    await api.post(`/matches/${match?.id}/resolve`, {
      bearer: staff,
      body: { winnerId: match?.slots[0].participantId },
    });
  }
  const final = (await readMatches(api, cup.tournamentId)).at(-1);
  const reporter = await cup.bearerOf(first?.slots[0].participantId);
  const opponent = await cup.bearerOf(second?.slots[0].participantId);
  const report = () => api.post<MatchOutput>(`/matches/${final?.id}/report`, { bearer: reporter, body: score });
  const reported = await report();
  expect(reported.status, reported.text).toBe(200);
  const correct = (body: object = {}) =>
    api.post<CorrectionOutput>(`/matches/${first?.id}/correct`, {
      bearer: staff,
      body: { winnerId: first?.slots[1].participantId, ...body },
    });
  const onFinal = (what: string, bearer: string, body: object = {}) =>
    api.post<CorrectionOutput & MatchOutput>(`/matches/${final?.id}/${what}`, { bearer, body });
  const readFinal = async () => (await readMatches(api, cup.tournamentId)).at(-1);
  const semifinal = first?.id ?? '';
  const loser = first?.slots[1].participantId;
  return {
    cup,
    staff,
    reporter,
    opponent,
    semifinal,
    loser,
    final: reported.body,
    report,
    correct,
    onFinal,
    readFinal,
  };
}

const removedLines = (matchId: string) => db.matchMessage.findMany({ where: { matchId, kind: 'report_removed' } });

test('a correction clears a later match that is only reported', async () => {
  const { cup, staff, reporter, semifinal, final, loser, correct, readFinal } = await reportedFinal();
  const affected = [{ matchId: final.id, change: 'cleared', losesResult: false }];
  expect((await correct({ preview: true })).body).toMatchObject({ allowed: true, affected });
  expect((await readFinal())?.report).not.toBeNull();
  const corrected = await correct();
  expect(corrected.status, corrected.text).toBe(200);
  expect(corrected.body).toMatchObject({ allowed: true, affected });
  const after = await readFinal();
  expect(after).toMatchObject({ status: 'ready', report: null, startedAt: null });
  expect(after?.slots.map(({ participantId }) => participantId)).toContain(loser);
  expect(await countEvents(cup.project.id)).toMatchObject({ 'match.result_corrected': 1 });
  const [line] = await removedLines(final.id);
  const before = final.slots.map(({ participantId }) => participantId);
  expect(line, 'those who played in it then read it').toMatchObject({ participantIds: before });
  expect((await api.post(`/matches/${final.id}/report`, { bearer: reporter, body: score })).reason).toBe(
    'NOT_IN_MATCH',
  );
  const undone = await api.post(`/matches/${semifinal}/correct/undo`, {
    bearer: staff,
  });
  expect(undone.status, undone.text).toBe(200);
  expect(await readFinal(), 'the report does not come back').toMatchObject({ status: 'ready', report: null });
});

test('a correction keeps the report of a match whose participants stay', async () => {
  const { staff, final, semifinal, readFinal } = await reportedFinal();
  const winnerId = (await api.get<MatchOutput>(`/matches/${semifinal}`)).body.winnerId;
  const body = { winnerId, games: [{ scores: [16, 2] }] };
  const corrected = await api.post<CorrectionOutput>(`/matches/${semifinal}/correct`, { bearer: staff, body });
  expect(corrected.body, corrected.text).toMatchObject({ allowed: true, affected: [] });
  expect(await readFinal()).toMatchObject({ status: 'in_progress', version: final.version });
});

test('reopening and reinstating clear a later match that is only reported', async () => {
  const { cup, staff, semifinal, final, readFinal } = await reportedFinal();
  const reopened = await api.post<CorrectionOutput>(`/matches/${semifinal}/reopen`, { bearer: staff });
  expect(reopened.body.affected).toMatchObject([
    { matchId: semifinal, change: 'reopened' },
    { matchId: final.id, change: 'cleared', losesResult: false },
  ]);
  expect(await readFinal()).toMatchObject({ status: 'pending', report: null });

  const participants = `/tournaments/${cup.tournamentId}/participants`;
  const [left] = cup.participantIds;
  const act = (what: string) =>
    api.post(`${participants}/${left}/${what}`, { bearer: staff, body: { reason: 'Has to leave' } });
  expect((await act('disqualify')).status).toBe(200);
  const next = await readFinal();
  const bearer = await cup.bearerOf(next?.slots[0].participantId);
  expect((await api.post(`/matches/${next?.id}/report`, { bearer, body: score })).status).toBe(200);
  const back = await act('reinstate');
  expect(back.status, back.text).toBe(200);
  expect(await readFinal()).toMatchObject({ status: 'pending', report: null });
  expect(await removedLines(final.id)).toHaveLength(2);
});

test('a correction is refused once a reported match is disputed, or was started before the report', async () => {
  const disputed = await reportedFinal();
  expect((await disputed.onFinal('dispute', disputed.opponent, { reason: 'Not played' })).status).toBe(200);
  expect((await disputed.correct()).reason).toBe('AFFECTED_MATCH_IN_PROGRESS');
  const started = await reportedFinal();
  expect((await started.onFinal('start', started.staff)).status).toBe(200);
  expect((await started.report()).status).toBe(200);
  expect((await started.correct()).reason).toBe('AFFECTED_MATCH_IN_PROGRESS');
});

test('a reported match is taken back to before the report by reopening it', async () => {
  const { cup, staff, reporter, opponent, final, report, onFinal, readFinal } = await reportedFinal();
  expect((await onFinal('reopen', reporter)).reason).toBe('FORBIDDEN');
  expect((await onFinal('reopen', opponent)).reason).toBe('FORBIDDEN');
  expect((await onFinal('reopen', staff, { preview: true })).body).toEqual({ allowed: true, affected: [] });
  expect((await onFinal('reopen', staff, { version: final.version - 1 })).reason).toBe('VERSION_MISMATCH');
  const removed = await onFinal('reopen', staff, { version: final.version, reason: 'Not played yet' });
  expect(removed.body).toMatchObject({
    ...{ allowed: true, affected: [] },
    match: { status: 'ready', report: null, startedAt: null, version: final.version + 1 },
  });
  expect(await removedLines(final.id)).toMatchObject([{ authorId: cup.moderator.id, text: 'Not played yet' }]);
  const where = { projectId: cup.project.id, action: 'match.remove_report' };
  expect(await db.auditEntry.findMany({ where })).toMatchObject([{ targetId: final.id }]);
  expect((await onFinal('reopen', staff)).reason, 'there is nothing to take back').toBe('MATCH_NOT_DECIDED');

  expect((await report()).status).toBe(200);
  expect((await onFinal('confirm', opponent)).body).toMatchObject({ status: 'completed' });
  expect((await readFinal())?.startedAt).not.toBeNull();
});

test('nobody disputes what they reported themselves', async () => {
  const { staff, reporter, final, correct, onFinal, readFinal } = await reportedFinal();
  const refused = await onFinal('dispute', reporter, { reason: 'x' });
  expect([refused.status, refused.reason]).toEqual([409, 'NOTHING_TO_CONFIRM']);
  expect(await readFinal()).toMatchObject({ status: 'in_progress', startedAt: null, version: final.version });
  expect((await correct({ preview: true })).body).toMatchObject({ allowed: true });
  expect((await onFinal('dispute', staff, { reason: 'Not played' })).body).toMatchObject({ status: 'disputed' });
});

test('a disputed match is taken back to before the report by reopening it', async () => {
  const { cup, staff, opponent, final, report, correct, onFinal } = await reportedFinal();
  expect((await onFinal('dispute', opponent, { reason: 'Not played' })).status).toBe(200);
  expect((await onFinal('reopen', opponent)).reason).toBe('FORBIDDEN');
  expect((await correct()).reason).toBe('AFFECTED_MATCH_IN_PROGRESS');
  const removed = await onFinal('reopen', staff, { reason: 'Not played yet' });
  expect(removed.body.match).toMatchObject({ status: 'ready', report: null, startedAt: null });
  expect(await removedLines(final.id)).toMatchObject([{ authorId: cup.moderator.id, text: 'Not played yet' }]);
  expect((await correct({ preview: true })).body).toMatchObject({ allowed: true });

  const started = await onFinal('start', staff);
  expect((await report()).status).toBe(200);
  expect((await onFinal('dispute', opponent, { reason: 'Wrong score' })).status).toBe(200);
  const { startedAt } = started.body;
  expect((await onFinal('reopen', staff)).body.match, 'staff had started it').toMatchObject({
    ...{ status: 'in_progress', report: null, startedAt },
  });
});

test('silence does not confirm a report that was removed', async () => {
  const { staff, final, report, onFinal, readFinal } = await reportedFinal();
  const by = { actor: systemActor, requestId: null };
  const past = new Date(Date.now() - 1_000);
  await db.match.update({ where: { id: final.id }, data: { confirmBy: past } });
  expect((await onFinal('reopen', staff)).status).toBe(200);
  expect(await confirmSilently(final.id, by)).toBe(false);
  // The time of the earlier report is not that of the next one.
  expect((await report()).status).toBe(200);
  expect(await confirmSilently(final.id, by)).toBe(false);
  await db.match.update({ where: { id: final.id }, data: { confirmBy: past } });
  expect((await onFinal('start', staff)).status).toBe(200);
  expect(await confirmSilently(final.id, by)).toBe(false);
  expect(await readFinal()).toMatchObject({ status: 'in_progress', report: null });
});

test('once only staff enter results, neither the opponent nor silence confirms what was reported before', async () => {
  const { cup, staff, opponent, final, onFinal, readFinal } = await reportedFinal();
  await db.tournament.update({ where: { id: cup.tournamentId }, data: { resultMode: 'staff' } });
  await db.match.update({ where: { id: final.id }, data: { confirmBy: new Date(Date.now() - 1_000) } });
  expect(await confirmSilently(final.id, { actor: systemActor, requestId: null })).toBe(false);
  expect((await onFinal('confirm', opponent)).reason).toBe('STAFF_RESULTS_ONLY');
  expect(await readFinal()).toMatchObject({ status: 'in_progress', report: { confirmBy: null } });
  expect((await onFinal('confirm', staff)).body).toMatchObject({ status: 'completed' });
});

test('of a removal, a confirmation and silence at the same time, one takes effect', async () => {
  for (let round = 0; round < 6; round += 1) {
    const { staff, opponent, final, onFinal, readFinal } = await reportedFinal();
    await queueReportEmails(final.id);
    const emails = { dedupeKey: { startsWith: `report:${final.id}` } };
    await db.outgoingMail.updateMany({ where: emails, data: { sentAt: new Date() } });
    await db.match.update({ where: { id: final.id }, data: { confirmBy: new Date(Date.now() - 1_000) } });
    const { version } = final;
    const [removed, confirmed, silent] = await Promise.all([
      onFinal('reopen', staff, { version }),
      onFinal('confirm', opponent, { version }),
      confirmSilently(final.id, { actor: systemActor, requestId: null }),
    ]);
    const done = [removed.status === 200, confirmed.status === 200, silent];
    expect(done.filter(Boolean), `${removed.text} ${confirmed.text}`).toHaveLength(1);
    const after = await readFinal();
    expect(after).toMatchObject(removed.status === 200 ? { status: 'ready', report: null } : { status: 'completed' });
  }
});
