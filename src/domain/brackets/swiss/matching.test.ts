import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { enlargeMatching } from './matching';

/** The most pairs, by trying every choice. */
function mostPairs(vertices: readonly number[], canPair: (a: number, b: number) => boolean): number {
  const [first, ...rest] = vertices;
  if (first === undefined) return 0;
  const partners = rest.filter((other) => canPair(first, other));
  const withFirst = partners.map(
    (other) =>
      1 +
      mostPairs(
        rest.filter((one) => one !== other),
        canPair,
      ),
  );
  return Math.max(mostPairs(rest, canPair), ...withFirst);
}

describe('enlargeMatching', () => {
  it('finds the largest matching of any graph', () => {
    const graph = fc.integer({ min: 1, max: 9 }).chain((size) => {
      const edge = fc.tuple(fc.nat(size - 1), fc.nat(size - 1));
      return fc.record({ size: fc.constant(size), edges: fc.array(edge, { maxLength: 16 }) });
    });
    fc.assert(
      fc.property(graph, ({ size, edges }) => {
        const known = new Set(edges.flatMap(([a, b]) => [`${a}-${b}`, `${b}-${a}`]));
        const canPair = (a: number, b: number) => a !== b && known.has(`${a}-${b}`);
        const vertices = Array.from({ length: size }, (_, vertex) => vertex);
        const matching = new Int32Array(size).fill(-1);
        const single = enlargeMatching(matching, vertices, canPair);
        expect((size - single) / 2).toBe(mostPairs(vertices, canPair));
        for (const vertex of vertices) {
          const partner = matching[vertex] ?? -1;
          if (partner === -1) continue;
          expect(matching[partner]).toBe(vertex);
          expect(canPair(vertex, partner)).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('leaves pairs with others alone', () => {
    const matching = Int32Array.from([3, -1, -1, 0]);
    expect(enlargeMatching(matching, [1, 2], () => true)).toBe(0);
    expect([...matching]).toEqual([3, 2, 1, 0]);
  });
});
