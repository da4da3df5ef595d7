import { afterEach, expect, test } from 'vitest';
import { env } from '@/env';
import { db } from '@/server/db';
import { makeProject } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();
const defaults = { ...env };
afterEach(() => void Object.assign(env, defaults));

async function subscriber(plan: 'free' | 'pro') {
  const { project, owner } = await makeProject({ plan });
  const { bearer } = owner;
  const path = `/projects/${project.id}/developer/webhooks`;
  const subscribe = (url: string) => api.post<{ id: string }>(path, { bearer, body: { url, events: ['*'] } });
  return { project, bearer, subscribe };
}
const host = 'https://127.0.0.1:9';
const statuses = (responses: { status: number }[]) => responses.map(({ status }) => status).sort();

test('a free project has exactly three subscriptions, of sixteen asked for at once', async () => {
  const { project, subscribe } = await subscriber('free');
  const responses = await Promise.all(Array.from({ length: 16 }, (_, index) => subscribe(`${host}/${index}`)));
  expect(statuses(responses)).toEqual([...Array(3).fill(201), ...Array(13).fill(409)]);
  expect(responses.find(({ status }) => status === 409)?.reason).toBe('QUOTA_EXCEEDED');
  expect(await db.webhookSubscription.count({ where: { projectId: project.id } })).toBe(3);
});

test('five subscriptions of a project share a URL, whatever its query, spelling or way to get there', async () => {
  const { bearer, subscribe } = await subscriber('pro');
  const spellings = [`${host}/in`, `${host}/in/`, `${host}/in?a=1`, `${host}/in?b`, `${host}/in#c`];
  const responses = await Promise.all(
    Array.from({ length: 16 }, (_, index) => subscribe(spellings[index % spellings.length] ?? '')),
  );
  expect(statuses(responses)).toEqual([...Array(5).fill(201), ...Array(11).fill(409)]);
  const other = await subscribe(`${host}/other`);
  expect(other.status).toBe(201);
  const path = `/webhooks/subscriptions/${other.body.id}`;
  const moved = await api.patch(path, { bearer, body: { url: `${host}/in?d` } });
  expect([moved.status, moved.reason]).toEqual([409, 'QUOTA_EXCEEDED']);
  const first = responses.find(({ status }) => status === 201)?.body.id;
  const kept = await api.patch(`/webhooks/subscriptions/${first}`, { bearer, body: { url: `${host}/in?e` } });
  expect(kept.status).toBe(200);
});

test('a project sends so many tests in a minute, whatever webhooks it deletes and makes again', async () => {
  env.WEBHOOK_TESTS_PER_PROJECT_PER_MINUTE = 3;
  const { bearer, subscribe } = await subscriber('free');
  const answers: unknown[] = [];
  for (let count = 0; count < 4; count += 1) {
    const path = `/webhooks/subscriptions/${(await subscribe(`${host}/in`)).body.id}`;
    const sent = await api.post(`${path}/test`, { bearer });
    answers.push([sent.status, sent.reason]);
    expect((await api.delete(path, { bearer })).status).toBe(200);
  }
  expect(answers).toEqual([...Array(3).fill([202, undefined]), [429, 'QUOTA_EXCEEDED']]);
});

test('an account has so many URLs checked in a minute, whatever becomes of them', async () => {
  env.URL_CHECKS_PER_USER_PER_MINUTE = 4;
  const { project, bearer, subscribe } = await subscriber('pro');
  const check = (url: string) => api.trpc(bearer).webhooks.subscriptions.check.query({ projectId: project.id, url });
  expect((await check(`${host}/a`)).problem).toBeNull();
  expect((await check('https://localhost.invalid')).problem).toContain('does not resolve');
  expect((await subscribe('https://localhost.invalid')).reason).toBe('WEBHOOK_URL_REFUSED');
  const made = await subscribe(`${host}/b`);
  expect(made.status).toBe(201);
  expect(await subscribe(`${host}/c`)).toMatchObject({ status: 429, reason: 'QUOTA_EXCEEDED' });
  const path = `/webhooks/subscriptions/${made.body.id}`;
  expect((await api.patch(path, { bearer, body: { url: `${host}/d` } })).status).toBe(429);
  await expect(check(`${host}/a`)).rejects.toThrow('4 URLs checked');
  expect((await api.patch(path, { bearer, body: { description: 'Ours' } })).status).toBe(200);
  expect((await (await subscriber('pro')).subscribe(`${host}/a`)).status).toBe(201);
});
