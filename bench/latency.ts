/** The times of one thing, in ms, as it was done again and again. */
export type Times = { p50: number; p99: number };

/** The middle of the times, and what one in a hundred exceeds. */
export function percentiles(times: number[]): Times {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

/** Does two things in turn, so that both meet the same machine. The first `warmUps` rounds are not counted. */
export async function inTurn(
  rounds: number,
  ours: () => unknown,
  floor: () => unknown,
  warmUps = Math.ceil(rounds / 5),
): Promise<{ ours: Times; floor: Times }> {
  const times = { ours: [] as number[], floor: [] as number[] };
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const [side, run] of [
      ['ours', ours],
      ['floor', floor],
    ] as const) {
      const begin = performance.now();
      await run();
      if (round >= 0) times[side].push(performance.now() - begin);
    }
  }
  return { ours: percentiles(times.ours), floor: percentiles(times.floor) };
}
