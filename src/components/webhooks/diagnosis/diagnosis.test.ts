import { expect, test } from 'vitest';
import {
  type Backlog,
  compareByUrgency,
  type Diagnosis,
  diagnose,
  findNextAttempt,
  needsAttention,
} from '@/components/webhooks/diagnosis/diagnosis';

const now = Date.parse('2026-11-21T18:00:00.000Z');
const at = (minutes: number) => new Date(now + minutes * 60_000).toISOString();
const emptyBacklog: Backlog = { pending: 0, held: 0, undelivered: 0, oldestAt: null };

type DiagnosedSubscription = Parameters<typeof diagnose>[0];

const delivery = { id: 'whd_1', eventType: 'match.completed', status: 'delivered', createdAt: at(-1) } as const;
const attempt = { deliveryId: 'whd_1', outcome: 'succeeded', errorMessage: null, startedAt: at(-1) } as const;
const healthy: DiagnosedSubscription = {
  status: 'active',
  disabledReason: null,
  breaker: { state: 'closed', consecutiveFailures: 0, openedAt: null, retryAt: null },
  holdUntil: null,
  health: { status: null, checkedAt: null, detail: null },
  healthCheck: null,
  failingSince: null,
  lastDelivery: { ...delivery, responseStatus: 200, errorClass: null },
  lastAttempt: { ...attempt, responseStatus: 200, errorClass: null },
  lastDeliveredAt: at(-1),
};
const failing: DiagnosedSubscription = {
  ...healthy,
  failingSince: at(-30),
  lastAttempt: { ...attempt, outcome: 'failed', responseStatus: 500, errorClass: 'http_5xx' },
};
const openBreaker = { state: 'open', consecutiveFailures: 10, openedAt: at(-1), retryAt: at(5) } as const;

test('a webhook that delivers its events is healthy, and one without deliveries is new', () => {
  expect(diagnose(healthy, emptyBacklog, now).kind).toBe('healthy');
  expect(diagnose({ ...healthy, lastDelivery: null, lastAttempt: null }, emptyBacklog, now)).toMatchObject({
    kind: 'new',
    suggestedFixes: [],
  });
});

test('a failing webhook shows the last response, the backlog and a way to inspect it', () => {
  const diagnosis = diagnose(failing, { ...emptyBacklog, pending: 3 }, now);
  expect(diagnosis).toMatchObject({ kind: 'failing', suggestedFixes: ['inspect'] });
  expect(diagnosis.explanation).toContain('500 · Server error');
  expect(diagnosis.explanation).toContain('3 deliveries are waiting.');
  expect(diagnose(failing, { ...emptyBacklog, undelivered: 2 }, now).suggestedFixes).toEqual(['inspect', 'replay']);
});

test('an open circuit breaker shows the cause, counts down to its probe, and can be reset', () => {
  const diagnosis = diagnose({ ...failing, breaker: openBreaker }, { ...emptyBacklog, held: 1 }, now);
  expect(diagnosis).toMatchObject({
    kind: 'breaker_open',
    countdown: { at: at(5) },
    suggestedFixes: ['reset_breaker', 'inspect'],
  });
  expect(diagnosis.explanation).toContain('10 failures in a row');
  expect(diagnosis.explanation).toContain('Server error');
  const probing = diagnose({ ...failing, breaker: { ...openBreaker, state: 'half_open' } }, emptyBacklog, now);
  expect(probing.title).toContain('probe');
  expect(probing.countdown).toBeNull();
});

test('paused and disabled outrank everything else', () => {
  const paused = diagnose({ ...failing, breaker: openBreaker, status: 'paused' }, emptyBacklog, now);
  expect(paused).toMatchObject({ kind: 'paused', suggestedFixes: ['resume'] });
  const gone = diagnose({ ...failing, status: 'disabled', disabledReason: 'gone_410' }, emptyBacklog, now);
  expect(gone.kind).toBe('disabled');
  expect(gone.explanation).toContain('410');
  expect(gone.suggestedFixes[0]).toBe('resume');
});

test('Retry-After counts only until its time is over', () => {
  expect(diagnose({ ...healthy, holdUntil: at(10) }, emptyBacklog, now)).toMatchObject({
    kind: 'retry_after',
    countdown: { at: at(10) },
  });
  expect(diagnose({ ...healthy, holdUntil: at(-10) }, emptyBacklog, now).kind).toBe('healthy');
});

test('undelivered events, delays and a failing health check show when nothing worse is true', () => {
  expect(diagnose(healthy, { ...emptyBacklog, undelivered: 4 }, now)).toMatchObject({
    kind: 'undelivered',
    suggestedFixes: ['replay'],
  });
  expect(diagnose(healthy, { ...emptyBacklog, pending: 9, oldestAt: at(-20) }, now).kind).toBe('delayed');
  expect(diagnose(healthy, { ...emptyBacklog, pending: 9, oldestAt: at(-1) }, now).kind).toBe('healthy');
  const healthCheck = { enabled: true, intervalSeconds: 60, expectedStatusCodes: [200] };
  const health = { status: 'unhealthy' as const, checkedAt: at(-1), detail: 'It answered 500.' };
  expect(diagnose({ ...healthy, health, healthCheck }, emptyBacklog, now)).toMatchObject({
    kind: 'health_check_failing',
    explanation: 'It answered 500.',
  });
  const disabledCheck = { ...healthCheck, enabled: false };
  expect(diagnose({ ...healthy, health, healthCheck: disabledCheck }, emptyBacklog, now).kind).toBe('healthy');
});

test('the most urgent problems come first', () => {
  const kinds: Diagnosis['kind'][] = ['healthy', 'paused', 'undelivered', 'new', 'breaker_open', 'failing', 'disabled'];
  const diagnoses = kinds.map((kind) => ({ kind, title: '', explanation: '', countdown: null, suggestedFixes: [] }));
  expect(diagnoses.sort(compareByUrgency).map(({ kind }) => kind)).toEqual([
    'disabled',
    'breaker_open',
    'failing',
    'undelivered',
    'paused',
    'new',
    'healthy',
  ]);
  expect(kinds.filter(needsAttention)).toEqual(['undelivered', 'breaker_open', 'failing', 'disabled']);
});

test('the next attempt waits for Retry-After, the circuit breaker and a resume', () => {
  const waiting = { pending: 2, held: 0, nextAttemptAt: at(1) };
  const open = { ...healthy, breaker: { ...healthy.breaker, state: 'open' as const, retryAt: at(5) } };
  expect(findNextAttempt(healthy, { pending: 0, held: 0, nextAttemptAt: null })).toMatchObject({ at: null });
  expect(findNextAttempt(healthy, waiting).at).toBe(at(1));
  expect(findNextAttempt({ ...healthy, holdUntil: at(30) }, waiting)).toEqual({
    at: at(30),
    hint: 'Your server asked to wait',
  });
  expect(findNextAttempt({ ...healthy, holdUntil: at(-30) }, waiting).at).toBe(at(1));
  expect(findNextAttempt(open, { pending: 0, held: 6, nextAttemptAt: null }).at).toBe(at(5));
  expect(findNextAttempt({ ...open, holdUntil: at(9) }, { ...waiting, held: 6 }).at).toBe(at(9));
  expect(findNextAttempt({ ...open, status: 'paused' }, waiting)).toMatchObject({
    at: null,
    hint: expect.stringContaining('resume'),
  });
});
