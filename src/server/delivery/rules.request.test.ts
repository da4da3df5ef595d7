import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import {
  buildRequest,
  type Credential,
  healthOf,
  mintSigningSecret,
  nextDelayMs,
  type RequestToSend,
  redactHeaders,
} from '@/server/delivery/rules';

const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');

const request: RequestToSend = {
  attemptId: 'wha_1',
  deliveryId: 'whd_1',
  subscriptionId: 'whs_1',
  attempt: 1,
  event: {
    id: 'evt_1',
    type: 'participant.registered',
    version: 1,
    aggregateType: 'participant',
    aggregateId: 'prt_1',
    payload: { name: 'Ada', 10: 'ten', 2: 'two', signature: 'theirs', deep: { id: 'x' } },
    metadata: {},
    occurredAt: new Date('2026-11-21T12:00:00.123Z'),
  },
  secrets: [],
  credential: null,
  sentBefore: null,
  sentAt: new Date(),
};

describe('credentials', () => {
  const cases: [string, Credential, Record<string, string>, Record<string, string>][] = [
    ['none', null, {}, {}],
    ['bearer_token', { token: 't0k.en' }, { authorization: 'Bearer t0k.en' }, { authorization: 'Bearer [redacted]' }],
    [
      'basic_auth',
      { username: 'ada', password: 'pass:wörd' },
      { authorization: `Basic ${Buffer.from('ada:pass:wörd').toString('base64')}` },
      { authorization: 'Basic [redacted]' },
    ],
    [
      'custom_header',
      { headerName: 'X-Api-Key', headerValue: 'k3y value' },
      { 'x-api-key': 'k3y value' },
      { 'x-api-key': '[redacted]' },
    ],
    [
      'custom_header named Authorization',
      { headerName: 'Authorization', headerValue: 'whole secret' },
      { authorization: 'whole secret' },
      { authorization: '[redacted]' },
    ],
  ];
  it.each(cases)('%s: on the wire, and hidden in what is kept', (_mode, credential, sent, kept) => {
    const { headers } = buildRequest({ ...request, credential });
    expect(headers).toMatchObject(sent);
    const stored = redactHeaders(headers, credential);
    expect(stored).toMatchObject(kept);
    expect(Object.keys(stored)).toEqual(Object.keys(headers));
    for (const secret of Object.values(sent)) expect(JSON.stringify(stored)).not.toContain(secret);
  });

  it.each([null, { token: 'secret' }, { username: 'a', password: 'b' }, { headerName: 'X-K', headerValue: 'v' }])(
    'stand beside signatures: %j',
    (credential) => {
      const secret = mintSigningSecret();
      const { headers, body } = buildRequest({ ...request, credential, secrets: [secret] });
      expect(headers['x-webhook-signature']).toBe(hmac(secret, body));
    },
  );

  it('cannot replace what tells events apart', () => {
    const { headers } = buildRequest({
      ...request,
      credential: { headerName: 'X-Webhook-Event', headerValue: 'forged' },
    });
    expect(headers['x-webhook-event']).toBe('participant.registered');
  });
});

describe('signatures during a rotation', () => {
  const [current, previous, stranger] = [mintSigningSecret(), mintSigningSecret(), mintSigningSecret()] as const;
  const { body, headers } = buildRequest({ ...request, secrets: [current, previous] });

  it('are those of both secrets, and the official verifier takes either', () => {
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const secret of [current, previous])
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(stranger).verify(body, headers)).toThrow();
  });

  it('are of the current secret alone where there is room for one', () => {
    expect(headers['x-webhook-signature']).toBe(hmac(current, body));
    const { signature, ...unsigned } = JSON.parse(body);
    expect(signature).toBe(hmac(current, JSON.stringify(unsigned)));
  });
});

describe('what is sent again', () => {
  /** JSON in which the members' order and numbers are a receiver's to see. */
  const payloads = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 6 });

  it('is what was sent before, byte for byte, but for signature and attempt fields', () => {
    fc.assert(
      fc.property(payloads, fc.boolean(), (payload, signs) => {
        const secrets = signs ? [mintSigningSecret()] : [];
        const first = buildRequest({ ...request, event: { ...request.event, payload }, secrets });
        const changed = { ...request.event, payload: { altered: true }, version: 9, metadata: { other: 1 } };
        const again = { ...request, attemptId: 'wha_2', attempt: 2, event: changed, secrets, sentBefore: first.body };
        const second = buildRequest(again);
        const neutral = (body: string) =>
          body
            .replace(/^\{"id":"wha_\d"/, '{"id":"wha"')
            .replace(/"attempt":\d,"isRetry":(true|false)\}(,"signature":"[0-9a-f]{64}")?\}$/, '');
        expect(neutral(second.body)).toBe(neutral(first.body));
        const { id, webhook, signature, ...rest } = JSON.parse(second.body);
        expect(id).toBe('wha_2');
        expect(webhook).toEqual({ subscriptionId: 'whs_1', attempt: 2, isRetry: true });
        expect(signature !== undefined).toBe(signs);
        if (signs) expect(signature).toBe(hmac(secrets[0] ?? '', JSON.stringify({ id, ...rest, webhook })));
      }),
    );
  });
});

describe('what follows an attempt', () => {
  const policy = { maxRetries: 2, retryBaseDelayMs: 1000, retryBackoffMultiplier: 3 };
  const failed = { succeeded: false, status: 500 };
  const cases: [
    string,
    { failures: number; probe: boolean },
    { succeeded: boolean; status: number | null },
    number | null,
  ][] = [
    ['a success ends it', { failures: 0, probe: false }, { succeeded: true, status: 200 }, null],
    ['410 ends it', { failures: 0, probe: false }, { succeeded: false, status: 410 }, null],
    ['the first retry', { failures: 0, probe: false }, failed, 1000],
    ['the second retry', { failures: 1, probe: false }, failed, 3000],
    ['no third', { failures: 2, probe: false }, failed, null],
    ['a failed probe spends no retry', { failures: 2, probe: true }, failed, 1000],
    ['a failed connection', { failures: 0, probe: false }, { succeeded: false, status: null }, 1000],
  ];
  it.each(cases)('%s', (_name, attempt, result, ms) => {
    expect(nextDelayMs({ ...attempt, policy }, result, 0, 0.5)).toBe(ms);
  });

  it('spreads: a thousand failures at once do not come back at once', () => {
    const delays = Array.from(
      { length: 1000 },
      () => nextDelayMs({ failures: 1, probe: false, policy }, failed, 0) ?? 0,
    );
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(2700);
    expect(Math.max(...delays)).toBeLessThanOrEqual(3300);
    expect(new Set(delays).size).toBeGreaterThan(300);
  });
});

describe('a health check', () => {
  const answer = (status: number | null, errorClass: string | null, errorMessage: string | null = null) => ({
    status,
    errorClass,
    errorMessage,
    durationMs: 12,
  });
  it.each([
    ['an expected status', answer(204, null), [204], 'healthy', 'Answered 204 in 12 ms.'],
    [
      'an expected refusal',
      answer(401, 'http_4xx', 'The receiver answered 401.'),
      [401],
      'healthy',
      'Answered 401 in 12 ms.',
    ],
    ['another status', answer(500, 'http_5xx', 'x'), [200, 204], 'unhealthy', 'Answered 500; expected 200, 204.'],
    ['no named status', answer(200, null), [], 'healthy', 'Answered 200 in 12 ms.'],
    [
      'an answer that does not end',
      answer(200, 'timeout', 'No complete answer.'),
      [200],
      'unhealthy',
      'No complete answer.',
    ],
    ['no answer', answer(null, 'connect_refused', 'Refused.'), [200], 'unhealthy', 'Refused.'],
  ])('%s', (_name, result, expected, status, detail) => {
    expect(healthOf(result, expected)).toEqual({ status, detail });
  });
});
