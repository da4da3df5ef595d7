import { expect, test } from 'vitest';
import { db } from '@/server/db';
import { makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';
import { hostTournament } from '@/test/tournaments';
import { createRegistration, type NewRegistration, readRegistrationContext } from './data';

const api = setupTestServer();

test('writes nothing when the cancelled registration is removed between reading and writing', async () => {
  const cup = await hostTournament(api);
  const player = await makeUser();
  const { body } = await cup.register(player.bearer);
  await cup.cancel(player.bearer);
  const { tournament } = await readRegistrationContext(db, cup.id, player.id);
  const registration: NewRegistration = {
    id: body.id,
    again: true,
    type: 'individual',
    userId: player.id,
    name: player.name,
    teamId: null,
    answers: {},
    roster: [],
    onFree: 'approved',
    onFull: null,
    events: { free: [], last: [], full: [] },
  };
  await db.participant.delete({ where: { id: body.id } });
  expect(await createRegistration(db, tournament, registration)).toBeNull();
  expect(await db.participant.count({ where: { tournamentId: cup.id } })).toBe(0);
  expect(await cup.taken()).toBe(0);
  const second = await cup.register(player.bearer);
  expect([second.status, second.body.id === body.id]).toEqual([201, false]);
});
