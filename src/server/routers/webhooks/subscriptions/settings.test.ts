import { describe, expect, it } from 'vitest';
import { decryptSecret } from '@/server/crypto';
import { db, pool } from '@/server/db';
import { makeDeliveries } from '@/test/deliveries';
import { emitEvents, makeProject, makeSubscription } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const server = setupTestServer();

const inside = 'http://127.0.0.1:9/hook';
const one = (id: string) => `/webhooks/subscriptions/${id}`;
type Subscription = { id: string; version: number; signingSecret: string | null; [field: string]: unknown };
type Problem = { message: string; error: { issues: { path: string; message: string }[] } };

const stored = (id: string) => db.webhookSubscription.findUniqueOrThrow({ where: { id } });
async function credentialOf(id: string) {
  const { authMode, authSecretEncrypted, authLabel } = await stored(id);
  return {
    mode: authMode,
    label: authLabel,
    secret: authSecretEncrypted && JSON.parse(decryptSecret(authSecretEncrypted)),
  };
}

async function setUp(data: object = {}) {
  const { project, owner } = await makeProject();
  const made = await makeSubscription(project.id, { url: inside, ...data });
  const patch = (body: object, headers: Record<string, string> = {}) =>
    server.patch<Subscription & Problem>(one(made.id), { bearer: owner.bearer, body, headers });
  return { project, owner, made, patch };
}

const credentials = [
  [{ mode: 'bearer_token', token: 'tok-3f8a91' }, null, { token: 'tok-3f8a91' }],
  [
    { mode: 'basic_auth', username: 'laurel', password: 'p:w-3f8a91' },
    'laurel',
    { username: 'laurel', password: 'p:w-3f8a91' },
  ],
  [
    { mode: 'custom_header', headerName: 'X-Api-Key', headerValue: 'val-3f8a91' },
    'X-Api-Key',
    { headerName: 'X-Api-Key', headerValue: 'val-3f8a91' },
  ],
  [{ mode: 'none' }, null, null],
  [{ mode: 'hmac_signature' }, null, null],
] as const;

describe('authentication', () => {
  it.each(credentials)('%j is stored encrypted and not shown again', async (authentication, label, secret) => {
    const { project, owner } = await makeProject();
    const body = { url: inside, events: ['*'], authentication };
    const path = `/projects/${project.id}/developer/webhooks`;
    const made = await server.post<Subscription>(path, { bearer: owner.bearer, body });
    expect(made.status).toBe(201);
    expect(made.body.authentication).toEqual({ mode: authentication.mode, label });
    expect(made.body.signPayload).toBe(authentication.mode === 'hmac_signature');
    expect(await credentialOf(made.body.id)).toEqual({ mode: authentication.mode, label, secret });
    const audits = JSON.stringify(await db.auditEntry.findMany({ where: { targetId: made.body.id } }));
    const row = JSON.stringify(await stored(made.body.id));
    const reads = await Promise.all(
      [one(made.body.id), path, '/webhooks/subscriptions', '/webhooks/dashboard'].map((url) =>
        server.get(url, { bearer: owner.bearer }),
      ),
    );
    for (const text of [made.text, audits, row, ...reads.map((read) => read.text)])
      expect(text).not.toContain('3f8a91');
  });

  it.each<[object, string]>([
    [{ mode: 'bearer_token' }, 'authentication.token'],
    [{ mode: 'bearer_token', token: 'a b' }, 'authentication.token'],
    [{ mode: 'bearer_token', token: 'a\r\nX-Evil: 1' }, 'authentication.token'],
    [{ mode: 'bearer_token', token: 'schlüssel' }, 'authentication.token'],
    [{ mode: 'basic_auth', username: 'a:b', password: 'c' }, 'authentication.username'],
    [{ mode: 'basic_auth', username: 'a', password: 'c\n' }, 'authentication.password'],
    [{ mode: 'basic_auth', username: 'a' }, 'authentication.password'],
    [{ mode: 'custom_header', headerName: 'X Key', headerValue: 'v' }, 'authentication.headerName'],
    [{ mode: 'custom_header', headerName: 'X-Key', headerValue: 'v\r\nX-Evil: 1' }, 'authentication.headerValue'],
    [{ mode: 'custom_header', headerName: 'X-Key' }, 'authentication.headerValue'],
    ...[
      'Host',
      'content-length',
      'Content-Type',
      'Connection',
      'Transfer-Encoding',
      'TE',
      'Upgrade',
      'Proxy-Authorization',
      'constructor',
      '__proto__',
    ].map((headerName): [object, string] => [
      { mode: 'custom_header', headerName, headerValue: 'v' },
      'authentication.headerName',
    ]),
    ...[
      'X-Webhook-Signature',
      'webhook-id',
      'Accept-Encoding',
      'Expect',
      'Keep-Alive',
      'Trailer',
      'User-Agent',
      'Accept',
    ].map((headerName): [object, string] => [
      { mode: 'custom_header', headerName, headerValue: 'v' },
      'authentication.headerName',
    ]),
    [{ mode: 'oauth2' }, 'authentication.mode'],
    [{}, 'authentication.mode'],
  ])('%j is rejected', async (authentication, path) => {
    const { project, owner, patch } = await setUp();
    const body = { url: inside, events: ['*'], authentication };
    const refused = await server.post<Problem>(`/projects/${project.id}/developer/webhooks`, {
      bearer: owner.bearer,
      body,
    });
    expect([refused.status, refused.reason]).toEqual([400, 'VALIDATION_FAILED']);
    expect(refused.body.error.issues.map((issue) => issue.path)).toContain(path);
    const changed = await patch({ authentication });
    expect(changed.status).toBe(400);
    expect(changed.body.error.issues.map((issue) => issue.path)).toContain(path);
  });

  it('a change keeps omitted fields while the mode stays, and requires them when the mode changes', async () => {
    const { made, patch } = await setUp();
    await patch({ authentication: { mode: 'basic_auth', username: 'ada', password: 'first' }, signPayload: true });
    const renamed = await patch({ authentication: { mode: 'basic_auth', username: 'bob' } });
    expect(renamed.body).toMatchObject({ authentication: { mode: 'basic_auth', label: 'bob' }, signPayload: true });
    expect(await credentialOf(made.id)).toMatchObject({ secret: { username: 'bob', password: 'first' } });
    await patch({ authentication: { mode: 'basic_auth', password: 'second' } });
    expect(await credentialOf(made.id)).toMatchObject({ secret: { username: 'bob', password: 'second' } });
    const missing = await patch({ authentication: { mode: 'custom_header', headerName: 'X-Key' } });
    expect(missing.body.error.issues).toEqual([
      { path: 'authentication.headerValue', message: expect.stringContaining('custom_header') },
    ]);
    await patch({ description: 'Elsewhere' });
    expect(await credentialOf(made.id)).toMatchObject({ mode: 'basic_auth', secret: { password: 'second' } });
    const none = await patch({ authentication: { mode: 'none' } });
    expect(none.body).toMatchObject({ authentication: { mode: 'none', label: null }, signPayload: true });
    expect(await credentialOf(made.id)).toEqual({ mode: 'none', label: null, secret: null });
  });

  it.each(credentials.slice(0, 3))(
    '%j is not sent to another host or port than it was entered for',
    async (authentication) => {
      const { made, patch } = await setUp();
      expect((await patch({ authentication })).status).toBe(200);
      const url = 'http://127.0.0.2:9/hook';
      const { mode, ...fields } = authentication;
      const [name = ''] = Object.keys(fields);
      const incomplete = Object.keys(fields).length > 1 ? [{ mode, [name]: 'known' }] : [];
      for (const sent of [undefined, { mode }, ...incomplete]) {
        const refused = await patch({ url, authentication: sent });
        expect([refused.status, refused.reason]).toEqual([400, 'VALIDATION_FAILED']);
        expect(refused.body.error.issues.every(({ path }) => path.startsWith('authentication.'))).toBe(true);
      }
      const otherPort = await patch({ url: inside.replace(':9/', ':10/') });
      expect([otherPort.status, otherPort.reason]).toEqual([400, 'VALIDATION_FAILED']);
      expect((await stored(made.id)).url).toBe(inside);
      expect((await patch({ url: `${inside}/other` })).status).toBe(200);
      expect((await patch({ url, authentication })).status).toBe(200);
      expect((await patch({ url: inside, authentication: { mode: 'none' } })).status).toBe(200);
      expect((await patch({ url })).status).toBe(200);
    },
  );

  it('any mode can sign with the signing secret; the response contains the first one', async () => {
    const { made, patch } = await setUp({ authMode: 'none', signPayload: false, signingSecretEncrypted: null });
    const on = await patch({ signPayload: true });
    expect(on.body).toMatchObject({ signPayload: true, signingSecret: expect.stringMatching(/^whsec_/) });
    const off = await patch({ signPayload: false });
    expect(off.body).toMatchObject({ signPayload: false, signingSecret: null });
    const hmac = await patch({ authentication: { mode: 'hmac_signature' }, signPayload: false });
    expect(hmac.body).toMatchObject({ signPayload: true, signingSecret: null });
    expect(decryptSecret((await stored(made.id)).signingSecretEncrypted ?? '')).toBe(on.body.signingSecret);
    const away = await patch({ authentication: { mode: 'bearer_token', token: 'abc' } });
    expect(away.body.signPayload).toBe(false);
  });
});

describe('changing', () => {
  it('accepts every setting by itself and leaves the others unchanged', async () => {
    const { project, made, patch } = await setUp();
    const changes = {
      url: 'http://127.0.0.1:9/other',
      description: 'Scores',
      events: ['match.*'],
      timeoutMs: 2_000,
      maxRetries: 1,
      retryBaseDelayMs: 3_000,
      retryBackoffMultiplier: 1.5,
      enableCircuitBreaker: false,
      circuitBreakerThreshold: 3,
      circuitBreakerTimeoutMs: 5_000,
      rateLimitConfig: { perMinute: 60, perHour: 600, perDay: 6_000, burst: 5 },
      ipWhitelist: ['127.0.0.1', '2001:db8::/32'],
      filters: {
        aggregateTypes: ['tournament'],
        tournamentIds: ['trn_01k9x2m4c8r5t7v9w0y1z2a3b4'],
        userIds: [],
        conditions: [{ field: 'payload.status', operator: 'in', value: ['PUBLISHED', 'COMPLETED'] }],
      },
      healthCheck: {
        enabled: true,
        url: 'http://127.0.0.1:9/health',
        intervalSeconds: 60,
        expectedStatusCodes: [200, 204],
      },
    };
    let expected: Record<string, unknown> = {};
    let version = 1;
    for (const [field, value] of Object.entries(changes)) {
      const changed = await patch({ [field]: value });
      expected = { ...expected, [field]: value };
      version += 1;
      expect([field, changed.status]).toEqual([field, 200]);
      expect(changed.body).toMatchObject({ ...expected, version });
    }
    for (const field of ['rateLimitConfig', 'filters', 'healthCheck']) {
      expect((await patch({ [field]: null })).body[field]).toBeNull();
    }
    const audits = await db.auditEntry.findMany({ where: { targetId: made.id, action: 'webhook.update' } });
    expect(audits).toHaveLength(Object.keys(changes).length + 3);
    expect(audits[0]).toMatchObject({ projectId: project.id, details: { changes: ['url'], url: changes.url } });
  });

  it.each([
    ['timeoutMs', 1_000, 120_000],
    ['maxRetries', 0, 10],
    ['retryBaseDelayMs', 1_000, 60_000],
    ['retryBackoffMultiplier', 1, 10],
    ['circuitBreakerThreshold', 1, 1_000],
  ])('requires %s to be between %d and %d', async (field, min, max) => {
    const { patch } = await setUp();
    for (const value of [min, max]) expect((await patch({ [field]: value })).body[field]).toBe(value);
    for (const value of [min - 1, max + 1, null, 'many']) {
      const refused = await patch({ [field]: value });
      expect([refused.status, refused.body.error.issues[0]?.path]).toEqual([400, field]);
    }
  });

  it.each([
    [{ rateLimitConfig: { perMinute: 0 } }, 'rateLimitConfig.perMinute'],
    [{ rateLimitConfig: { burst: 1.5 } }, 'rateLimitConfig.burst'],
    [{ ipWhitelist: ['localhost'] }, 'ipWhitelist.0'],
    [{ ipWhitelist: ['10.0.0.0/33'] }, 'ipWhitelist.0'],
    [{ ipWhitelist: ['127.0.0.1', '1'] }, 'ipWhitelist.1'],
    [{ filters: { conditions: [{ field: 'payload..x', operator: 'eq', value: 1 }] } }, 'filters.conditions.0.field'],
    [{ filters: { conditions: [{ field: 'a', operator: 'like', value: 1 }] } }, 'filters.conditions.0.operator'],
    [{ filters: { conditions: [{ field: 'a', operator: 'in', value: 1 }] } }, 'filters.conditions.0.value'],
    [{ filters: { conditions: [{ field: 'a', operator: 'gt' }] } }, 'filters.conditions.0.value'],
    [{ filters: { tournamentIds: ['cup'] } }, 'filters.tournamentIds.0'],
    [{ healthCheck: { enabled: true, intervalSeconds: 1 } }, 'healthCheck.intervalSeconds'],
    [{ healthCheck: { enabled: true, expectedStatusCodes: [600] } }, 'healthCheck.expectedStatusCodes.0'],
    [{ events: ['tournament.exploded'] }, 'events.0'],
    [{ events: [] }, 'events'],
  ])('rejects %j', async (change, path) => {
    const { made, patch } = await setUp();
    const refused = await patch(change);
    expect([refused.status, refused.body.error.issues[0]?.path]).toEqual([400, path]);
    expect((await stored(made.id)).version).toBe(1);
  });

  it('rejects filters that are long as a whole', async () => {
    const { made, patch } = await setUp();
    const withValues = (count: number) => ({
      filters: { conditions: [{ field: 'a', operator: 'in', value: Array(count).fill('x'.repeat(500)) }] },
    });
    const refused = await patch(withValues(33));
    expect([refused.status, refused.body.error.issues[0]?.path]).toEqual([400, 'filters']);
    expect((await stored(made.id)).version).toBe(1);
    expect((await patch(withValues(32))).status).toBe(200);
  });

  it.each([
    [{ url: 'http://10.0.0.1/' }, 'url'],
    [{ url: 'https://no-such-host.invalid/' }, 'url'],
    [{ healthCheck: { enabled: true, url: 'http://169.254.169.254/latest' } }, 'healthCheck.url'],
  ])('checks addresses again: %j', async (change, path) => {
    const { made, patch } = await setUp();
    const refused = await patch(change);
    expect([refused.status, refused.reason]).toEqual([400, 'WEBHOOK_URL_REFUSED']);
    expect(refused.body.error.issues[0]?.path).toBe(path);
    expect((await stored(made.id)).url).toBe(inside);
  });

  it('the URL, or turning off the breaker, releases what the breaker held', async () => {
    const broken = {
      breakerState: 'open' as const,
      breakerOpenedAt: new Date(),
      breakerRetryAt: new Date(Date.now() + 3_600_000),
      consecutiveFailures: 10,
      failingSince: new Date(0),
      failureWarnedAt: new Date(0),
      healthStatus: 'unhealthy' as const,
      healthCheckedAt: new Date(),
      healthDetail: 'The server responded with 500.',
    };
    const well = { breaker: { state: 'closed', consecutiveFailures: 0, openedAt: null, retryAt: null } };
    for (const change of [{ url: 'http://127.0.0.1:9/new' }, { enableCircuitBreaker: false }]) {
      const { project, made, patch } = await setUp(broken);
      const [eventId = ''] = await emitEvents(project.id, 1);
      const [held = ''] = await makeDeliveries(made, [eventId], { status: 'held', heldReason: 'breaker' });
      expect((await patch({ url: inside, timeoutMs: 5_000 })).body).toMatchObject({ breaker: { state: 'open' } });
      expect((await patch(change)).body).toMatchObject(well);
      expect(await db.webhookDelivery.findUnique({ where: { id: held } })).toMatchObject({ status: 'pending' });
      const fresh = 'url' in change;
      const row = await stored(made.id);
      expect([row.failingSince, row.failureWarnedAt, row.healthStatus].every((value) => value === null)).toBe(fresh);
    }
  });

  it('accepts If-Match or a version in the body, and one of two simultaneous changes', async () => {
    const { patch } = await setUp();
    expect((await patch({ description: 'a' }, { 'If-Match': '"1"' })).body.version).toBe(2);
    const late = await patch({ description: 'b' }, { 'If-Match': '1' });
    expect([late.status, late.reason]).toEqual([412, 'VERSION_MISMATCH']);
    expect((await patch({ description: 'b', version: 1 })).status).toBe(412);
    const both = await Promise.all([patch({ description: 'c', version: 2 }), patch({ description: 'd', version: 2 })]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  it.each(['/pause', '/resume', '/rotate-secret', '/circuit-breaker/reset', ''])(
    'has every other change of it take If-Match, too: %s',
    async (rest) => {
      const { owner, made } = await setUp();
      const path = `/webhooks/subscriptions/${made.id}`;
      const change = (version: number) => {
        const request = { bearer: owner.bearer, headers: { 'If-Match': `"${version}"` } };
        return rest === '' ? server.delete(path, request) : server.post(path + rest, request);
      };
      const refused = await change(made.version + 1);
      expect([refused.status, refused.reason]).toEqual([412, 'VERSION_MISMATCH']);
      expect((await stored(made.id)).version).toBe(made.version);
      expect((await change(made.version)).status).toBe(200);
    },
  );

  it("accepts an ipWhitelist without the caller's address, and rejects it with allowLockout: false", async () => {
    const { project, owner, patch } = await setUp();
    const careful = { allowLockout: false };
    const refused = await patch({ ipWhitelist: ['203.0.113.7'], ...careful });
    expect([refused.status, refused.body.error.issues[0]?.path]).toEqual([400, 'ipWhitelist']);
    expect(refused.body.message).toContain('127.0.0.1');
    const body = { url: inside, events: ['*'], ipWhitelist: ['203.0.113.7'] };
    const create = (more: object) =>
      server.post<{ id: string }>(`/projects/${project.id}/developer/webhooks`, {
        bearer: owner.bearer,
        body: { ...body, ...more },
      });
    expect((await create(careful)).status).toBe(400);
    const made = await create({});
    expect(made.status).toBe(201);
    const read = await server.get(`/webhooks/subscriptions/${made.body.id}`, { bearer: owner.bearer });
    expect([read.status, read.reason]).toEqual([403, 'ADDRESS_NOT_ALLOWED']);
    expect((await create({ allowLockout: true })).status).toBe(201);
    expect((await patch({ ipWhitelist: ['203.0.113.7', '127.0.0.0/8'], ...careful })).status).toBe(200);
    expect((await patch({ ipWhitelist: ['203.0.113.7'] })).status).toBe(200);
    expect((await patch({ ipWhitelist: [] })).status).toBe(403);
  });
});

it('a change of the URL needs one connection of the database at a time', async () => {
  const { patch } = await setUp();
  const others = await Promise.all(Array.from({ length: pool.options.max - 1 }, () => pool.connect()));
  try {
    expect((await patch({ url: 'http://127.0.0.1:9/moved' })).status).toBe(200);
  } finally {
    for (const client of others) client.release();
  }
});
