import type pg from 'pg';
import { expect, it } from 'vitest';
import { newId } from '@/domain/ids';
import { db, reportPools } from '@/server/db';
import { readMatches, startCup } from '@/server/routers/matches/matches.fixture';
import { makeTeam } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { watchStatements } from '@/test/statements';

const api = setupTestServer();

/** The statements of a run that count rows or pass over some, and whether each ran on the connections of reports. */
async function countingStatements(run: () => Promise<unknown>): Promise<{ text: string; isReport: boolean }[]> {
  const ofReports = new Set<pg.Client>();
  const add = (client: pg.PoolClient) => ofReports.add(client as unknown as pg.Client);
  const pools = [reportPools.quick, reportPools.slow];
  for (const pool of pools) pool.on('acquire', add);
  const sent = await watchStatements(run);
  for (const pool of pools) pool.off('acquire', add);
  return sent
    .filter(({ text }) => /count\(\*\)|OFFSET/i.test(text))
    .map(({ text, by }) => ({ text, isReport: ofReports.has(by) }));
}

it('what a project, a match, an account or the instance has without end is counted beside what others ask for', async () => {
  const cup = await startCup(api, 4);
  const { id: projectId } = cup.project;
  const { bearer } = cup.owner;
  const sessionId = newId('acs');
  await db.antiCheatSession.create({ data: { id: sessionId, projectId, matchId: 'one', game: 'cs2' } });
  const team = await makeTeam(cup.owner);
  const [match] = await readMatches(api, cup.tournamentId);
  const trpc = api.trpc(bearer);
  const page = { page: 2, limit: 5 };
  const get = (path: string) => async () => expect((await api.get(path, { bearer })).status, path).toBe(200);
  const reads: Record<string, () => Promise<unknown>> = {
    'audit log': get(`/projects/${projectId}/audit-log?page=2`),
    'anti-cheat sessions': get(`/projects/${projectId}/anti-cheat/sessions?page=2`),
    'players of an anti-cheat session': get(`/projects/${projectId}/anti-cheat/sessions/${sessionId}/players?page=2`),
    detections: () => trpc.antiCheat.review.queue.query({ projectId, ...page }),
    tournaments: get('/tournaments?search=cup&page=2'),
    'participants by name': get(`/tournaments/${cup.tournamentId}/participants?search=player&page=2`),
    'participants by name at the desk': () =>
      trpc.participants.desk.query({ tournamentId: cup.tournamentId, search: 'player' }),
    feed: get(`/matches/${match?.id}/events?page=2`),
    registrations: get('/me/registrations?page=2'),
    matches: get('/me/matches?page=2'),
    'tournaments of a team': get(`/teams/${team.id}/tournaments?page=2`),
    'registrations by day': () => trpc.participants.ofProject.query({ projectId }),
  };
  for (const [name, read] of Object.entries(reads)) {
    const statements = await countingStatements(read);
    expect(statements.length, name).toBeGreaterThan(0);
    // The overview also counts the participants of fifty tournaments, a number that has an end.
    const own = statements.filter(({ text }) => !text.includes('GROUP BY "public"."participant"'));
    expect({ name, elsewhere: own.filter(({ isReport }) => !isReport) }).toEqual({ name, elsewhere: [] });
  }
});
