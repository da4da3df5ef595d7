import { afterAll, expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { closeDatabase, db } from '@/server/db';
import { makeProject, makeTournament } from '@/test/factories';
import { statementsOf } from '@/test/statements';
import { ownerOfLarge } from './data-size';

afterAll(() => closeDatabase());

test('what can be no id is neither looked up nor remembered', async () => {
  const texts = await statementsOf(async () => {
    for (const text of ['', 'a\0b', 'x'.repeat(60_000), '中'.repeat(1_000), `match ${newId('mat')}`]) {
      expect(await ownerOfLarge({ tournamentId: text }, 'read')).toBeNull();
      expect(await ownerOfLarge({ matchId: text }, 'read')).toBeNull();
    }
  });
  expect(texts).toEqual([]);
});

test('what can be one is looked up once in a while', async () => {
  const texts = await statementsOf(async () => {
    for (const tournamentId of [newId('trn'), `cup-${newId('trn').toLowerCase()}`.slice(0, 60)]) {
      expect(await ownerOfLarge({ tournamentId }, 'read')).toBeNull();
      expect(await ownerOfLarge({ tournamentId }, 'read')).toBeNull();
    }
  });
  expect(texts).toHaveLength(2);
});

test('who changes a large draw does not wait behind those who read it', async () => {
  const { project } = await makeProject();
  const { id, slug } = await makeTournament(project.id, { maxParticipants: 512 });
  await db.tournament.update({ where: { id }, data: { currentParticipants: 300 } });
  const [reader, organizer] = [
    await ownerOfLarge({ tournamentId: slug }, 'read'),
    await ownerOfLarge({ tournamentId: id }, 'change'),
  ];
  expect([reader, organizer]).toEqual([expect.stringContaining(project.id), expect.stringContaining(project.id)]);
  expect(reader).not.toBe(organizer);
});

test('a tournament that has just grown is large for who changes it', async () => {
  const { project } = await makeProject();
  const { id } = await makeTournament(project.id, { maxParticipants: 512, format: 'round_robin' });
  expect(await ownerOfLarge({ tournamentId: id }, 'read')).toBeNull();
  expect(await ownerOfLarge({ tournamentId: id }, 'change')).toBeNull();
  await db.tournament.update({ where: { id }, data: { currentParticipants: 110 } });
  expect(await ownerOfLarge({ tournamentId: id }, 'change')).toContain(project.id);
});

test('so it is for who only looks at a draw that has to be made for it', async () => {
  const { project } = await makeProject();
  const { id } = await makeTournament(project.id, { maxParticipants: 512, format: 'round_robin' });
  expect(await ownerOfLarge({ tournamentId: id }, 'read')).toBeNull();
  await db.tournament.update({ where: { id }, data: { currentParticipants: 110 } });
  expect(await ownerOfLarge({ tournamentId: id }, 'read', { afresh: true })).toContain(project.id);
});
