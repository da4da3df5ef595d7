import { describe, expect, it } from 'vitest';
import { msUntilNextRun, needsReconciling, nextAction, type QueueState } from '@/server/delivery/queue/next-run';

describe('a queue', () => {
  const flowing: QueueState = {
    holdReason: null,
    probeInMs: null,
    holdInMs: null,
    rateLimitInMs: 0,
    pendingInMs: -5,
    hasHeld: false,
    hasUnclaimed: true,
  };
  const broken: QueueState = {
    ...flowing,
    holdReason: 'breaker',
    probeInMs: -1,
    pendingInMs: null,
    hasHeld: true,
    hasUnclaimed: false,
  };
  const cases: [string, Partial<QueueState>, 'send' | 'probe' | 'rest', number | null][] = [
    ['sends what is due', flowing, 'send', 0],
    ['waits for what is not due', { ...flowing, pendingInMs: 700 }, 'rest', 700],
    ['rests when nothing is pending', { ...flowing, pendingInMs: null }, 'rest', null],
    ['waits for the end of a Retry-After', { ...flowing, holdInMs: 900 }, 'rest', 900],
    ['sends after the end of a Retry-After', { ...flowing, holdInMs: -900 }, 'send', 0],
    ['waits for its caps', { ...flowing, rateLimitInMs: 250 }, 'rest', 250],
    ['rests while paused', { ...flowing, holdReason: 'paused' }, 'rest', null],
    ['rests while disabled', { ...flowing, holdReason: 'disabled', hasHeld: true }, 'rest', null],
    ['probes when the breaker has been open long enough', broken, 'probe', 0],
    ['waits until a breaker may be probed', { ...broken, probeInMs: 5_000 }, 'rest', 5_000],
    ['does not probe during a Retry-After', { ...broken, holdInMs: 8_000 }, 'rest', 8_000],
    ['does not probe over its caps', { ...broken, rateLimitInMs: 50 }, 'rest', 50],
    ['has nothing to probe with', { ...broken, hasHeld: false }, 'rest', null],
  ];
  it.each(cases)('%s', (_name, view, move, inMs) => {
    const whole = { ...flowing, ...view };
    expect(nextAction(whole)).toBe(move);
    expect(msUntilNextRun(whole)).toBe(inMs);
  });

  it('knows what stands in the wrong place', () => {
    expect(needsReconciling(flowing)).toBe(false);
    expect(needsReconciling({ ...flowing, hasHeld: true })).toBe(true);
    expect(needsReconciling({ ...flowing, holdReason: 'paused' })).toBe(true);
    expect(needsReconciling({ ...flowing, holdReason: 'paused', hasUnclaimed: false })).toBe(false);
    expect(needsReconciling(broken)).toBe(false);
  });
});
