/**
 * The rounds of a round robin of `count` participants by the circle method, as pairs of places from 0. With an odd count
 * one participant sits out each round. A second leg repeats the first with sides swapped.
 */
export function roundRobinRounds(count: number, legs: 1 | 2): (readonly [number, number])[][] {
  const even = count + (count % 2);
  const rounds: (readonly [number, number])[][] = [];
  for (let round = 0; round < even - 1; round++) {
    // Place 0 stands still while the others move around it by one place a round.
    const at = (position: number) => (position === 0 ? 0 : 1 + ((position - 1 + round) % (even - 1)));
    const pairs: (readonly [number, number])[] = [];
    for (let position = 0; position < even / 2; position++) {
      const pair = [at(position), at(even - 1 - position)] as const;
      if (pair[0] >= count || pair[1] >= count) continue;
      // Alternating sides gives everyone about as many first as second slots.
      pairs.push((position === 0 ? round : position) % 2 === 0 ? pair : [pair[1], pair[0]]);
    }
    rounds.push(pairs);
  }
  if (legs === 1) return rounds;
  return [...rounds, ...rounds.map((pairs) => pairs.map(([first, second]) => [second, first] as const))];
}
