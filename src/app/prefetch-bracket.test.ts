import { expect, test, vi } from 'vitest';
import { db } from '@/server/db';
import { startCup } from '@/server/routers/matches/matches.fixture';
import { setupTestServer } from '@/test/server';
import { statementsOf } from '@/test/statements';
import { prefetchBracket } from './prefetch-bracket';

// What Next.js provides while it renders a page.
vi.mock('server-only', () => ({}));
vi.mock('next/headers', () => ({ headers: async () => new Headers() }));

const api = setupTestServer();

/** Prefetches the bracket of a cup of 190 matches that have so many games. @returns whether it was read, too */
async function prefetchOf(games: number) {
  const { tournamentId } = await startCup(api, 20, { format: 'round_robin', formatOptions: { bestOf: 99 } });
  const played = Array.from({ length: games }, (_, at) => ({ scores: [at % 2, 1], winner: null }));
  await db.match.updateMany({ where: { tournamentId }, data: { games: played } });
  const { slug } = await db.tournament.findUniqueOrThrow({ where: { id: tournamentId } });
  let isLarge: boolean | undefined;
  const texts = await statementsOf(async () => {
    ({ isLarge } = await prefetchBracket(slug));
  });
  return { isLarge, isRead: texts.some((text) => text.includes('"bracket"') && text.includes('"stage"')) };
}

test('a page comes with its bracket unless that is large, by its matches or by their games', async () => {
  expect(await prefetchOf(4)).toEqual({ isLarge: false, isRead: true });
  expect(await prefetchOf(98)).toEqual({ isLarge: true, isRead: false });
});
