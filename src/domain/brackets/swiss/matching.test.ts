import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canSpare, enlargeMatching } from './matching';

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

const graph = fc
  .integer({ min: 1, max: 9 })
  .chain((size) => {
    const edge = fc.tuple(fc.nat(size - 1), fc.nat(size - 1));
    return fc.record({ size: fc.constant(size), edges: fc.array(edge, { maxLength: 16 }) });
  })
  .map(({ size, edges }) => {
    const known = new Set(edges.flatMap(([a, b]) => [`${a}-${b}`, `${b}-${a}`]));
    const canPair = (a: number, b: number) => a !== b && known.has(`${a}-${b}`);
    return { size, canPair, vertices: Array.from({ length: size }, (_, vertex) => vertex) };
  });

describe('enlargeMatching', () => {
  it('looks for nobody when only one is single', () => {
    const looked: number[] = [];
    const canPair = (a: number) => looked.push(a) > 0;
    expect(enlargeMatching(Int32Array.of(1, 0, -1), [0, 1, 2], canPair)).toBe(1);
    expect(looked).toEqual([]);
  });

  it('finds the largest matching of any graph', () => {
    fc.assert(
      fc.property(graph, ({ size, canPair, vertices }) => {
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

describe('canSpare', () => {
  it('finds whom a largest matching of any graph can leave out', () => {
    fc.assert(
      fc.property(graph, ({ size, canPair, vertices }) => {
        const matching = new Int32Array(size).fill(-1);
        enlargeMatching(matching, vertices, canPair);
        const before = [...matching];
        const most = mostPairs(vertices, canPair);
        for (const vertex of vertices) {
          const others = vertices.filter((one) => one !== vertex);
          expect(canSpare(matching, vertices, canPair, vertex)).toBe(mostPairs(others, canPair) === most);
        }
        expect([...matching]).toEqual(before);
      }),
      { numRuns: 200 },
    );
  });
});
