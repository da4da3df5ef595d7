/** Milliseconds of an attempt's parts, in their order, and of the whole; null: that did not take place. */
export type Timings = Record<string, number | null>;

export type Phase = { index: number; label: string; ms: number };

const labels = ['Name', 'Connection', 'TLS', 'Waiting for the answer', 'Reading the answer'] as const;

/** The phases that took place. What the whole has beyond its known parts is the last one that was under way. */
export function timingPhases(timings: Timings): Phase[] {
  const { dnsMs = null, connectMs = null, tlsMs = null, firstByteMs = null, totalMs = null } = timings;
  const known = [dnsMs, connectMs, tlsMs, firstByteMs];
  const rest = totalMs === null ? 0 : Math.max(0, totalMs - known.reduce<number>((sum, ms) => sum + (ms ?? 0), 0));
  const parts = firstByteMs === null ? [dnsMs, connectMs, tlsMs, rest, null] : [...known, rest];
  return parts.flatMap((ms, index) => {
    const label = labels[index];
    return ms === null || !label ? [] : [{ index, label, ms }];
  });
}
