import { afterEach, expect, test } from 'vitest';
import { env } from '@/env';
import { startCup } from '@/server/routers/matches/matches.fixture';
import { makeMember, makeProject } from '@/test/factories';
import { type ApiResponse, setupTestServer } from '@/test/server';
import { statementsOf } from '@/test/statements';
import { hoursFromNow } from '@/test/tournaments';

const api = setupTestServer();
const defaults = { ...env };
afterEach(() => void Object.assign(env, defaults));

/** Expects a quota to refuse what `send` asks for before anything of a tournament is written. */
async function expectNothingWritten(send: () => Promise<ApiResponse<unknown>>): Promise<void> {
  let response: ApiResponse<unknown> | undefined;
  const statements = await statementsOf(async () => {
    response = await send();
  });
  expect([response?.status, response?.reason]).toEqual([429, 'QUOTA_EXCEEDED']);
  expect(statements.some((text) => text.includes('rate_limit_take'))).toBe(true);
  expect(
    statements.filter((text) => /INSERT INTO\W+(public\W+)?(tournament|participant|bracket|match)\b/.test(text)),
  ).toEqual([]);
}

test('an import or a new tournament that a quota refuses writes nothing, and keeps no slug from others', async () => {
  const cup = await startCup(api, 8, { format: 'round_robin' });
  const bearer = cup.organizer.bearer;
  const file = await api.get<object>(`/tournaments/${cup.tournamentId}/export`, { bearer });
  const { project } = await makeProject();
  const organizer = await makeMember(project.id, 'ORGANIZER');
  const path = `/projects/${project.id}/tournaments`;
  const send = (to: string, body: unknown) => () => api.post(to, { bearer: organizer.bearer, body });
  const importFile = send(`${path}/import`, file.body);
  const create = send(path, {
    name: 'Cup',
    game: 'cs2',
    maxParticipants: 8,
    startDate: hoursFromNow(48).toISOString(),
  });
  const refusing = {
    GUESTS_PER_PROJECT_PER_DAY: [importFile],
    BULK_EVENTS_PER_PROJECT_PER_DAY: [importFile],
    TOURNAMENTS_PER_PROJECT_PER_DAY: [importFile, create],
    TOURNAMENTS_PER_BLOCK_PER_DAY: [importFile, create],
  } as const;
  for (const [name, requests] of Object.entries(refusing)) {
    Object.assign(env, defaults, { [name]: 0 });
    for (const request of requests) await expectNothingWritten(request);
  }
  Object.assign(env, defaults);
  expect([(await importFile()).status, (await create()).status]).toEqual([201, 201]);
});
