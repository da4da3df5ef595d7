import { expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { env } from '@/env';
import { db, pool } from '@/server/db';
import { runIdempotent } from '@/server/http/rest/idempotency';
import { usedOfRates } from '@/server/limits/used-rates';
import { setupAntiCheat } from '@/server/routers/anticheat/anticheat.fixture';
import { makeApiKey, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();

const nextKey = () => newId('req');
const times = <T>(count: number, work: () => T) => Array.from({ length: count }, work);

function create(bearer: string, key: string, name = 'Once') {
  return api.post<{ id: string }>('/projects', { bearer, body: { name }, headers: { 'Idempotency-Key': key } });
}

test('the first answer is given again, and the work is done once', async () => {
  const { id, bearer } = await makeUser();
  const key = nextKey();
  const first = await create(bearer, key);
  const second = await create(bearer, key);
  expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null]);
  expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
  expect(second.text).toBe(first.text);
  expect(second.headers.get('content-type')).toBe('application/json');
  expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  expect(await db.member.count({ where: { userId: id } })).toBe(1);
});

test('of many at once one works, the others wait or get its answer', async () => {
  const { id, bearer } = await makeUser();
  const key = nextKey();
  const answers = await Promise.all(Array.from({ length: 20 }, () => create(bearer, key)));
  const fresh = answers.filter(({ status, headers }) => status === 201 && !headers.has('idempotent-replayed'));
  const running = answers.filter(({ status }) => status === 409);
  expect(fresh).toHaveLength(1);
  for (const { reason, headers } of running) {
    expect(reason).toBe('IDEMPOTENCY_IN_PROGRESS');
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  }
  for (const { status, text } of answers) if (status === 201) expect(text).toBe(fresh[0]?.text);
  expect(await db.member.count({ where: { userId: id } })).toBe(1);
});

test('another body or route under the same key is 409', async () => {
  const { bearer } = await makeUser();
  const key = nextKey();
  expect((await create(bearer, key)).status).toBe(201);
  const other = await create(bearer, key, 'Another');
  expect([other.status, other.reason]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
  const route = await api.post('/me/access-tokens', {
    bearer,
    body: { name: 'Once' },
    headers: { 'Idempotency-Key': key },
  });
  expect([route.status, route.reason]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
});

test('two callers with the same key do not meet', async () => {
  const [one, two] = [await makeUser(), await makeUser()];
  const key = nextKey();
  const [first, second] = [await create(one.bearer, key), await create(two.bearer, key)];
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.body.id).not.toBe(first.body.id);
});

test('refusals are kept too, but not those for a bad credential or a broken body', async () => {
  const { bearer } = await makeUser();
  const key = nextKey();
  const headers = { 'Idempotency-Key': key, 'Content-Type': 'application/json' };
  expect((await api.post('/projects', { bearer: 'Bearer x', raw: '{}', headers })).status).toBe(401);
  expect((await api.post('/projects', { bearer, raw: '{', headers })).status).toBe(400);
  const first = await api.post('/projects', { bearer, raw: '{}', headers });
  const again = await api.post('/projects', { bearer, raw: '{}', headers });
  expect([first.status, first.reason, first.headers.get('idempotent-replayed')]).toEqual([
    400,
    'VALIDATION_FAILED',
    null,
  ]);
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
});

test('an old access token sent along keeps nobody from a route that needs none', async () => {
  const headers = { 'Idempotency-Key': nextKey() };
  const answer = await api.post('/auth/refresh', {
    bearer: 'Bearer old',
    body: { refreshToken: 'lrt_unknown' },
    headers,
  });
  expect(answer.reason).toBe('INVALID_REFRESH_TOKEN');
});

test('a key without a credential is not stored, so that nobody can fill the table', async () => {
  const key = nextKey();
  const headers = { 'Idempotency-Key': key };
  const body = { email: 'nobody@players.test' };
  for (let count = 0; count < 2; count += 1) {
    const answer = await api.post('/auth/forgot-password', { body, headers });
    expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([200, null]);
  }
  expect(await db.idempotencyRecord.count({ where: { key } })).toBe(0);
  const bad = await api.post('/auth/forgot-password', { body, headers: { 'Idempotency-Key': 'x'.repeat(256) } });
  expect(bad.reason).toBe('INVALID_IDEMPOTENCY_KEY');
});

test.each(['', 'x'.repeat(256), 'né'])('the key %j is refused', async (key) => {
  const { bearer } = await makeUser();
  const answer = await create(bearer, key);
  expect([answer.status, answer.reason]).toEqual([400, 'INVALID_IDEMPOTENCY_KEY']);
});

test('answers that hold secrets are stored encrypted', async () => {
  const { bearer, id } = await makeUser();
  const key = nextKey();
  const call = () =>
    api.post<{ token: string }>('/me/access-tokens', {
      bearer,
      body: { name: 'Script' },
      headers: { 'Idempotency-Key': key },
    });
  const { token } = (await call()).body;
  expect((await call()).body.token).toBe(token);
  const row = await db.idempotencyRecord.findUniqueOrThrow({ where: { caller_key: { caller: id, key } } });
  expect(JSON.stringify(row)).not.toContain(token);
});

test('a personal access token does not get what a session created under the same key', async () => {
  const { bearer } = await makeUser();
  const key = nextKey();
  const mint = (by: string) =>
    api.post<{ token: string }>('/me/access-tokens', {
      bearer: by,
      body: { name: 'Script' },
      headers: { 'Idempotency-Key': key },
    });
  const byToken = `Bearer ${(await mint(bearer)).body.token}`;
  expect(await mint(byToken)).toMatchObject({ status: 403, reason: 'FORBIDDEN' });
  const same = nextKey();
  const [first, second] = [await create(byToken, same), await create(byToken, same)];
  expect([first.status, second.text, second.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true']);
});

const call = (key: string) => ({
  caller: 'usr_test',
  owner: 'usr_test',
  key,
  request: { method: 'POST', path: '/x', query: '', body: Buffer.from('{}') },
});
const answer = (status: number) => ({ status, headers: {}, body: `{"status":${status}}` });

test('failures of ours and refusals for haste are not stored', async () => {
  const key = nextKey();
  expect((await runIdempotent(call(key), async () => answer(500))).status).toBe(500);
  expect((await runIdempotent(call(key), async () => answer(429))).status).toBe(429);
  expect((await runIdempotent(call(key), async () => answer(200))).headers).toEqual({});
  expect(await runIdempotent(call(key), async () => answer(201))).toMatchObject({
    status: 200,
    headers: { 'Idempotent-Replayed': 'true' },
  });
});

test('a process that died frees the key when its lock runs out; a late answer of it changes nothing', async () => {
  const key = nextKey();
  const expire = () =>
    pool.query(`UPDATE idempotency_record SET "lockedUntil" = now() - interval '1 second' WHERE key = $1`, [key]);
  let finish: () => void = () => undefined;
  const stuck = runIdempotent(call(key), async () => {
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    return answer(202);
  });
  await expect
    .poll(async () => (await pool.query('SELECT 1 FROM idempotency_record WHERE key = $1', [key])).rowCount)
    .toBe(1);
  await expect(runIdempotent(call(key), async () => answer(200))).rejects.toMatchObject({
    reason: 'IDEMPOTENCY_IN_PROGRESS',
  });
  await expire();
  expect((await runIdempotent(call(key), async () => answer(200))).status).toBe(200);
  finish();
  await stuck;
  expect((await runIdempotent(call(key), async () => answer(201))).status).toBe(200);
});

test('after 24 hours the key is free', async () => {
  const key = nextKey();
  await runIdempotent(call(key), async () => answer(200));
  await pool.query(`UPDATE idempotency_record SET "expiresAt" = now() - interval '1 second' WHERE key = $1`, [key]);
  expect((await runIdempotent(call(key), async () => answer(201))).status).toBe(201);
});

test('a caller stores so many responses in a day and no more, and those stored are still replayed', async () => {
  const limit = env.IDEMPOTENCY_KEYS_PER_CALLER_PER_DAY;
  env.IDEMPOTENCY_KEYS_PER_CALLER_PER_DAY = 3;
  try {
    const { id, bearer } = await makeUser();
    const send = (key: string) =>
      api.post('/auth/verify-email/resend', {
        bearer,
        body: { email: 'nobody@players.test' },
        headers: { 'Idempotency-Key': key },
      });
    const keys = Array.from({ length: 8 }, nextKey);
    const responses = await Promise.all(keys.map(send));
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused.map(({ reason }) => reason)).toEqual(Array(5).fill('QUOTA_EXCEEDED'));
    expect(await db.idempotencyRecord.count({ where: { caller: id } })).toBe(3);
    const again = await Promise.all(keys.map(send));
    expect(again.filter(({ headers }) => headers.has('idempotent-replayed'))).toHaveLength(3);
  } finally {
    env.IDEMPOTENCY_KEYS_PER_CALLER_PER_DAY = limit;
  }
});

test('the API keys of a project share one quota, and so do the anti-cheat clients of an account', async () => {
  const limit = env.IDEMPOTENCY_KEYS_PER_CALLER_PER_DAY;
  env.IDEMPOTENCY_KEYS_PER_CALLER_PER_DAY = 3;
  try {
    const { project, player, enroll } = await setupAntiCheat(api);
    const callers = await Promise.all(times(3, () => makeApiKey(project.id, { scopes: ['anticheat:session.write'] })));
    const clients = await Promise.all(times(3, () => enroll()));
    const idempotent = () => ({ headers: { 'Idempotency-Key': nextKey() } });
    const responses = await Promise.all([
      ...callers.flatMap(({ key }) =>
        Array.from({ length: 3 }, () => api.post('/anti-cheat/sessions/none/end', { apiKey: key, ...idempotent() })),
      ),
      ...clients.flatMap(({ token }) =>
        Array.from({ length: 3 }, () =>
          api.post('/anti-cheat/clients/me/heartbeat', { bearer: `Bearer ${token}`, ...idempotent() }),
        ),
      ),
    ]);
    expect(responses.filter(({ reason }) => reason !== 'QUOTA_EXCEEDED')).toHaveLength(6);
    const used = await Promise.all([usedOfRates(db, 'project', project.id), usedOfRates(db, 'account', player.id)]);
    expect(used).toMatchObject([{ idempotencyKeys: 3 }, { idempotencyKeys: 3 }]);
  } finally {
    env.IDEMPOTENCY_KEYS_PER_CALLER_PER_DAY = limit;
  }
});

test('a long response counts as more keys than one, because it is kept for a day', async () => {
  const { id, bearer } = await makeUser();
  const run = (length: number) =>
    runIdempotent(
      {
        caller: id,
        owner: id,
        key: nextKey(),
        request: { method: 'POST', path: '/x', query: '', body: Buffer.from('') },
      },
      async () => ({
        status: 201,
        headers: {},
        body: 'x'.repeat(length),
      }),
    );
  const used = async () => {
    const { items } = (await api.get<{ items: { quota: string; used: number }[] }>('/me/limits', { bearer })).body;
    return items.find(({ quota }) => quota === 'idempotencyKeys')?.used;
  };
  const limit = env.IDEMPOTENCY_KEYS_PER_CALLER_PER_DAY;
  env.IDEMPOTENCY_KEYS_PER_CALLER_PER_DAY = 100;
  try {
    await run(16_000);
    expect(await used()).toBe(1);
    await run(1024 * 1024);
    expect(await used()).toBe(66);
    expect((await run(4 * 1024 * 1024)).status, 'what was done is answered').toBe(201);
    await expect(run(10)).rejects.toMatchObject({ reason: 'QUOTA_EXCEEDED', status: 429 });
  } finally {
    env.IDEMPOTENCY_KEYS_PER_CALLER_PER_DAY = limit;
  }
});
