import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { choose } from '@/embedded/inngest/claim';

describe('choose', () => {
  const limits: Record<string, number> = { a: 1, b: 2, c: 5, all: 7 };
  const job = fc
    .record({ keys: fc.subarray(['a', 'b', 'c', 'all']), held: fc.boolean() })
    .map(({ keys, held }) => ({ keys, held, limits: keys.map((key) => limits[key] ?? 0) }));

  test('never grants more slots than a key has, goes in order, and parks jobs only on full keys', () => {
    fc.assert(
      fc.property(
        fc.array(job, { maxLength: 40 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c', 'all'), fc.nat(8)),
        fc.nat(20),
        (jobs, busy, max) => {
          const candidates = jobs.map((one, index) => ({ ...one, id: String(index) }));
          const counts = new Map(Object.entries(busy));
          const { granted, parked } = choose(candidates, counts, max);
          expect(granted.length).toBeLessThanOrEqual(max);
          for (const [key, limit] of Object.entries(limits)) {
            const taken = candidates.filter(
              (one) => granted.includes(one.id) && !one.held && one.keys.includes(key),
            ).length;
            if (taken > 0) expect((busy[key] ?? 0) + taken).toBeLessThanOrEqual(limit);
          }
          for (const { id, key } of parked) {
            expect(counts.get(key) ?? 0).toBeGreaterThanOrEqual(limits[key] ?? 0);
            expect(candidates[Number(id)]?.held).toBe(false);
          }
          const seen = new Set([...granted, ...parked.map((one) => one.id)]);
          const left = candidates.filter((one) => !seen.has(one.id));
          if (left.length > 0) expect(granted.length).toBe(max);
          expect(Math.min(...left.map((one) => Number(one.id)))).toBeGreaterThanOrEqual(seen.size);
        },
      ),
    );
  });
});
