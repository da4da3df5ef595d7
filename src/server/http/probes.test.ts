import { expect, onTestFinished, test, vi } from 'vitest';
import { logger } from '@/server/logger';
import { freshEmail } from '@/test/email';
import { makeUser } from '@/test/factories';
import { until } from '@/test/receiver';
import { setupTestServer } from '@/test/server';
import { statementsOf } from '@/test/statements';

const api = setupTestServer();

const readMetrics = async () => (await fetch(`${api.url}/metrics`)).text();

/** The metrics once they have a text: they are up to a second old. */
async function metricsWith(expected: RegExp): Promise<string> {
  let text = '';
  await until(async () => {
    text = await readMetrics();
    return text.search(expected) !== -1;
  }, 10_000);
  return text;
}

test('the process answers its probes', async () => {
  const ready = await fetch(`${api.url}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([
    200,
    { status: 'ready', checks: { database: 'ok', store: 'ok' } },
  ]);
  expect((await fetch(`${api.url}/healthz`)).status).toBe(200);
  await api.get('/me');
  const metrics = await metricsWith(
    /laurel_http_request_duration_seconds_count\{method="GET",route="\/me",status="401"\} \d+/,
  );
  expect(metrics).toContain('laurel_database_connections{state="idle"}');
});

test('methods that a route does not have add nothing to the metrics of each route', async () => {
  for (const path of ['/me', '/tournaments', '/projects']) {
    for (const method of ['PROPFIND', 'MKCOL', 'LOCK']) {
      expect((await fetch(`${api.url}/api/v1${path}`, { method })).status).toBe(405);
    }
  }
  const metrics = await metricsWith(/_count\{method="LOCK",route="unmatched",status="405"\} 3/);
  expect(metrics).not.toContain('method="LOCK",route="/');
});

test('metrics are made once for all who ask one after the other, and later anew', async () => {
  let before = '';
  await until(async () => {
    before = await readMetrics();
    await api.get('/me');
    return (await readMetrics()) === before;
  }, 10_000);
  await until(async () => (await readMetrics()) !== before, 10_000);
});

test('what many ask at once is read once', async () => {
  const texts = await statementsOf(async () => {
    await Promise.all(Array.from({ length: 50 }, () => fetch(`${api.url}/metrics`)));
    const answers = await Promise.all(Array.from({ length: 50 }, () => fetch(`${api.url}/readyz`)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
  expect(texts.filter((text) => /count\(\*\)/.test(text)).length).toBeLessThan(90);
  expect(texts.filter((text) => text === 'SELECT 1').length).toBeLessThan(45);
});

test('an operator sees in the metrics and the log who runs into which limit, and no address', async () => {
  const warn = vi.spyOn(logger, 'warn');
  onTestFinished(() => warn.mockRestore());
  const [email, user] = [freshEmail(), await makeUser()];
  const guess = () => api.post('/auth/token', { body: { email, password: 'a wrong guess' } });
  for (let count = 0; count < 12; count += 1) await guess();
  const createProject = () => api.post('/projects', { bearer: user.bearer, body: { name: 'Rush Hour' } });
  for (let count = 0; count < 5; count += 1) await createProject();

  const metrics = await metricsWith(/^laurel_rate_limit_refusals_total\{limit="attempt:[^"]+"\} 2$/m);
  expect(metrics).toMatch(/^laurel_quota_exceeded_total\{quota="projectsPerDay"\} 2$/m);
  const lines = warn.mock.calls.map(([fields, message]) => ({ ...(fields as object), message: String(message) }));
  expect(lines).toContainEqual({ quota: 'projectsPerDay', subject: user.id, message: 'a quota is used up' });
  const refusals = lines.filter(({ message }) => message === 'a rate limit refuses requests');
  expect(refusals).toHaveLength(1);
  expect(JSON.stringify(lines)).not.toContain(email);
});
