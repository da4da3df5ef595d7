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
