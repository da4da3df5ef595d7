/** Milliseconds of each phase of an attempt and in total; null when a phase did not happen. */
export type Timings = Record<string, number | null>;

export type Phase = { index: number; label: string; ms: number };

const labels = ['DNS lookup', 'Connection', 'TLS handshake', 'Waiting for response', 'Reading response'] as const;

/** The phases that happened. The part of the total that no phase accounts for belongs to the one that was under way. */
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
