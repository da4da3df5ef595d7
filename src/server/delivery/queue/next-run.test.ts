import { describe, expect, it } from 'vitest';
import { msUntilNextRun, needsReconciling, nextAction, type QueueState } from '@/server/delivery/queue/next-run';

describe('a queue', () => {
  const sending: QueueState = {
    holdReason: null,
    probeInMs: null,
    holdInMs: null,
    rateLimitInMs: 0,
    pendingInMs: -5,
    heldInMs: null,
    hasUnclaimed: true,
  };
  const broken: QueueState = {
    ...sending,
    holdReason: 'breaker',
    probeInMs: -1,
    pendingInMs: null,
    heldInMs: -5,
    hasUnclaimed: false,
  };
  const cases: [string, Partial<QueueState>, 'send' | 'probe' | 'wait', number | null][] = [
    ['sends what is due', sending, 'send', 0],
    ['waits for what is not due yet', { ...sending, pendingInMs: 700 }, 'wait', 700],
    ['sends what was held', { ...sending, pendingInMs: 700, heldInMs: -5 }, 'send', 0],
    ['waits when nothing is pending', { ...sending, pendingInMs: null }, 'wait', null],
    ['waits for the end of a Retry-After', { ...sending, holdInMs: 900 }, 'wait', 900],
    ['sends after the end of a Retry-After', { ...sending, holdInMs: -900 }, 'send', 0],
    ['waits for its rate limits', { ...sending, rateLimitInMs: 250 }, 'wait', 250],
    ['waits while paused', { ...sending, holdReason: 'paused' }, 'wait', null],
    ['waits while disabled', { ...sending, holdReason: 'disabled', heldInMs: -5 }, 'wait', null],
    ['probes when the breaker has been open long enough', broken, 'probe', 0],
    ['waits until the breaker may be probed', { ...broken, probeInMs: 5_000 }, 'wait', 5_000],
    ['does not probe during a Retry-After', { ...broken, holdInMs: 8_000 }, 'wait', 8_000],
    ['does not probe beyond its rate limits', { ...broken, rateLimitInMs: 50 }, 'wait', 50],
    ['waits when there is nothing to probe with', { ...broken, heldInMs: null }, 'wait', null],
  ];
  it.each(cases)('%s', (_name, changes, action, inMs) => {
    const queue = { ...sending, ...changes };
    expect(nextAction(queue)).toBe(action);
    expect(msUntilNextRun(queue)).toBe(inMs);
  });

  it('needs reconciling when deliveries have the wrong status', () => {
    expect(needsReconciling(sending)).toBe(false);
    expect(needsReconciling({ ...sending, heldInMs: -5 })).toBe(false);
    expect(needsReconciling({ ...sending, pendingInMs: null, heldInMs: 700 })).toBe(true);
    expect(needsReconciling({ ...sending, heldInMs: -5, holdInMs: 900 })).toBe(true);
    expect(needsReconciling({ ...sending, holdReason: 'paused' })).toBe(true);
    expect(needsReconciling({ ...sending, holdReason: 'paused', hasUnclaimed: false })).toBe(false);
    expect(needsReconciling(broken)).toBe(false);
  });

  it('of a breaker that is open for a moment needs none', () => {
    const open = { ...broken, pendingInMs: -5, hasUnclaimed: true };
    for (const inMs of [-5, 100, 1_000]) expect(needsReconciling({ ...open, probeInMs: inMs })).toBe(false);
    expect(needsReconciling({ ...open, probeInMs: 3_000 })).toBe(true);
    expect(needsReconciling({ ...open, probeInMs: 100, holdInMs: 3_000 })).toBe(true);
    expect(needsReconciling({ ...open, holdReason: 'paused', probeInMs: 100 })).toBe(true);
  });
});
