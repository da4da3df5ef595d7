import { afterCommit, type Tx } from '@/server/db';
import type { RateName } from './quotas';
import { reportExceeded, takeWindows, windowKey } from './take-quota';

/**
 * Takes from several rates of the same subjects as much as all of them have left, instead of refusing. What one rate has
 * and another has not is given back.
 * @returns how much each subject got
 */
export async function takeUpTo(
  tx: Tx,
  names: readonly RateName[],
  wanted: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  let got = new Map(wanted);
  for (const [index, name] of names.entries()) {
    const asked = got;
    const taken = await takeWindows(tx, name, asked);
    got = new Map([...asked].map(([subject, count]) => [subject, Math.min(count, taken.get(subject)?.granted ?? 0)]));
    for (const [subject, count] of asked) {
      const missing = count - (got.get(subject) ?? 0);
      if (missing === 0) continue;
      afterCommit(tx, () => reportExceeded(name, subject));
      for (const earlier of names.slice(0, index)) {
        await tx.$executeRaw`SELECT rate_limit_return(${windowKey(earlier, subject)}, ${missing}::int)`;
      }
    }
  }
  return got;
}
