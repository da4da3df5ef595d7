import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { metered } from '@/server/limits/thread-meter';
import { startCup } from '@/server/routers/matches/matches.fixture';
import { setupTestServer } from '@/test/server';
import { readCalendar } from './data-calendar';
import { readCalendarText } from './data-text';

const api = setupTestServer();

/** A cup of four whose matches have a time. */
const scheduled = async () => {
  const cup = await startCup(api, 4);
  await db.$executeRaw`
    UPDATE "match" SET "scheduledAt" = now() + "number" * interval '1 hour' WHERE "tournamentId" = ${cup.tournamentId}`;
  return cup;
};

/** Bytes that the database sends for some work. */
const bytesOf = async (work: () => Promise<unknown>) => {
  let bytes = 0;
  await metered(work, (meter) => {
    bytes = meter.bytes;
  });
  return bytes;
};

test('a calendar that has not changed is neither read nor made again', async () => {
  const cup = await scheduled();
  const read = () => readCalendarText(cup.tournamentId, null);
  const asked = await Promise.all([read(), read(), read(), read(), read()]);
  expect(new Set(asked).size).toBe(1);
  expect(await read()).toBe(asked[0]);
  const bytes = [await bytesOf(() => readCalendar(db, cup.tournamentId, null)), await bytesOf(read)];
  expect(bytes.map((each) => each > 500)).toEqual([true, false]);
});

test('whatever changes in a calendar is in it at once, and what is taken back is not', async () => {
  const cup = await scheduled();
  const { tournamentId } = cup;
  const read = async () => (await readCalendarText(tournamentId, null)).text;
  const before = await read();
  const player = { id: cup.participantIds[0] ?? '' };
  const match = await db.match.findFirstOrThrow({ where: { tournamentId, number: 1 } });
  const { name, startDate, updatedAt } = await db.tournament.findUniqueOrThrow({ where: { id: tournamentId } });
  const rename = (to: string) => db.participant.update({ where: player, data: { name: to } });
  const renameStage = (to: string) => db.stage.update({ where: { id: match.stageId }, data: { name: to } });
  const { name: stage } = await db.stage.findUniqueOrThrow({ where: { id: match.stageId } });
  // Nothing else tells of the change: neither a version nor the time of it.
  const change = (data: object) =>
    db.match.update({ where: { id: match.id }, data: { updatedAt: match.updatedAt, ...data } });
  const changeAll = (data: object) =>
    db.tournament.update({ where: { id: tournamentId }, data: { updatedAt, ...data } });
  const changes = [
    [() => rename('Other Player'), 'Other Player', () => rename('Player 1')],
    [() => renameStage('Other Stage'), 'Other Stage', () => renameStage(stage)],
    [
      () => change({ scheduledAt: new Date('2041-02-03T04:05:06Z') }),
      'DTSTART:20410203T040506Z',
      () => change({ scheduledAt: match.scheduledAt }),
    ],
    [() => change({ version: 77 }), 'SEQUENCE:77', () => change({ version: match.version })],
    [() => changeAll({ name: 'Other Cup' }), 'Other Cup', () => changeAll({ name })],
    [
      () => changeAll({ startDate: new Date('2041-02-03T04:05:06Z') }),
      'DTSTART:20410203T040506Z',
      () => changeAll({ startDate }),
    ],
  ] as const;
  for (const [begin, shown, takeBack] of changes) {
    expect(before).not.toContain(shown);
    await begin();
    expect(await read()).toContain(shown);
    await takeBack();
    expect(await read()).toBe(before);
  }
  await db.match.updateMany({ where: { tournamentId }, data: { scheduledAt: null } });
  expect((await read()).match(/BEGIN:VEVENT/g)).toHaveLength(1);
  await db.tournament.delete({ where: { id: tournamentId } });
  await expect(read()).rejects.toMatchObject({ reason: 'NOT_FOUND' });
});

test('each participant has their own calendar, with the name that they have now', async () => {
  const cup = await scheduled();
  const [a = '', b = ''] = cup.participantIds;
  const read = async (id: string) => {
    const { text } = await api.get(`/tournaments/${cup.tournamentId}/participants/${id}/calendar.ics`);
    return /X-WR-CALNAME:(.*) · /.exec(text)?.[1];
  };
  const shown = async () => [await read(a), await read(b), await read(a)];
  expect(await shown()).toEqual(['Player 1', 'Player 2', 'Player 1']);
  await db.participant.update({ where: { id: a }, data: { name: 'Renamed' } });
  expect(await shown()).toEqual(['Renamed', 'Player 2', 'Renamed']);
  await db.participant.update({ where: { id: a }, data: { registrationStatus: 'cancelled' } });
  expect(await shown()).toEqual([undefined, 'Player 2', undefined]);
});
