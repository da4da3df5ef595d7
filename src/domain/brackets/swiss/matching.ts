/** Partner of each vertex by index; −1: none. */
export type Matching = Int32Array;

/** How many looks at vertices searches may still take. */
export type Looks = { left: number };

/**
 * Enlarges a matching of the vertices `members` until no larger one exists, by augmenting paths through blossoms
 * (Edmonds 1965), and returns how many of them stay single. Partners are looked for close to a vertex in the order of
 * `members` first, so that existing pairs are disturbed near the single vertex. Pairs with others are left alone. When
 * the looks are used up, the matching stays as it is.
 */
export function enlargeMatching(
  matching: Matching,
  members: readonly number[],
  canPair: (a: number, b: number) => boolean,
  looks: Looks = { left: Number.POSITIVE_INFINITY },
): number {
  // Who was searched for in vain stays single for good, so the last one has nobody to end with.
  let [single, untried] = [0, members.filter((member) => matching[member] === -1).length];
  for (const root of members) {
    if (matching[root] !== -1) continue;
    if (untried > 1 && looks.left > 0 && augment(matching, members, canPair, root, looks)) untried -= 2;
    else {
      untried--;
      single++;
    }
  }
  return single;
}

/** Whether some largest matching leaves the vertex single; `matching` is one of the largest, and is not changed. */
export function canSpare(
  matching: Matching,
  members: readonly number[],
  canPair: (a: number, b: number) => boolean,
  vertex: number,
  looks: Looks = { left: Number.POSITIVE_INFINITY },
): boolean {
  const partner = matching[vertex] ?? -1;
  if (partner === -1) return true;
  const rest = Int32Array.from(matching);
  rest[vertex] = -1;
  rest[partner] = -1;
  const others = members.filter((member) => member !== vertex);
  return augment(rest, others, canPair, partner, looks);
}

/** Finds an augmenting path from a single vertex and takes it; false when there is none. */
function augment(
  matching: Matching,
  members: readonly number[],
  canPair: (a: number, b: number) => boolean,
  root: number,
  looks: Looks,
): boolean {
  const size = matching.length;
  const parent = new Int32Array(size).fill(-1);
  const base = new Int32Array(size);
  for (let vertex = 0; vertex < size; vertex++) base[vertex] = vertex;
  const isOuter = new Uint8Array(size);
  const position = new Int32Array(size).fill(-1);
  for (let at = 0; at < members.length; at++) position[members[at] ?? 0] = at;
  const partner = (vertex: number) => matching[vertex] ?? -1;
  const baseOf = (vertex: number) => base[vertex] ?? vertex;
  const parentOf = (vertex: number) => parent[vertex] ?? -1;

  const commonBase = (a: number, b: number): number => {
    const seen = new Uint8Array(size);
    for (let at = baseOf(a); ; at = baseOf(parentOf(partner(at)))) {
      seen[at] = 1;
      if (partner(at) === -1) break;
    }
    let at = baseOf(b);
    while (!seen[at]) at = baseOf(parentOf(partner(at)));
    return at;
  };
  const markBlossom = (from: number, top: number, child: number, blossom: Uint8Array) => {
    let [at, below] = [from, child];
    while (baseOf(at) !== top) {
      blossom[baseOf(at)] = 1;
      blossom[baseOf(partner(at))] = 1;
      parent[at] = below;
      below = partner(at);
      at = parentOf(below);
    }
  };

  isOuter[root] = 1;
  const queue = [root];
  const contract = (a: number, b: number) => {
    const top = commonBase(a, b);
    looks.left -= members.length;
    const blossom = new Uint8Array(size);
    markBlossom(a, top, b, blossom);
    markBlossom(b, top, a, blossom);
    for (const vertex of members) {
      if (!blossom[baseOf(vertex)]) continue;
      base[vertex] = top;
      if (isOuter[vertex]) continue;
      isOuter[vertex] = 1;
      queue.push(vertex);
    }
  };
  for (let head = 0; head < queue.length; head++) {
    const vertex = queue[head] ?? root;
    const middle = position[vertex] ?? 0;
    looks.left -= members.length;
    for (let step = 1; step < members.length; step++) {
      for (const at of [middle + step, middle - step]) {
        const other = members[at];
        if (other === undefined || baseOf(vertex) === baseOf(other) || partner(vertex) === other) continue;
        if (!canPair(vertex, other)) continue;
        const mate = partner(other);
        if (other === root || (mate !== -1 && parentOf(mate) !== -1)) contract(vertex, other);
        else if (parentOf(other) === -1) {
          parent[other] = vertex;
          if (mate === -1) {
            flip(matching, parent, other);
            return true;
          }
          isOuter[mate] = 1;
          queue.push(mate);
        }
      }
    }
  }
  return false;
}

/** Swaps pairs and non-pairs along the path that ends in a single vertex. */
function flip(matching: Matching, parent: Int32Array, end: number) {
  let at = end;
  while (at !== -1) {
    const before = parent[at] ?? -1;
    const next = matching[before] ?? -1;
    matching[at] = before;
    matching[before] = at;
    at = next;
  }
}
