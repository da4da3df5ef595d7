import { describe, expect, onTestFinished, test } from 'vitest';
import { newId } from '@/domain/ids';
import { isKept } from '@/server/compiled';
import { db } from '@/server/db';
import { notifyPages } from '@/server/events/emit';
import { liveConnected } from '@/server/events/live';
import { findLarge } from '@/server/routers/matches/data-size';
import { type Cup, startCup } from '@/server/routers/matches/matches.fixture';
import { bracket, standings } from '@/server/routers/matches/schema';
import { installWorker } from '@/server/worker/offload';
import type { WorkerTurn } from '@/server/worker/thread';
import { makeProject, makeTournament } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { watchedView, watchTournament } from './data-watched';

const api = setupTestServer();

test('what pages watch is checked and written as JSON once for all who read it', async () => {
  const { tournamentId, project } = await startCup(api, 4, { format: 'round_robin' });
  await expect.poll(liveConnected).toBe(true);
  const watch = watchTournament({ id: tournamentId, slug: 'watched', projectId: project.id }, '203.0.113.5');
  onTestFinished(watch.close);
  await watch.next();
  const view = await watchedView(tournamentId);
  expect(isKept(bracket, view?.bracket)).toBe(true);
  expect(isKept(standings, view?.standings)).toBe(true);
});

test('who begins to watch many tournaments does not keep their neighbors waiting for all of them', async () => {
  const { project } = await makeProject();
  const answered: string[] = [];
  const begun = [];
  for (const ip of [...Array(6).fill('203.0.113.7'), '203.0.113.8']) {
    const { id, slug } = await makeTournament(project.id);
    const watch = watchTournament({ id, slug, projectId: project.id }, ip);
    onTestFinished(watch.close);
    begun.push({ ip, watch });
  }
  const all = begun.map(({ ip, watch }) => watch.next().then(() => answered.push(ip)));
  await Promise.all(all);
  expect(answered.indexOf('203.0.113.8')).toBeLessThan(3);
});

/** Has what takes a turn of an address wait until the test ends, as if it were far behind others of theirs. @returns all turns */
function jamAddresses(): WorkerTurn[] {
  const turns: WorkerTurn[] = [];
  const end = new Promise<void>((resolve) => onTestFinished(() => resolve()));
  installWorker({
    waiting: 0,
    run: async (turn) => {
      turns.push(turn);
      if (turn.from) await end;
      return { visibleOutside: true, name: 'other thread', revision: 1, patch: null };
    },
  });
  onTestFinished(() => installWorker(undefined));
  return turns;
}

test('a large draw that has become small holds up no other one', async () => {
  const { project } = await makeProject();
  const [jammed, other] = [
    await makeTournament(project.id, { maxParticipants: 512 }),
    await makeTournament(project.id),
  ];
  const setSize = (currentParticipants: number) =>
    db.tournament.update({ where: { id: jammed.id }, data: { currentParticipants } });
  await setSize(300);
  const turns = jamAddresses();
  const watch = ({ id, slug }: { id: string; slug: string }, ip: string) => {
    const watched = watchTournament({ id, slug, projectId: project.id }, ip);
    onTestFinished(watched.close);
    return watched.next();
  };
  const first = watch(jammed, '203.0.113.7');
  await expect.poll(() => turns.length).toBe(1);
  await setSize(4);
  // A size is remembered for a moment.
  await expect.poll(() => findLarge({ tournamentId: jammed.id }, 'read'), { timeout: 10_000 }).toBeNull();
  const again = watch(jammed, '203.0.113.7');
  expect(await watch(other, '198.51.100.8')).toMatchObject({ visibleOutside: true });
  expect(await Promise.all([first, again])).toHaveLength(2);
});

test('nobody waits for the turn in which somebody who came alone has a large draw read', async () => {
  const { project } = await makeProject();
  const creator = newId('usr');
  await db.project.update({ where: { id: project.id }, data: { createdById: creator } });
  const { id, slug } = await makeTournament(project.id, { maxParticipants: 512 });
  await db.tournament.update({ where: { id }, data: { currentParticipants: 300 } });
  const turns = jamAddresses();
  const watch = (ip: string) => {
    const watched = watchTournament({ id, slug, projectId: project.id }, ip);
    onTestFinished(watched.close);
    return watched.next();
  };
  const alone = watch('203.0.113.7');
  await expect.poll(() => turns.length).toBe(1);
  const again = watch('203.0.113.7');
  expect(await watch('198.51.100.8')).toMatchObject({ visibleOutside: true });
  const users = turns.map(({ from, owner }) => from?.ip ?? owner);
  expect(users, 'who comes twice has it read once; all others have it read for who made the project').toEqual([
    '203.0.113.7',
    creator,
  ]);
  expect(await Promise.all([alone, again]), 'what is read for one is there for all').toHaveLength(2);
});

test('pages of one block that come together have a large draw read in turns of their own', async () => {
  const { project } = await makeProject();
  const { id, slug } = await makeTournament(project.id, { maxParticipants: 512 });
  await db.tournament.update({ where: { id }, data: { currentParticipants: 300 } });
  const turns = jamAddresses();
  const watches = ['203.0.113.7', '203.0.113.7', '203.0.113.9'].map((ip) =>
    watchTournament({ id, slug, projectId: project.id }, ip),
  );
  onTestFinished(() => {
    for (const watch of watches) watch.close();
  });
  for (const watch of watches) void watch.next();
  await expect.poll(() => turns.length).toBe(2);
  expect(turns.map(({ from }) => from?.ip)).toEqual(['203.0.113.7', '203.0.113.9']);
});

test('what is read late, in the turn of one page, is no patch for others that have seen less', async () => {
  const { project } = await makeProject();
  const { id, slug } = await makeTournament(project.id, { maxParticipants: 512 });
  await db.tournament.update({ where: { id }, data: { currentParticipants: 300 } });
  await expect.poll(liveConnected).toBe(true);
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let reads = 0;
  installWorker({
    waiting: 0,
    async run({ from }) {
      reads += 1;
      const patch = `patch ${reads}`;
      // The second page's own turn comes after everything else.
      if (from && reads > 1) await held;
      return { visibleOutside: true, name: 'other thread', revision: reads, patch };
    },
  });
  onTestFinished(() => installWorker(undefined));
  const watch = () => {
    const watched = watchTournament({ id, slug, projectId: project.id }, '203.0.113.7');
    onTestFinished(watched.close);
    return watched;
  };
  const change = () =>
    db.$transaction(async (tx) => notifyPages(tx, { type: 'match.changed', projectId: project.id, tournamentId: id }));
  const first = watch();
  await first.next();
  await change();
  const late = watch().next();
  await expect.poll(() => reads).toBe(2);
  await watchedView(id);
  release();
  await late;
  expect((await first.next()).patch, 'asked for anew').toBe('patch 4');
});

describe('of the draws that pages watch', () => {
  const maxKept = 16 * 1024 * 1024;

  /** Started cups of four players, each of which has four million characters as JSON. */
  async function startLongCups(count: number) {
    const cups = [];
    for (let index = 0; index < count; index += 1) cups.push(await startCup(api, 4));
    const ids = cups.map(({ tournamentId }) => tournamentId);
    await db.$executeRaw`
      UPDATE "match" SET "streamUrl" = repeat('x', 4000000) WHERE "number" = 3 AND "tournamentId" = ANY(${ids})`;
    return cups;
  }

  async function watchAll(cups: Pick<Cup, 'tournamentId'>[], projectId: string) {
    const watches = cups.map(({ tournamentId: id }) => watchTournament({ id, slug: id, projectId }, '203.0.113.5'));
    const close = () => {
      for (const watch of watches.splice(0)) watch.close();
    };
    onTestFinished(close);
    for (const watch of watches) await watch.next();
    return { watches: [...watches], close };
  }

  async function lengthsOf(cups: Pick<Cup, 'tournamentId'>[]) {
    const views = await Promise.all(cups.map(({ tournamentId }) => watchedView(tournamentId)));
    return views.flatMap((view) => (view?.bracket ? [JSON.stringify(view.bracket).length] : []));
  }

  test('16 million characters are kept, and the project with the most makes room first', async () => {
    await expect.poll(liveConnected).toBe(true);
    const other = await startCup(api, 4);
    const [first, second] = [await startLongCups(5), await startLongCups(4)];
    await watchAll([other], 'prj_other');
    const { close } = await watchAll(first, 'prj_first');
    const lengths = await lengthsOf(first);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThan(maxKept);
    expect(lengths).toHaveLength(4);
    expect(await lengthsOf([other])).toHaveLength(1);
    // What nobody watches any more takes no room.
    close();
    await watchAll(second, 'prj_second');
    expect(await lengthsOf(second)).toHaveLength(4);
  });

  test('those that made room are read by their pages, and kept again from the next change on', async () => {
    await expect.poll(liveConnected).toBe(true);
    const cups = await startLongCups(5);
    const { watches } = await watchAll(cups, 'prj_long');
    const [[cup], [watch]] = [cups, watches];
    if (!cup || !watch) throw new Error('nothing is watched');
    const { tournamentId } = cup;
    expect(await watchedView(tournamentId)).toMatchObject({ visibleOutside: true, bracket: null, standings: null });
    expect(await api.trpc().matches.bracket.query({ tournamentId })).toMatchObject({ tournamentId });
    expect(await api.trpc().matches.standings.query({ tournamentId })).toMatchObject({ tournamentId });

    async function patchAfterStartOf(number: number) {
      const before = (await watchedView(tournamentId))?.revision ?? 0;
      const match = await db.match.findFirstOrThrow({ where: { tournamentId, number } });
      const started = await api.post(`/matches/${match.id}/start`, { bearer: cup?.moderator.bearer });
      expect(started.status, started.text).toBe(200);
      await expect.poll(async () => (await watchedView(tournamentId))?.revision).toBeGreaterThan(before);
      return (await watch?.next())?.patch;
    }
    expect((await watch.next()).patch).toContain('"matches":[],"tables":[]');
    expect(await patchAfterStartOf(1)).toBeNull();
    expect(await patchAfterStartOf(2)).toContain('"matches":[{');
    expect((await watchedView(tournamentId))?.bracket).toMatchObject({ tournamentId });
  });
});
