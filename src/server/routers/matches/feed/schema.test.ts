import { expect, test, vi } from 'vitest';
import { feedEvent, payloadBytes, postEventsInput } from './schema';

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

/** An object with so many fields, and how often one of them was read. */
function watchedFields(count: number) {
  const reads = { count: 0 };
  const fields = Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, at]));
  const payload = new Proxy(fields, {
    get(target, name) {
      if (Object.hasOwn(target, name)) reads.count += 1;
      return Reflect.get(target, name);
    },
  });
  return { payload, reads, bytes: Buffer.byteLength(JSON.stringify(fields)) };
}

const post = (payload: unknown) =>
  postEventsInput.safeParseAsync({ matchId: 'mat_1', events: [{ type: 'kill', payload }] });

test('a payload with too many fields is refused when they are counted, and that ends with the first one too many', async () => {
  const [many, inside] = [watchedFields(508), watchedFields(508)];
  expect((await post(many.payload)).error?.issues).toMatchObject([{ path: ['events', 0, 'payload'] }]);
  expect((await post({ players: [inside.payload] })).error?.issues).toMatchObject([{ path: ['events', 0, 'payload'] }]);
  expect(
    [many.reads.count, inside.reads.count].every((count) => count <= 101),
    JSON.stringify([many.reads, inside.reads]),
  ).toBe(true);
});

test('a payload is written as JSON once to be measured, and never copied', async () => {
  const { payload, reads, bytes } = watchedFields(100);
  const stringify = vi.spyOn(JSON, 'stringify');
  const { data, error } = await post(payload);
  const [event] = data?.events ?? [];
  expect(error?.issues).toBeUndefined();
  expect(event && [event.payload === payload, payloadBytes(event)]).toEqual([true, bytes]);
  expect([stringify.mock.calls.length, reads.count], 'counted, and written once').toEqual([1, 200]);
  stringify.mockRestore();
});

test.each([
  ['a list', []],
  ['nothing', null],
  ['a text', 'text'],
  ['a long name', { ['x'.repeat(101)]: 1 }],
  ['much text', { text: 'é'.repeat(2_043) }],
])('a payload is not %s', async (_, payload) => {
  expect((await post(payload)).error?.issues).toMatchObject([{ path: ['events', 0, 'payload'] }]);
});
