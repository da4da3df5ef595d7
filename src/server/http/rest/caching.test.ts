import { expect, test } from 'vitest';
import { makeProject, makeTournament, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const api = setupTestServer();

test('the document is 304 for clients that have it already', async () => {
  const first = await api.get('/openapi.json');
  const again = await api.get('/openapi.json', { headers: { 'If-None-Match': first.headers.get('etag') ?? '' } });
  expect([first.status, again.status, again.text]).toEqual([200, 304, '']);
});

test('a tournament is unchanged when only the clock went on, and changed when someone registers', async () => {
  const { project } = await makeProject();
  const { id } = await makeTournament(project.id);
  const path = `/tournaments/${id}`;
  const first = await api.get<{ serverTime: string }>(path);
  const tag = first.headers.get('etag') ?? '';
  expect(tag).toMatch(/^W\/"[\w-]+"$/);
  await new Promise((resolve) => setTimeout(resolve, 5));
  const known = await api.get(path, { headers: { 'If-None-Match': tag } });
  expect([known.status, known.headers.get('etag')]).toEqual([304, tag]);
  expect(Date.parse(known.headers.get('date') ?? '')).toBeGreaterThan(Date.parse(first.body.serverTime) - 2_000);

  await api.post(`${path}/participants/register`, { bearer: (await makeUser()).bearer });
  const changed = await api.get<{ currentParticipants: number }>(path, { headers: { 'If-None-Match': tag } });
  expect([changed.status, changed.body.currentParticipants]).toEqual([200, 1]);
});
