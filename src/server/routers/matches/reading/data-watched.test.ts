import { expect, onTestFinished, test } from 'vitest';
import { isKept } from '@/server/compiled';
import { liveConnected } from '@/server/events/live';
import { startCup } from '@/server/routers/matches/matches.fixture';
import { bracket, standings } from '@/server/routers/matches/schema';
import { makeProject, makeTournament } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { watchedView, watchTournament } from './data-watched';

const api = setupTestServer();

test('what pages watch is checked and written as JSON once for all who read it', async () => {
  const { tournamentId, project } = await startCup(api, 4, { format: 'round_robin' });
  await expect.poll(liveConnected).toBe(true);
  const watch = watchTournament({ id: tournamentId, slug: 'watched', projectId: project.id }, '203.0.113.5');
  onTestFinished(watch.close);
  await watch.next();
  const view = await watchedView(tournamentId);
  expect(isKept(bracket, view?.bracket)).toBe(true);
  expect(isKept(standings, view?.standings())).toBe(true);
});

test('who begins to watch many tournaments does not keep their neighbors waiting for all of them', async () => {
  const { project } = await makeProject();
  const answered: string[] = [];
  const begun = [];
  for (const ip of [...Array(6).fill('203.0.113.7'), '203.0.113.8']) {
    const { id, slug } = await makeTournament(project.id);
    const watch = watchTournament({ id, slug, projectId: project.id }, ip);
    onTestFinished(watch.close);
    begun.push({ ip, watch });
  }
  const all = begun.map(({ ip, watch }) => watch.next().then(() => answered.push(ip)));
  await Promise.all(all);
  expect(answered.indexOf('203.0.113.8')).toBeLessThan(3);
});
