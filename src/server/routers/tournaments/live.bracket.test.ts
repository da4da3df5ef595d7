import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { env } from '@/env';
import { pool } from '@/server/db';
import { readBracket, readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import { makeProject, makeTournament } from '@/test/factories';
import { follow } from '@/test/live';
import { holdLock } from '@/test/locks';
import { setupTestServer } from '@/test/server';
import { watchStatements } from '@/test/statements';

const api = setupTestServer();

const watch = (id: string, bearer?: string, from?: string) =>
  follow(
    `${api.url}/api/trpc/tournaments.live?input=${encodeURIComponent(JSON.stringify({ json: { tournamentId: id } }))}`,
    bearer,
    from,
  );

/** The patches that a page has received. */
function patchesOf(text: string): { version: number; matches: { id: string; status: string }[]; tables: unknown[] }[] {
  return text.split('\n').flatMap((line) => {
    if (!line.startsWith('data: {')) return [];
    const patch = JSON.parse(line.slice(6)).json?.patch;
    return patch ? [JSON.parse(patch)] : [];
  });
}

/** Statements about this tournament's draw while `run` runs. */
async function countReads(run: () => Promise<void>): Promise<number> {
  const query = vi.spyOn(pool, 'query');
  try {
    await run();
    return query.mock.calls.filter(([statement]) => JSON.stringify(statement).includes('play_by_tournament')).length;
  } finally {
    query.mockRestore();
  }
}

test('who begins to watch many tournaments takes turns with others who begin', async () => {
  const [{ project }, other] = [await makeProject(), await makeProject()];
  const many = await Promise.all(Array.from({ length: 12 }, () => makeTournament(project.id)));
  const one = await makeTournament(other.project.id);
  env.TRUSTED_PROXIES = 1;
  onTestFinished(() => {
    env.TRUSTED_PROXIES = 0;
  });
  const release = await holdLock('LOCK TABLE bracket IN ACCESS EXCLUSIVE MODE');
  const sent = await watchStatements(async () => {
    const pages = await Promise.all(many.map(({ id }) => watch(id, undefined, '203.0.113.5')));
    pages.push(await watch(one.id, undefined, '198.51.100.9'));
    await release();
    await Promise.all(pages.map((page) => page.until('live.resumed')));
  });
  const read = sent.filter(({ text }) => text.includes('"bracket"')).flatMap(({ values }) => values);
  const order = read.filter((value) => value === one.id || many.some(({ id }) => id === value));
  expect(order).toHaveLength(13);
  expect(order.indexOf(one.id)).toBeLessThan(6);
});

describe('what changed in a bracket', () => {
  test('comes with the notice, equals what a reader gets, and holds nothing else', async () => {
    const cup = await startCup(api, 8);
    const page = await watch(cup.tournamentId);
    await page.until('live.resumed');
    const [match] = await readMatches(api, cup.tournamentId);
    await api.post(`/matches/${match?.id}/resolve`, {
      bearer: cup.moderator.bearer,
      body: { winnerId: match?.slots[0].participantId },
    });
    await page.until('match.completed');
    const patches = patchesOf(page.text());
    const matches = patches.flatMap((patch) => patch.matches);
    const all = await readMatches(api, cup.tournamentId);
    expect(matches.map(({ id }) => id).toSorted()).toEqual(
      [match?.id, all.find(({ number }) => number === match?.winnerTo?.match)?.id].toSorted(),
    );
    for (const sent of matches) expect(sent).toEqual(all.find(({ id }) => id === sent.id));
    expect(patches.at(-1)?.version).toBe((await readBracket(api, cup.tournamentId)).version);
  });

  test('includes a report that waits for its answer', async () => {
    const cup = await startCup(api, 2);
    const [match] = await readMatches(api, cup.tournamentId);
    const bearer = await cup.bearerOf(match?.slots[0].participantId);
    await api.post(`/matches/${match?.id}/start`, { bearer: cup.moderator.bearer });
    const page = await watch(cup.tournamentId);
    await page.until('live.resumed');
    const body = { games: [{ scores: [2, 1] }] };
    expect((await api.post(`/matches/${match?.id}/report`, { bearer, body })).status).toBe(200);
    await page.until('match.changed');
    expect(patchesOf(page.text()).at(-1)?.matches[0]).toMatchObject({
      id: match?.id,
      report: { by: match?.slots[0].participantId },
    });
  });

  test('has the tables of a Swiss stage, and a new round asks to read again', async () => {
    const cup = await startCup(api, 4, { format: 'swiss' });
    const page = await watch(cup.tournamentId);
    await page.until('live.resumed');
    const matches = await readMatches(api, cup.tournamentId);
    const decide = ({ id, slots }: (typeof matches)[number]) =>
      api.post(`/matches/${id}/resolve`, { bearer: cup.moderator.bearer, body: { winnerId: slots[0].participantId } });
    for (const match of matches.slice(0, -1)) await decide(match);
    await page.until('tables\\":[{');
    for (const match of matches.slice(-1)) await decide(match);
    await page.until('match.created');
    const types = page
      .text()
      .split('\n')
      .filter((line) => /"aggregateType":"match".*"patch":null/.test(line));
    expect(types).not.toEqual([]);
  });

  test('is sent without large tables, which it asks to read again', async () => {
    const cup = await startCup(api, 66, { format: 'swiss' });
    const page = await watch(cup.tournamentId);
    await page.until('live.resumed');
    const [match] = await readMatches(api, cup.tournamentId);
    const body = { winnerId: match?.slots[0].participantId };
    await api.post(`/matches/${match?.id}/resolve`, { bearer: cup.moderator.bearer, body });
    await page.until('match.completed');
    const [patch] = patchesOf(page.text());
    expect(patch).toMatchObject({
      matches: [{ id: match?.id, status: 'completed' }],
      tables: [],
      hasOtherTables: true,
    });
  });

  test('is read again where it is long, rather than sent to every page', async () => {
    const cup = await startCup(api, 128);
    const page = await watch(cup.tournamentId);
    await page.until('live.resumed');
    const matches = await readMatches(api, cup.tournamentId);
    const losers = matches.filter(({ round }) => round === 1).map(({ slots }) => slots[1].participantId ?? '');
    await api.trpc(cup.moderator.bearer).participants.bulk.mutate({
      tournamentId: cup.tournamentId,
      action: 'disqualify',
      participantIds: losers,
      reason: 'Nobody came',
    });
    await page.until('participant.updated');
    expect(patchesOf(page.text()).flatMap((patch) => patch.matches)).toEqual([]);
    expect(page.text()).toMatch(/"patch":null/);
  });

  test('is read once, however many watch, and so is what they read again', async () => {
    const cup = await startCup(api, 4);
    const pages = await Promise.all(Array.from({ length: 12 }, () => watch(cup.tournamentId)));
    for (const page of pages) await page.until('live.resumed');
    const [match] = await readMatches(api, cup.tournamentId);
    const reads = await countReads(async () => {
      await api.post(`/matches/${match?.id}/resolve`, {
        bearer: cup.moderator.bearer,
        body: { winnerId: match?.slots[0].participantId },
      });
      for (const page of pages) await page.until('match.completed');
      const again = await Promise.all(
        pages.map(() => api.trpc().matches.bracket.query({ tournamentId: cup.tournamentId })),
      );
      for (const bracket of again) expect(bracket).toEqual(again[0]);
    });
    // One change: a second read only where the notice arrived while the first one was under way.
    expect(reads).toBeGreaterThan(0);
    expect(reads).toBeLessThanOrEqual(2);
  });

  test('reaches nobody outside once the tournament is private', async () => {
    const cup = await startCup(api, 4);
    const page = await watch(cup.tournamentId);
    await page.until('live.resumed');
    await api.patch(`/tournaments/${cup.tournamentId}`, {
      bearer: cup.organizer.bearer,
      body: { visibility: 'private' },
    });
    await page.until('NOT_FOUND');
    const outside = api.trpc().matches.bracket.query({ tournamentId: cup.tournamentId });
    await expect(outside).rejects.toThrow();
    const inside = await watch(cup.tournamentId, cup.moderator.bearer);
    await inside.until('live.resumed');
    await expect(api.trpc().matches.bracket.query({ tournamentId: cup.tournamentId })).rejects.toThrow();
  });
});

test('events of a match are noticed, without their content', async () => {
  const cup = await startCup(api, 2);
  const [match] = await readMatches(api, cup.tournamentId);
  const page = await watch(cup.tournamentId);
  await page.until('live.resumed');
  const body = { events: [{ type: 'round_started', clientId: 'one', payload: { note: 'hidden words' } }] };
  const posted = await api.post(`/matches/${match?.id}/events`, { bearer: cup.moderator.bearer, body });
  expect(posted.status, posted.text).toBe(201);
  await page.until('feed.changed');
  expect(page.text()).toContain(match?.id);
  expect(page.text()).not.toContain('hidden words');
});
