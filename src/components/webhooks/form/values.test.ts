import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  authenticationChange,
  changedFields,
  defaultValues,
  type FormValues,
  findIssues,
  keepsStoredCredential,
  parseScalar,
  splitList,
  toAuthentication,
  toCondition,
  toFormPath,
  toFormValues,
  toSettings,
} from '@/components/webhooks/form/values';
import type { Subscription } from '@/components/webhooks/types';

const filled: FormValues = { ...defaultValues, url: 'https://example.com/hook', events: ['match.*'] };
const invalidFields = (changes: Partial<FormValues>) =>
  findIssues({ ...filled, ...changes }, null).map((issue) => issue.name);

const saved: Subscription = {
  id: 'whs_1',
  projectId: 'prj_1',
  ...toSettings(filled),
  authentication: { mode: 'basic_auth', label: 'league' },
  previousSecretUntil: null,
  status: 'active',
  pausedAt: null,
  disabledAt: null,
  disabledReason: null,
  breaker: { state: 'closed', consecutiveFailures: 0, openedAt: null, retryAt: null },
  health: { status: null, checkedAt: null, detail: null },
  holdUntil: null,
  failingSince: null,
  lastAttemptAt: null,
  lastDeliveredAt: null,
  lastDelivery: null,
  lastAttempt: null,
  version: 3,
  createdAt: '2026-11-21T18:00:00.000Z',
  updatedAt: '2026-11-21T18:00:00.000Z',
};

describe('the form', () => {
  test('is valid when filled in, and converts to API input', () => {
    expect(findIssues(filled, null)).toEqual([]);
    expect(toSettings(filled)).toMatchObject({
      url: 'https://example.com/hook',
      events: ['match.*'],
      signPayload: true,
      rateLimitConfig: null,
      filters: null,
      healthCheck: null,
      ipWhitelist: [],
    });
  });

  test('reports each error at its field', () => {
    expect(findIssues(defaultValues, null).map((issue) => issue.name)).toEqual(['url', 'events']);
    expect(invalidFields({ timeoutMs: 500 })).toEqual(['timeoutMs']);
    expect(invalidFields({ maxRetries: Number.NaN })).toEqual(['maxRetries']);
    expect(invalidFields({ perMinute: 0 })).toEqual(['perMinute']);
    expect(invalidFields({ ipWhitelist: '203.0.113.7\nnonsense' })).toEqual(['ipWhitelist']);
    expect(invalidFields({ mode: 'bearer_token' })).toContain('token');
    expect(invalidFields({ mode: 'basic_auth', username: 'a:b', password: 'x' })).toEqual(['username']);
    expect(invalidFields({ mode: 'custom_header', headerName: 'X-Webhook-Id', headerValue: 'x' })).toEqual([
      'headerName',
    ]);
    expect(invalidFields({ healthEnabled: true, expectedStatusCodes: '200, 99' })).toEqual(['expectedStatusCodes']);
    expect(invalidFields({ healthEnabled: true, intervalSeconds: 1 })).toEqual(['intervalSeconds']);
    expect(invalidFields({ userIds: 'somebody' })).toEqual(['userIds']);
    expect(invalidFields({ conditions: [{ field: 'payload.', operator: 'eq', value: 'x' }] })).toEqual([
      'conditions.0.field',
    ]);
    expect(invalidFields({ conditions: [{ field: 'payload.a', operator: 'gt', value: '' }] })).toEqual([
      'conditions.0.value',
    ]);
  });

  test('maps API paths to its fields', () => {
    expect(toFormPath(['healthCheck', 'url'])).toBe('healthUrl');
    expect(toFormPath(['rateLimitConfig', 'perDay'])).toBe('perDay');
    expect(toFormPath(['filters', 'conditions', 2, 'value', 0])).toBe('conditions.2.value');
    expect(toFormPath(['authentication', 'headerName'])).toBe('headerName');
    expect(toFormPath(['events', 3])).toBe('events');
    expect(toFormPath(['healthCheck', 'enabled'])).toBe('healthEnabled');
    expect(toFormPath(['authentication'])).toBe('mode');
  });
});

describe('credentials', () => {
  const before = toFormValues(saved);

  test('are kept unless new ones are entered', () => {
    expect(before).toMatchObject({ mode: 'basic_auth', username: 'league', password: '' });
    expect(keepsStoredCredential(before, saved)).toBe(true);
    expect(authenticationChange(before, saved)).toBeUndefined();
    expect(findIssues(before, saved)).toEqual([]);
    expect(authenticationChange({ ...before, username: 'cup' }, saved)).toEqual({
      mode: 'basic_auth',
      username: 'cup',
    });
    expect(authenticationChange({ ...before, password: 'new' }, saved)).toEqual({
      mode: 'basic_auth',
      username: 'league',
      password: 'new',
    });
  });

  test('must be complete for another host', () => {
    const elsewhere = { ...before, url: 'https://elsewhere.example/hook' };
    expect(keepsStoredCredential(elsewhere, saved)).toBe(false);
    expect(new Set(findIssues(elsewhere, saved).map((issue) => issue.name))).toEqual(new Set(['password']));
    expect(keepsStoredCredential({ ...before, url: new URL('/other', saved.url).href }, saved)).toBe(true);
  });

  test('must be complete when the mode changes', () => {
    const values: FormValues = { ...before, mode: 'bearer_token' };
    expect(findIssues(values, saved).map((issue) => issue.name)).toContain('token');
    expect(authenticationChange({ ...values, token: 'abc' }, saved)).toEqual({ mode: 'bearer_token', token: 'abc' });
    expect(toAuthentication({ ...filled, mode: 'none' })).toEqual({ mode: 'none' });
  });
});

describe('a typed value', () => {
  test('becomes a number, boolean or null unless it is quoted', () => {
    expect(['7', '-1.5', 'true', 'null', 'approved', '"7"', '"true"', ' x ', '7a'].map(parseScalar)).toEqual([
      7,
      -1.5,
      true,
      null,
      'approved',
      '7',
      'true',
      'x',
      '7a',
    ]);
    expect(toCondition({ field: 'payload.s', operator: 'in', value: 'a, "b, c", 3' }).value).toEqual(['a', 'b, c', 3]);
    expect(toCondition({ field: 'payload.s', operator: 'exists', value: 'false' }).value).toBe(false);
    expect(splitList(' 203.0.113.7,\n::1\n')).toEqual(['203.0.113.7', '::1']);
  });

  test('survives saving and editing', () => {
    const scalar = fc.oneof(
      fc.string({ minLength: 1, maxLength: 40 }).filter((text) => text.trim() === text && !text.includes('\0')),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    );
    const condition = fc.oneof(
      fc.record({ field: fc.constant('payload.x'), operator: fc.constant('eq' as const), value: scalar }),
      fc.record({
        field: fc.constant('payload.x'),
        operator: fc.constant('in' as const),
        value: fc.array(scalar, { minLength: 1, maxLength: 4 }),
      }),
    );
    fc.assert(
      fc.property(condition, (given) => {
        const filters = { aggregateTypes: [], tournamentIds: [], userIds: [], conditions: [given] };
        const [typed] = toFormValues({ ...saved, filters }).conditions;
        expect(typed && toCondition(typed)).toEqual(given);
      }),
    );
  });
});

test('only the settings that differ count as changed', () => {
  const one = toSettings(filled);
  expect(changedFields(one, toSettings({ ...filled, perDay: 5, timeoutMs: 2_000 }))).toEqual([
    'timeoutMs',
    'rateLimitConfig',
  ]);
  expect(
    changedFields(one, toSettings(toFormValues({ ...saved, authentication: { mode: 'none', label: null } }))),
  ).toEqual([]);
});
