import { afterAll, expect, test } from 'vitest';
import { newId } from '@/domain/ids';
import { closeDatabase } from '@/server/db';
import { statementsOf } from '@/test/statements';
import { ownerOfLarge } from './data-size';

afterAll(() => closeDatabase());

test('what can be no id is neither looked up nor remembered', async () => {
  const texts = await statementsOf(async () => {
    for (const text of ['', 'a\0b', 'x'.repeat(60_000), '中'.repeat(1_000), `match ${newId('mat')}`]) {
      expect(await ownerOfLarge({ tournamentId: text })).toBeNull();
      expect(await ownerOfLarge({ matchId: text })).toBeNull();
    }
  });
  expect(texts).toEqual([]);
});

test('what can be one is looked up once in a while', async () => {
  const texts = await statementsOf(async () => {
    for (const tournamentId of [newId('trn'), `cup-${newId('trn').toLowerCase()}`.slice(0, 60)]) {
      expect(await ownerOfLarge({ tournamentId })).toBeNull();
      expect(await ownerOfLarge({ tournamentId })).toBeNull();
    }
  });
  expect(texts).toHaveLength(2);
});
