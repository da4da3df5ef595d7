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
const none: Backlog = { pending: 0, held: 0, undelivered: 0, oldestAt: null };

type Judged = Parameters<typeof diagnose>[0];

const delivery = { id: 'whd_1', eventType: 'match.completed', status: 'delivered', createdAt: at(-1) } as const;
const taken = { deliveryId: 'whd_1', outcome: 'succeeded', errorMessage: null, startedAt: at(-1) } as const;
const well: Judged = {
  status: 'active',
  disabledReason: null,
  breaker: { state: 'closed', consecutiveFailures: 0, openedAt: null, retryAt: null },
  holdUntil: null,
  health: { status: null, checkedAt: null, detail: null },
  healthCheck: null,
  failingSince: null,
  lastDelivery: { ...delivery, responseStatus: 200, errorClass: null },
  lastAttempt: { ...taken, responseStatus: 200, errorClass: null },
  lastDeliveredAt: at(-1),
};
const refused: Judged = {
  ...well,
  failingSince: at(-30),
  lastAttempt: { ...taken, outcome: 'failed', responseStatus: 500, errorClass: 'http_5xx' },
};

test('a receiver that gets its events is fine, and one that never got any is new', () => {
  expect(diagnose(well, none, now).kind).toBe('fine');
  expect(diagnose({ ...well, lastDelivery: null, lastAttempt: null }, none, now)).toMatchObject({
    kind: 'new',
    suggestedFixes: [],
  });
});

test('a failure is told with its answer, what waits, and a way to look at it', () => {
  const verdict = diagnose(refused, { ...none, pending: 3 }, now);
  expect(verdict).toMatchObject({ kind: 'failing', suggestedFixes: ['inspect'] });
  expect(verdict.explanation).toContain('500 · Receiver failed');
  expect(verdict.explanation).toContain('3 deliveries wait for it.');
  expect(diagnose(refused, { ...none, undelivered: 2 }, now).suggestedFixes).toEqual(['inspect', 'replay']);
});

test('an open breaker names the cause, counts down to its probe, and can be reset', () => {
  const breaker = { state: 'open', consecutiveFailures: 10, openedAt: at(-1), retryAt: at(5) } as const;
  const verdict = diagnose({ ...refused, breaker }, { ...none, held: 1 }, now);
  expect(verdict).toMatchObject({ kind: 'breaker', countdown: { at: at(5) }, suggestedFixes: ['reset', 'inspect'] });
  expect(verdict.title).toContain('10 failures');
  expect(verdict.explanation).toContain('Receiver failed');
  const probing = diagnose({ ...refused, breaker: { ...breaker, state: 'half_open' } }, none, now);
  expect(probing.title).toContain('probe');
  expect(probing.countdown).toBeNull();
});

test('being paused or disabled comes before everything else', () => {
  const breaker = { state: 'open', consecutiveFailures: 10, openedAt: at(-1), retryAt: at(5) } as const;
  expect(diagnose({ ...refused, breaker, status: 'paused' }, none, now)).toMatchObject({
    kind: 'paused',
    suggestedFixes: ['resume'],
  });
  const gone = diagnose({ ...refused, status: 'disabled', disabledReason: 'gone_410' }, none, now);
  expect(gone.kind).toBe('disabled');
  expect(gone.explanation).toContain('410');
  expect(gone.suggestedFixes[0]).toBe('resume');
});

test('a hold counts only while it lasts', () => {
  expect(diagnose({ ...well, holdUntil: at(10) }, none, now)).toMatchObject({
    kind: 'held',
    countdown: { at: at(10) },
  });
  expect(diagnose({ ...well, holdUntil: at(-10) }, none, now).kind).toBe('fine');
});

test('missed events, lateness and a failing health check are told where nothing worse is true', () => {
  expect(diagnose(well, { ...none, undelivered: 4 }, now)).toMatchObject({
    kind: 'missed',
    suggestedFixes: ['replay'],
  });
  expect(diagnose(well, { ...none, pending: 9, oldestAt: at(-20) }, now).kind).toBe('late');
  expect(diagnose(well, { ...none, pending: 9, oldestAt: at(-1) }, now).kind).toBe('fine');
  const healthCheck = { enabled: true, intervalSeconds: 60, expectedStatusCodes: [200] };
  const health = { status: 'unhealthy' as const, checkedAt: at(-1), detail: 'It answered 500.' };
  expect(diagnose({ ...well, health, healthCheck }, none, now)).toMatchObject({
    kind: 'unhealthy',
    explanation: 'It answered 500.',
  });
  expect(diagnose({ ...well, health, healthCheck: { ...healthCheck, enabled: false } }, none, now).kind).toBe('fine');
});

test('who needs someone comes first', () => {
  const kinds: Diagnosis['kind'][] = ['fine', 'paused', 'missed', 'new', 'breaker', 'failing', 'disabled'];
  const verdicts = kinds.map((kind) => ({ kind, title: '', explanation: '', countdown: null, suggestedFixes: [] }));
  expect(verdicts.sort(compareByUrgency).map((verdict) => verdict.kind)).toEqual([
    'disabled',
    'breaker',
    'failing',
    'missed',
    'paused',
    'new',
    'fine',
  ]);
  expect(kinds.filter(needsAttention)).toEqual(['missed', 'breaker', 'failing', 'disabled']);
});

test('what is sent next waits for what holds it back', () => {
  const waiting = { pending: 2, held: 0, nextAttemptAt: at(1) };
  const open = { ...well, breaker: { ...well.breaker, state: 'open' as const, retryAt: at(5) } };
  expect(findNextAttempt(well, { pending: 0, held: 0, nextAttemptAt: null })).toMatchObject({ at: null });
  expect(findNextAttempt(well, waiting).at).toBe(at(1));
  expect(findNextAttempt({ ...well, holdUntil: at(30) }, waiting)).toEqual({
    at: at(30),
    hint: 'The receiver asked to wait',
  });
  expect(findNextAttempt({ ...well, holdUntil: at(-30) }, waiting).at).toBe(at(1));
  expect(findNextAttempt(open, { pending: 0, held: 6, nextAttemptAt: null }).at).toBe(at(5));
  expect(findNextAttempt({ ...open, holdUntil: at(9) }, { ...waiting, held: 6 }).at).toBe(at(9));
  expect(findNextAttempt({ ...open, status: 'paused' }, waiting)).toMatchObject({
    at: null,
    hint: expect.stringContaining('resumed'),
  });
});
