import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { makeTeam, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { hostTournament } from '@/test/tournaments';

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
