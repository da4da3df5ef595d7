import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { makeProject, makeTeam, makeTournament, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { hostTournament, hoursFromNow } from '@/test/tournaments';

const api = setupTestServer();

test('lists public tournaments in which the team is an approved participant', async () => {
  const cup = await hostTournament(api, { teamSize: 2, rosterMin: 2, rosterMax: 3, requiresApproval: true });
  const [captain, player] = await Promise.all([makeUser(), makeUser()]);
  const team = await makeTeam(captain, [player]);
  const totalWhen = async (visibility: 'public' | 'unlisted' | 'private') => {
    await cup.set({ visibility });
    return (await api.get<{ total: number }>(`/teams/${team.id}/tournaments`)).body.total;
  };
  expect((await cup.register(captain.bearer, { teamId: team.id })).status).toBe(201);
  expect(await totalWhen('public')).toBe(0);
  await db.participant.updateMany({ where: { teamId: team.id }, data: { registrationStatus: 'approved' } });
  expect([await totalWhen('public'), await totalWhen('unlisted'), await totalWhen('private')]).toEqual([1, 0, 0]);
  expect((await api.get('/teams/tem_nobody/tournaments')).status).toBe(404);
  expect((await api.get('/teams/tem_nobody/invitations', { bearer: captain.bearer })).status).toBe(404);
});

test('lists the latest start first, page after page', async () => {
  const { project } = await makeProject();
  const captain = await makeUser();
  const team = await makeTeam(captain);
  const hours = [5, 1, 4, 1, 3, 2];
  const registered: { id: string; start: number }[] = [];
  for (const [at, start] of hours.entries()) {
    const cup = await makeTournament(project.id, { startDate: hoursFromNow(start) });
    const id = `prt_${at}`;
    await db.participant.create({
      data: { id, tournamentId: cup.id, teamId: team.id, name: 'Owls', registrationStatus: 'approved' },
    });
    registered.push({ id, start: cup.startDate.getTime() });
  }
  registered.sort((a, b) => b.start - a.start || (a.id < b.id ? 1 : -1));
  const read = async (page: number) =>
    (
      await api.get<{ items: { participantId: string }[]; total: number; hasNext: boolean }>(
        `/teams/${team.id}/tournaments?limit=4&page=${page}`,
      )
    ).body;
  const pages = [await read(1), await read(2), await read(3)];
  expect(pages.flatMap(({ items }) => items.map((item) => item.participantId))).toEqual(registered.map(({ id }) => id));
  expect(pages.map(({ total, hasNext, items }) => [total, hasNext, items.length])).toEqual([
    [6, true, 4],
    [6, false, 2],
    [6, false, 0],
  ]);
});
