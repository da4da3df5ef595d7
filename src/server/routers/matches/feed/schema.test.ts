import { expect, test } from 'vitest';
import { feedEvent } from './schema';

test('a stored payload is returned as it is, without a look at its fields', async () => {
  const seen: string[] = [];
  const watched: ProxyHandler<Record<string, unknown>> = {
    ownKeys(target) {
      seen.push('names');
      return Reflect.ownKeys(target);
    },
    get(target, key) {
      seen.push(String(key));
      return Reflect.get(target, key);
    },
  };
  const payload = new Proxy({ weapon: 'ak47' }, watched);
  const about = { id: 'mev_1', matchId: 'mat_1', sequence: 1, type: 'kill', timestamp: '2027-01-01T12:00:00.000Z' };
  const event = { ...about, game: null, participantId: null, userId: null, payload };
  const checked = await feedEvent.parseAsync(event);
  expect([checked.payload === payload, seen]).toEqual([true, []]);
});
