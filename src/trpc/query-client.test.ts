import { dehydrate } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { makeQueryClient } from './query-client';

test('a page being made on the server asks once, so that what is not there is said at once', async () => {
  let asked = 0;
  const query = makeQueryClient().fetchQuery({
    queryKey: ['missing'],
    queryFn: () => {
      asked += 1;
      throw new Error('There is no such tournament.');
    },
  });
  await expect(query).rejects.toThrow('no such tournament');
  expect(asked).toBe(1);
});

test('what others wrote reaches the page whatever its keys are', () => {
  const client = makeQueryClient();
  const data = JSON.parse('{"payload":{"constructor":"Ferrari","prototype":1,"__proto__":{"a":1}}}');
  client.setQueryData(['events'], data);
  expect(dehydrate(client).queries[0]?.state.data).toEqual(data);
});
