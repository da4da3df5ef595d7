import ICAL from 'ical.js';
import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { makeCup, readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import { costOf } from '@/test/processor';
import { setupTestServer } from '@/test/server';
import { readCalendar } from './data-calendar';
import { toCalendar } from './rules';

const api = setupTestServer();

/** The entries of a calendar by UID, as a parser that is not ours reads them. */
function parse(text: string) {
  const calendar = new ICAL.Component(ICAL.parse(text));
  expect(calendar.getFirstPropertyValue('version')).toBe('2.0');
  const events = calendar.getAllSubcomponents('vevent').map((component) => new ICAL.Event(component));
  return new Map(events.map((event) => [event.uid.replace(/@.*$/, ''), event]));
}

const utc = (time: ICAL.Time) => {
  expect(time.zone.tzid).toBe('UTC');
  return time.toJSDate().toISOString();
};

const at = (hours: number) => new Date(Date.UTC(2031, 4, 17, hours)).toISOString();

test('shows the tournament, its check-in and each scheduled match in UTC', async () => {
  const startDate = new Date(at(18));
  const cup = await startCup(api, 4, {
    name: 'Spring; Cup, "Finals"\\2031',
    startDate,
    timezone: 'Europe/Berlin',
    checkInOpensAt: new Date(at(17)),
  });
  const path = `/tournaments/${cup.tournamentId}/calendar.ics`;
  const [first, second, final] = await readMatches(api, cup.tournamentId);
  for (const [match, hour] of [
    [first, 18],
    [final, 20],
  ] as const) {
    const body = { scheduledAt: at(hour) };
    const moved = await api.post(`/matches/${match?.id}/reschedule`, { bearer: cup.moderator.bearer, body });
    expect(moved.status, moved.text).toBe(200);
  }
  const answer = await api.get(path);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  expect(answer.headers.get('content-disposition')).toMatch(/^inline; filename="[a-z0-9-]+\.ics"$/);
  expect(answer.text.split('\r\n').every((line) => Buffer.byteLength(line) <= 75)).toBe(true);

  // The parser reads only properties of RFC 5545 as text.
  const calendar = new ICAL.Component(ICAL.parse(answer.text));
  for (const name of ['name', 'x-wr-calname']) {
    expect(calendar.getFirstPropertyValue(name)).toBe('Spring\\; Cup\\, "Finals"\\\\2031');
  }
  const events = parse(answer.text);
  expect([...events.keys()].sort()).toEqual(
    [cup.tournamentId, `${cup.tournamentId}.check-in`, first?.id, final?.id].sort(),
  );
  expect(events.has(second?.id ?? '')).toBe(false);
  const whole = events.get(cup.tournamentId);
  expect(whole?.summary).toBe('Spring; Cup, "Finals"\\2031');
  expect(whole && [utc(whole.startDate), utc(whole.endDate)]).toEqual([at(18), at(21)]);
  const checkIn = events.get(`${cup.tournamentId}.check-in`);
  expect(checkIn && [utc(checkIn.startDate), utc(checkIn.endDate)]).toEqual([at(17), at(18)]);
  const opener = events.get(first?.id ?? '');
  expect(opener?.summary).toBe('Player 1 vs Player 4 · Spring; Cup, "Finals"\\2031');
  expect(opener && utc(opener.startDate)).toBe(at(18));
  const last = events.get(final?.id ?? '');
  expect(last?.summary).toMatch(/^Winner of M1 vs Winner of M2 · /);
  expect(last?.description).toBe('Bracket, Final, match 3');
});

test('no entry ends in a year of five digits', async () => {
  const cup = await startCup(api, 2);
  const [match] = await readMatches(api, cup.tournamentId);
  const body = { scheduledAt: '9999-12-31T23:30:00.000Z' };
  expect((await api.post(`/matches/${match?.id}/reschedule`, { bearer: cup.moderator.bearer, body })).status).toBe(200);
  const { text } = await api.get(`/tournaments/${cup.tournamentId}/calendar.ics`);
  expect(text.split('\r\n').filter((line) => /^DT(START|END)/.test(line) && !/:\d{8}T\d{6}Z$/.test(line))).toEqual([]);
  const entry = parse(text).get(match?.id ?? '');
  expect(entry && [utc(entry.startDate), utc(entry.endDate)]).toEqual(Array(2).fill('9999-12-31T23:30:00.000Z'));
});

test('an entry keeps its UID, and its sequence is the version of the match', async () => {
  const cup = await startCup(api, 2);
  const path = `/tournaments/${cup.tournamentId}/calendar.ics`;
  const read = async () => {
    const [match] = await readMatches(api, cup.tournamentId);
    const answer = await api.get(path);
    return { match, answer, event: parse(answer.text).get(match?.id ?? '') };
  };
  const move = async (hour: number) => {
    const id = (await read()).match?.id;
    const body = { scheduledAt: at(hour) };
    expect((await api.post(`/matches/${id}/reschedule`, { bearer: cup.moderator.bearer, body })).status).toBe(200);
  };
  await move(18);
  const before = await read();
  const etag = before.answer.headers.get('etag') ?? '';
  expect(etag).toMatch(/^"/);
  const again = await api.get(path, { headers: { 'If-None-Match': etag } });
  expect([again.status, again.text]).toEqual([304, '']);
  await move(20);
  const after = await read();
  expect(after.event?.uid).toBe(before.event?.uid);
  expect([before.event?.sequence, after.event?.sequence]).toEqual([before.match?.version, after.match?.version]);
  expect(Number(after.event?.sequence)).toBeGreaterThan(Number(before.event?.sequence));
  expect((await api.get(path, { headers: { 'If-None-Match': etag } })).status).toBe(200);
  const cancelled = await api.post(`/tournaments/${cup.tournamentId}/cancel`, { bearer: cup.organizer.bearer });
  expect(cancelled.status).toBe(200);
  expect((await read()).event?.component.getFirstPropertyValue('status')).toBe('CANCELLED');
});

test('a participant’s calendar has only their matches', async () => {
  const cup = await startCup(api, 4);
  const matches = await readMatches(api, cup.tournamentId);
  for (const { id } of matches) {
    await api.post(`/matches/${id}/reschedule`, { bearer: cup.moderator.bearer, body: { scheduledAt: at(18) } });
  }
  const [player] = cup.participantIds;
  const answer = await api.get(`/tournaments/${cup.tournamentId}/participants/${player}/calendar.ics`);
  const own = matches.find(({ slots }) => slots.some(({ participantId }) => participantId === player));
  expect([...parse(answer.text).keys()]).toEqual([cup.tournamentId, own?.id]);
  const other = await makeCup(2);
  const [stranger] = other.participantIds;
  for (const id of [stranger, 'prt_unknown']) {
    expect((await api.get(`/tournaments/${cup.tournamentId}/participants/${id}/calendar.ics`)).status).toBe(404);
  }
  await db.participant.update({ where: { id: stranger }, data: { registrationStatus: 'pending' } });
  expect((await api.get(`/tournaments/${other.tournamentId}/participants/${stranger}/calendar.ics`)).status).toBe(404);
});

test('a private tournament’s calendars are for those who may read it', async () => {
  const cup = await startCup(api, 2, { visibility: 'private' });
  const [player] = cup.participantIds;
  for (const path of ['/calendar.ics', `/participants/${player}/calendar.ics`]) {
    const read = async (bearer?: string) =>
      (await api.get(`/tournaments/${cup.tournamentId}${path}`, { bearer })).status;
    expect([await read(), await read(cup.stranger.bearer)]).toEqual([404, 404]);
    expect([await read(cup.moderator.bearer), await read(await cup.bearerOf(player))]).toEqual([200, 200]);
  }
  const missing = await api.get(`/tournaments/${cup.tournamentId}/calendarXics`);
  expect(missing.reason).toBe('ROUTE_NOT_FOUND');
});

test('a line break in a name begins no property of its own', async () => {
  const cup = await makeCup(0, { name: 'Cup\r\nATTENDEE:mailto:victim@players.test\r\nBEGIN:VALARM' });
  const { status, text } = await api.get(`/tournaments/${cup.tournamentId}/calendar.ics`);
  expect(status).toBe(200);
  expect(text).not.toMatch(/^(ATTENDEE|BEGIN:VALARM)/m);
  const calendar = new ICAL.Component(ICAL.parse(text));
  expect(calendar.getFirstPropertyValue('x-wr-calname')).toMatch(/^Cup ATTENDEE/);
});

test('a calendar of thousands of matches neither takes the database nor the process for seconds', async () => {
  const cup = await startCup(api, 64, { format: 'round_robin' });
  await db.$executeRaw`
    UPDATE "match" SET "scheduledAt" = now() + "number" * interval '1 minute' WHERE "tournamentId" = ${cup.tournamentId}`;
  const began = performance.now();
  const { contents } = await readCalendar(db, cup.tournamentId, null);
  const read = performance.now();
  expect(contents.matches).toHaveLength(2_016);
  expect(contents.matches.every(({ rounds }) => rounds === 63)).toBe(true);
  const names: [string, string] = ['Ä'.repeat(60), '\u{1f3c6}'.repeat(60)];
  const matches = contents.matches.map((match) => ({ ...match, names }));
  let text = '';
  const madeMs = costOf(() => {
    text = toCalendar({ ...contents, matches }, 'http://localhost');
  });
  expect([read - began < 400, madeMs < 400]).toEqual([true, true]);
  expect(text.split('\r\n').every((line) => Buffer.byteLength(line) <= 75)).toBe(true);
  const summary = parse(text).get(contents.matches[0]?.id ?? '')?.summary;
  expect(summary).toContain(names.join(' vs '));
});
