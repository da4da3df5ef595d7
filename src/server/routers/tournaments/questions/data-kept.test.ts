import { expect, test, vi } from 'vitest';
import { customFieldDefinition } from '@/domain/tournaments/settings';
import { db } from '@/server/db';
import { type TournamentDetail, tournamentDetail } from '@/server/routers/tournaments/schema';
import { makeProject, makeTournament } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const server = setupTestServer();

const rank = { key: 'rank', label: 'Rank', type: 'select', options: ['Gold', 'Iron'] };
const tag = { key: 'tag', label: ' Tag ', type: 'text', helpText: 'Üü "x"', required: true, left: 'over' };

/** Reads a tournament over REST and tRPC. */
async function readBoth(id: string, bearer?: string): Promise<TournamentDetail[]> {
  const overRest = await server.get<TournamentDetail>(`/tournaments/${id}`, { bearer });
  return [overRest.body, await server.trpc(bearer).tournaments.get.query({ tournamentId: id })];
}

/** How many questions are checked during a run. */
async function checkedIn(run: () => Promise<unknown>): Promise<number> {
  const check = vi.spyOn(customFieldDefinition._zod, 'run');
  try {
    await run();
    return check.mock.calls.length;
  } finally {
    check.mockRestore();
  }
}

test('questions are checked once however often their tournament and its participants are read', async () => {
  const { project } = await makeProject();
  const { id } = await makeTournament(project.id, { customFields: [rank, tag] });
  expect(await checkedIn(() => Promise.all([readBoth(id), readBoth(id)]))).toBe(2);
  expect(await checkedIn(() => readBoth(id))).toBe(0);
  expect(await checkedIn(() => server.get(`/tournaments/${id}/participants`))).toBe(0);
});

test('what is read is as if it were checked every time', async () => {
  const { project } = await makeProject();
  const { id } = await makeTournament(project.id, {
    customFields: [rank, tag],
    prizePool: { amount: 100, currency: 'EUR', left: 'over' },
    formatOptions: { bestOf: 3, left: 'over' },
  });
  for (const read of [...(await readBoth(id)), ...(await readBoth(id))]) {
    expect(JSON.stringify(read)).toBe(JSON.stringify(tournamentDetail.parse(read)));
    expect(read).toMatchObject({ prizePool: { amount: 100, currency: 'EUR' }, formatOptions: { bestOf: 3 } });
    expect(read.customFields).toEqual([
      { ...rank, required: false, visibility: 'organizers' },
      { key: 'tag', label: 'Tag', type: 'text', required: true, helpText: 'Üü "x"', visibility: 'organizers' },
    ]);
  }
});

test('a draft shows its questions as they are now, in the same version', async () => {
  const { project, owner } = await makeProject();
  const { id } = await makeTournament(project.id, { status: 'DRAFT', publishedAt: null, customFields: [rank] });
  const shown = async () => {
    const reads = await readBoth(id, owner.bearer);
    return reads.map((read) => [read.customFieldsVersion, ...read.customFields.map(({ label }) => label)]);
  };
  expect(await shown()).toEqual(Array(2).fill([1, 'Rank']));
  for (const label of ['Tier', 'Rank']) {
    await db.tournament.update({ where: { id }, data: { customFields: [{ ...rank, label }] } });
    expect(await shown()).toEqual(Array(2).fill([1, label]));
  }
});
