import { expect, test } from 'vitest';
import { makeQueryClient } from '@/trpc/query-client';
import { prefetchSmall } from './prefetch-small';

/** What the page has of some data that is fetched for it. */
async function prefetched(data: unknown): Promise<unknown> {
  const client = makeQueryClient();
  const queryKey = ['events'];
  await prefetchSmall(client, { queryKey, queryFn: async () => data });
  return client.getQueryData(queryKey);
}

/** A page of fifty events of a match with this payload. */
function eventsWith(payload: unknown) {
  const event = {
    id: 'mev_01k9x4r8g2w9y1z3a4c5d6e7f8',
    matchId: 'mat_01k9x4r8g2w9y1z3a4c5d6e7f8',
    sequence: 1,
    type: 'player_eliminated',
    timestamp: '2026-12-05T18:00:00.000Z',
    participantId: 'prt_01k9x3n5d9s6v8w0x1z2a3b4c5',
    payload,
  };
  return { items: Array(50).fill(event), total: 50, page: 1, totalPages: 1 };
}

test('a page comes with fifty ordinary events', async () => {
  const payload = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`field${at}`, `a text of field ${at}`]));
  const events = eventsWith({ ...payload, position: [1.5, 2.5, -3] });
  expect(await prefetched(events)).toEqual(events);
});

test('the browser fetches what has too many values or characters', async () => {
  expect(await prefetched(Array(4_999).fill(1))).toHaveLength(4_999);
  expect(await prefetched(Array(5_000).fill(1))).toBeUndefined();
  expect(await prefetched({ text: 'x'.repeat(65_532) })).toBeDefined();
  expect(await prefetched({ text: 'x'.repeat(65_533) })).toBeUndefined();
  expect(await prefetched(eventsWith({ path: Array(1_300).fill([]) }))).toBeUndefined();
  expect(await prefetched(eventsWith({ note: 'x'.repeat(4_000) }))).toBeUndefined();
});

test('counting stops at the first that is too much', async () => {
  let read = 0;
  const lists = Array.from({ length: 50_000 }, () => ({
    get text() {
      read += 1;
      return 'x';
    },
  }));
  const client = makeQueryClient();
  await prefetchSmall(client, { queryKey: ['lists'], queryFn: async () => lists });
  expect(read).toBeLessThan(5_000);
});

test('the browser fetches again what failed', async () => {
  const client = makeQueryClient();
  const queryFn = () => Promise.reject(new Error('no'));
  await prefetchSmall(client, { queryKey: ['events'], queryFn });
  expect(client.getQueryCache().getAll()).toEqual([]);
});
