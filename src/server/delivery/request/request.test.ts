import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { type Credential, redactHeaders } from '@/server/delivery/request/credentials';
import { buildRequest, type RequestInput } from '@/server/delivery/request/request';
import { createSigningSecret } from '@/server/delivery/secrets';

const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');

const request: RequestInput = {
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
  previousBody: null,
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
  it.each(cases)('%s: sent, and redacted in what is stored', (_mode, credential, sent, kept) => {
    const { headers } = buildRequest({ ...request, credential });
    expect(headers).toMatchObject(sent);
    const stored = redactHeaders(headers, credential);
    expect(stored).toMatchObject(kept);
    expect(Object.keys(stored)).toEqual(Object.keys(headers));
    for (const secret of Object.values(sent)) expect(JSON.stringify(stored)).not.toContain(secret);
  });

  it.each([null, { token: 'secret' }, { username: 'a', password: 'b' }, { headerName: 'X-K', headerValue: 'v' }])(
    'are sent in addition to signatures: %j',
    (credential) => {
      const secret = createSigningSecret();
      const { headers, body } = buildRequest({ ...request, credential, secrets: [secret] });
      expect(headers['x-webhook-signature']).toBe(hmac(secret, body));
    },
  );

  it('cannot replace the headers that identify the event', () => {
    const { headers } = buildRequest({
      ...request,
      credential: { headerName: 'X-Webhook-Event', headerValue: 'forged' },
    });
    expect(headers['x-webhook-event']).toBe('participant.registered');
  });
});

describe('signatures during a rotation', () => {
  const [current, previous, stranger] = [createSigningSecret(), createSigningSecret(), createSigningSecret()] as const;
  const { body, headers } = buildRequest({ ...request, secrets: [current, previous] });

  it('use both secrets, and the official verifier accepts either', () => {
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const secret of [current, previous])
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(stranger).verify(body, headers)).toThrow();
  });

  it('use the current secret where only one signature is possible', () => {
    expect(headers['x-webhook-signature']).toBe(hmac(current, body));
    const { signature, ...unsigned } = JSON.parse(body);
    expect(signature).toBe(hmac(current, JSON.stringify(unsigned)));
  });
});

describe('a retry', () => {
  /** JSON whose order of members and numbers a receiver can see. */
  const payloads = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 6 });

  it('sends the same bytes again, except for the signature and the fields of the attempt', () => {
    fc.assert(
      fc.property(payloads, fc.boolean(), (payload, signs) => {
        const secrets = signs ? [createSigningSecret()] : [];
        const first = buildRequest({ ...request, event: { ...request.event, payload }, secrets });
        const changed = { ...request.event, payload: { altered: true }, version: 9, metadata: { other: 1 } };
        const again = { ...request, attemptId: 'wha_2', attempt: 2, event: changed, secrets, previousBody: first.body };
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
