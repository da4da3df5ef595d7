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
