/** Milliseconds of each phase of an attempt and in total; null when a phase did not happen. */
export type Timings = Record<string, number | null>;

export type Phase = { index: number; label: string; ms: number; failed: boolean };

const labels = ['DNS lookup', 'Connection', 'TLS handshake', 'Waiting for response', 'Reading response'] as const;
const [lookup, connection, handshake, waiting, reading] = labels.keys();

/** The phase in which each kind of error ends an attempt. All others happen after the connection was made. */
const failedPhases: Record<string, number | undefined> = {
  dns_error: lookup,
  blocked_address: connection,
  connect_refused: connection,
  connect_timeout: connection,
  tls_error: handshake,
};

/**
 * The phases that happened. The part of the total that no phase accounts for belongs to the one that was under way.
 * @param errorClass how the attempt failed; null when it got a response
 */
export function timingPhases(timings: Timings, errorClass: string | null): Phase[] {
  const { dnsMs = null, connectMs = null, tlsMs = null, firstByteMs = null, totalMs = null } = timings;
  const parts = [dnsMs, connectMs, tlsMs, firstByteMs, null];
  const known = parts.reduce<number>((sum, ms) => sum + (ms ?? 0), 0);
  const stopped = (errorClass === null ? undefined : failedPhases[errorClass]) ?? waiting ?? 0;
  const last = firstByteMs === null ? stopped : (reading ?? 0);
  if (totalMs !== null) parts[last] = (parts[last] ?? 0) + Math.max(0, totalMs - known);
  return parts.flatMap((ms, index) => {
    const label = labels[index];
    const failed = index === last && errorClass !== null && firstByteMs === null;
    return ms === null || !label ? [] : [{ index, label, ms, failed }];
  });
}
