import { afterEach, describe, expect, test, vi } from 'vitest';
import { env } from '@/env';
import { db } from '@/server/db';
import { Rate } from '@/server/email/connections';
import { openMailServer } from '@/server/email/mail-server.fixture';
import { ask, cause, makeKnown, setupOutbox, unsent } from '@/server/email/outbox.fixture';
import { startSender, stopSender } from '@/server/email/sender';
import { until } from '@/test/receiver';

// Mail servers that take so many emails in a while, whosever they are.
setupOutbox();

/** A mail server that takes so many emails in each window, which begins with an email, once it is limited. */
async function openRatedServer(most: number, windowMs: number) {
  const began: number[] = [];
  const limit = { isOn: false, refused: 0 };
  let [since, used] = [Number.NEGATIVE_INFINITY, 0];
  const server = await openMailServer({
    onMailFrom(_address, _session, callback) {
      began.push(performance.now());
      if (!limit.isOn) return callback();
      if (performance.now() >= since + windowMs) [since, used] = [performance.now(), 0];
      used += 1;
      if (used <= most) return callback();
      limit.refused += 1;
      callback(Object.assign(new Error('too much mail from you'), { responseCode: 450 }));
    },
  });
  Object.assign(env, { SMTP_URL: server.url, SMTP_CONNECTIONS: 10 });
  return { ...server, began, limit };
}

/** Has two people get an email each, of either kind. @returns how many others were taken before the later one */
async function others(server: Awaited<ReturnType<typeof openRatedServer>>, name: string): Promise<number> {
  const asked = `${name}@players.test`;
  const before = server.received.length;
  await ask(asked, name);
  const [caused = ''] = await cause('prj_b', 1, '', '.players.test');
  await until(() => server.received.includes(asked) && server.received.includes(caused), 40_000);
  return Math.max(server.received.indexOf(asked), server.received.indexOf(caused)) - before - 1;
}

test('where the server takes few emails in a while, those of others come with the next ones that it takes', async () => {
  const server = await openRatedServer(20, 5_000);
  startSender();
  await makeKnown('players.test');
  server.limit.isOn = true;
  await cause('prj_a', 400, '', '.players.test');
  await until(() => server.limit.refused > 0);
  for (const name of ['first', 'second', 'third']) expect(await others(server, name)).toBeLessThan(12);
  // It is not asked again and again: what is refused waits for it, and afterwards it gets what it takes.
  expect(server.limit.refused).toBeLessThan(60);
  expect(await db.outgoingMail.count({ where: { sentAt: null, attempts: { gt: 1 } } })).toBe(0);
  await stopSender(0);
  await server.close();
});

test('with so many emails a minute, they begin at even intervals, and who has many due delays others by a few', async () => {
  const server = await openRatedServer(0, 0);
  startSender();
  await makeKnown('players.test');
  await until(async () => (await unsent()) === 0);
  Object.assign(env, { SMTP_MAX_PER_MINUTE: 600 });
  const known = server.received.length;
  await cause('prj_a', 400, '', '.players.test');
  await until(() => server.received.length > known + 10);
  for (const name of ['first', 'second', 'third']) expect(await others(server, name)).toBeLessThan(8);
  const began = server.began.slice(known);
  const took = (began.at(-1) ?? 0) - (began[0] ?? 0);
  // The first one opens its connection, and later ones find it open.
  expect(began.length).toBeLessThan((took + 1_000) / 100);
  await stopSender(0);
  await server.close();
});

describe('what is learned of how many emails the server takes', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  const perSecond = (rate: Rate) => 1_000 / rate.gapMs();
  const take = (rate: Rate, count: number) => {
    for (let taken = 0; taken < count; taken += 1) rate.noteTaken();
  };

  test('is what it took until it took the next one, less a tenth, and grows slowly at first', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const rate = new Rate();
    take(rate, 300);
    vi.advanceTimersByTime(4_000);
    rate.noteRefusal();
    expect(rate.gapMs()).toBe(0);
    for (const pause of [1_000, 2_000, 4_000, 8_000, 16_000, 25_000]) {
      vi.advanceTimersByTime(pause);
      rate.noteRefusal();
      expect(rate.refuses).toBe(true);
    }
    take(rate, 1);
    expect(rate.refuses).toBe(false);
    expect(perSecond(rate)).toBeCloseTo(4.5);
    vi.advanceTimersByTime(60_000);
    expect(perSecond(rate)).toBeLessThan(5);
    vi.advanceTimersByTime(240_000);
    expect(perSecond(rate)).toBeCloseTo(9, 0);
    vi.advanceTimersByTime(1_500_000);
    expect(perSecond(rate)).toBeGreaterThan(100);
  });

  test('is nothing where it took few, or was away for long', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const rate = new Rate();
    take(rate, 19);
    rate.noteRefusal();
    vi.advanceTimersByTime(30_000);
    take(rate, 1);
    expect(rate.gapMs()).toBe(0);
    take(rate, 50);
    vi.advanceTimersByTime(30_000);
    rate.noteRefusal();
    vi.advanceTimersByTime(300_000);
    expect(rate.refuses).toBe(false);
    take(rate, 1);
    expect(rate.gapMs()).toBe(0);
  });

  test('is never less than one email in a second', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const rate = new Rate();
    take(rate, 20);
    vi.advanceTimersByTime(50_000);
    rate.noteRefusal();
    vi.advanceTimersByTime(100_000);
    take(rate, 1);
    expect(perSecond(rate)).toBe(1);
  });
});

test('emails of both kinds begin in turns, at even intervals, and none waits for long after it is claimed', async () => {
  vi.useFakeTimers();
  const settings = { ...env };
  for (const perMinute of [30, 60, 300, 900]) {
    Object.assign(env, { SMTP_URL: 'smtp://127.0.0.1', SMTP_MAX_PER_MINUTE: perMinute });
    const rate = new Rate();
    const begun: { kind: string; at: number; waitedMs: number }[] = [];
    const claim = () => {
      for (let room = rate.room(); room.all > 0; room = rate.room()) {
        const kind = room.asked > 0 ? 'asked' : 'caused';
        const claimedAt = performance.now();
        const note = () => begun.push({ kind, at: performance.now(), waitedMs: performance.now() - claimedAt });
        let waited = false;
        void rate.turnOf(kind, () => {
          waited = true;
          note();
          claim();
        });
        if (!waited && rate.room().all === room.all) note();
      }
    };
    claim();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(begun.length).toBeLessThanOrEqual(perMinute + 2);
    expect(begun.length).toBeGreaterThan(0.9 * perMinute);
    expect(Math.max(...begun.map(({ waitedMs }) => waitedMs))).toBeLessThanOrEqual(4_100);
    const asked = begun.filter(({ kind }) => kind === 'asked').length;
    expect(asked / begun.length).toBeGreaterThan(0.4);
    expect(asked / begun.length).toBeLessThan(0.7);
  }
  vi.useRealTimers();
  Object.assign(env, settings);
});
