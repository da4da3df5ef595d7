import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { originOf } from '@/domain/network/address-ranges';
import { announce, type EventNotice } from '@/server/events/live';
import { liveEvents, writeInTurn } from '@/server/events/live-events';
import { spendShare, wantThread } from '@/server/worker/thread-share';
import { countSteps } from '@/test/steps';

let abort = new AbortController();
afterEach(() => {
  abort.abort();
  abort = new AbortController();
});

type About = Partial<EventNotice> & { type: string };

/** A tournament, and notices of what happens in it. */
function makeTournament() {
  const [tournamentId, projectId] = [newId('trn'), newId('prj')];
  const noticeOf = ({ aggregateId = newId('prt'), ...about }: About): EventNotice => ({
    id: newId('evt'),
    aggregateType: 'participant',
    aggregateId,
    tournamentId,
    projectId,
    userId: null,
    ...about,
  });
  const tell = (...about: About[]) => announce(about.map(noticeOf));
  return { tournamentId, projectId, noticeOf, tell };
}

/** What waits for a reader, up to a notice of this type. */
async function readUpTo(notices: AsyncGenerator<EventNotice, void>, last: string): Promise<string[]> {
  const read: string[] = [];
  for (;;) {
    const { value } = await notices.next();
    if (!value) throw new Error(`The notices ended before ${last}`);
    read.push(`${value.type} ${value.aggregateId}`);
    if (value.type === last) return read;
  }
}

test('two hundred changes of a kind are one notice about several things for each stream', async () => {
  const { tournamentId, tell } = makeTournament();
  const streams = Array.from({ length: 3 }, () => liveEvents([tournamentId], abort.signal).notices);
  tell(...Array.from({ length: 200 }, () => ({ type: 'participant.approved' })));
  tell({ type: 'tournament.updated', aggregateId: tournamentId });
  for (const notices of streams) {
    expect(await readUpTo(notices, 'tournament.updated')).toEqual([
      'participant.approved ',
      `tournament.updated ${tournamentId}`,
    ]);
  }
});

test('a notice names what it is about to whoever has seen those before it', async () => {
  const { tournamentId, tell } = makeTournament();
  const [quick, slow] = [liveEvents([tournamentId], abort.signal), liveEvents([tournamentId], abort.signal)];
  tell({ type: 'match.completed', aggregateId: 'mat_1' }, { type: 'match.completed', aggregateId: 'mat_1' });
  expect(await readUpTo(quick.notices, 'match.completed')).toEqual(['match.completed mat_1']);
  tell({ type: 'match.completed', aggregateId: 'mat_2' });
  expect(await readUpTo(quick.notices, 'match.completed')).toEqual(['match.completed mat_2']);
  expect(await readUpTo(slow.notices, 'match.completed')).toEqual(['match.completed ']);
  tell({ type: 'match.completed', aggregateId: 'mat_2' });
  expect(await readUpTo(slow.notices, 'match.completed')).toEqual(['match.completed mat_2']);
});

test('what concerns two ids that are followed is one notice, and what is followed later counts from then on', async () => {
  const userId = newId('usr');
  const [one, two] = [makeTournament(), makeTournament()];
  const { follow, notices } = liveEvents([userId, one.tournamentId], abort.signal);
  one.tell({ type: 'participant.approved', userId, aggregateId: 'prt_1' });
  two.tell({ type: 'participant.approved', aggregateId: 'prt_2' });
  follow(two.tournamentId);
  two.tell({ type: 'tournament.updated', aggregateId: two.tournamentId });
  expect(await readUpTo(notices, 'tournament.updated')).toEqual([
    'participant.approved prt_1',
    `tournament.updated ${two.tournamentId}`,
  ]);
});

test('a stream that rests gets what happens meanwhile as one notice of each kind', async () => {
  const { tournamentId, tell } = makeTournament();
  const { notices } = liveEvents([tournamentId], abort.signal, 500);
  const read: string[] = [];
  const reading = (async () => {
    for await (const { type, aggregateId } of notices) if (read.push(`${type} ${aggregateId}`) === 3) return;
  })();
  tell({ type: 'match.started', aggregateId: 'mat_0' });
  await expect.poll(() => read).toEqual(['match.started mat_0']);
  for (let count = 1; count <= 5; count += 1) {
    tell({ type: 'match.started', aggregateId: `mat_${count}` }, { type: 'match.completed', aggregateId: 'mat_0' });
    await setImmediate();
  }
  await reading;
  expect(read.slice(1)).toEqual(['match.started ', 'match.completed mat_0']);
});

test('a stream that is far behind reads everything again, and the others do not', async () => {
  const { projectId, tell } = makeTournament();
  const [behind, ahead] = [liveEvents([projectId], abort.signal), liveEvents([projectId], abort.signal)];
  const tellKinds = (from: number) =>
    tell(...Array.from({ length: 150 }, (_, index) => ({ type: `kind.${from + index}`, aggregateId: 'x' })));
  tellKinds(0);
  expect(await readUpTo(ahead.notices, 'kind.149')).toHaveLength(150);
  tellKinds(150);
  expect(await readUpTo(ahead.notices, 'kind.299')).toHaveLength(150);
  tell({ type: 'tournament.updated', aggregateId: 'x' });
  expect(await readUpTo(behind.notices, 'live.resumed')).toEqual(['live.resumed ']);
});

test('a thousand streams write in many rounds of the event loop, and those of another project do not wait for them', async () => {
  const [busy, quiet] = [makeTournament(), makeTournament()];
  const written: string[] = [];
  const write = (name: string, notice: EventNotice, at: number) =>
    writeInTurn(notice, `198.18.${at}.1`).then(() => written.push(name));
  const all = Array.from({ length: 1_000 }, (_, at) =>
    write('busy', busy.noticeOf({ type: 'match.completed' }), at % 200),
  );
  const other = write('quiet', quiet.noticeOf({ type: 'match.completed' }), 200);
  await setImmediate();
  await other;
  expect(written.length).toBeLessThan(20);
  let rounds = 0;
  while (written.length <= 1_000) {
    const before = written.length;
    await setImmediate();
    rounds += 1;
    expect(written.length - before).toBeLessThan(20);
  }
  await Promise.all(all);
  expect(rounds).toBeGreaterThan(100);
});

test('streams to a network that has had its share of the thread give way to those to others', async () => {
  const { noticeOf } = makeTournament();
  const written: string[] = [];
  const write = (address: string) =>
    writeInTurn(noticeOf({ type: 'match.completed' }), address).then(() => written.push(address));
  const [spent, other] = ['203.0.113.9', '198.51.100.9'];
  const endWanting = wantThread(originOf(other));
  spendShare(originOf(spent), 250);
  const held = write(spent);
  await write(other);
  for (let round = 0; round < 10; round += 1) await setImmediate();
  expect(written).toEqual([other]);
  endWanting();
  await held;
});

describe('streams that follow two hundred tournaments', () => {
  /** Streams that have seen fifty kinds of notices of each tournament. */
  async function openStreams(number: number) {
    const tournaments = Array.from({ length: 200 }, makeTournament);
    setMaxListeners(number + 1, abort.signal);
    const ids = tournaments.map(({ tournamentId }) => tournamentId);
    const streams = Array.from({ length: number }, () => liveEvents(ids, abort.signal).notices);
    for (const { tell } of tournaments) {
      tell(...Array.from({ length: 50 }, (_, kind) => ({ type: `kind.${kind}`, aggregateId: 'x' })));
    }
    const tellLast = (type: string) => tournaments.at(-1)?.tell({ type, aggregateId: 'x' });
    tellLast('read.before');
    for (const notices of streams) await readUpTo(notices, 'read.before');
    return { tournaments, tellLast, streams };
  }

  test('look at what is new alone when they wake', async () => {
    const { tellLast, streams } = await openStreams(10);
    const steps = await countSteps(async () => {
      for (let index = 0; index < 10; index += 1) {
        const type = `new.${index}`;
        const woken = streams.map((notices) => readUpTo(notices, type));
        // They sleep by then.
        await setImmediate();
        tellLast(type);
        for (const read of await Promise.all(woken)) expect(read).toEqual([`${type} x`]);
      }
    });
    expect(steps / 100).toBeLessThan(40);
  });

  test('read in many rounds of the event loop, and a stream of another project does not wait for them', async () => {
    const { tournaments, streams } = await openStreams(100);
    const [quiet, read] = [makeTournament(), { busy: 0, quiet: 0 }];
    const wake = async (notices: AsyncGenerator<EventNotice, void>, name: keyof typeof read) => {
      await notices.next();
      read[name] += 1;
    };
    const woken = streams.map((notices) => wake(notices, 'busy'));
    for (const { tell } of tournaments) tell({ type: 'tournament.updated', aggregateId: 'x' });
    const other = liveEvents([quiet.tournamentId], abort.signal).notices;
    woken.push(wake(other, 'quiet'));
    quiet.tell({ type: 'tournament.updated', aggregateId: 'x' });
    let busyBefore = 0;
    while (read.busy < 100) {
      await setImmediate();
      expect(read.busy - busyBefore).toBeLessThan(20);
      busyBefore = read.busy;
      if (read.quiet === 0) expect(read.busy).toBeLessThan(20);
    }
    await Promise.all(woken);
  });
});

test('of what it follows later, a stream follows the last two hundred', async () => {
  const [own, oldest, ...others] = Array.from({ length: 302 }, makeTournament);
  if (!own || !oldest) throw new Error('There are no tournaments');
  const { follow, notices } = liveEvents([own.tournamentId], abort.signal);
  for (const { tournamentId } of [oldest, ...others]) follow(tournamentId);
  const tellAll = () => {
    for (const { tell, tournamentId } of [own, oldest, ...others])
      tell({ type: 'match.ready', aggregateId: tournamentId });
    others.at(-1)?.tell({ type: 'last', aggregateId: '' });
  };
  const lastHeard = (tournaments: typeof others) => [
    ...tournaments.map(({ tournamentId }) => `match.ready ${tournamentId}`),
    'last ',
  ];
  tellAll();
  expect(await readUpTo(notices, 'last')).toEqual(lastHeard([own, ...others.slice(-200)]));
  // It makes room for what it followed before.
  follow(oldest.tournamentId);
  tellAll();
  const heard = await readUpTo(notices, 'last');
  expect(heard).toContain(`match.ready ${others.at(-199)?.tournamentId}`);
  expect(heard).not.toContain(`match.ready ${others.at(-200)?.tournamentId}`);
});
