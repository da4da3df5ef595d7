import { expect, test } from 'vitest';
import { env } from '@/env';
import { pool } from '@/server/db';
import { Listener, type ListenerOptions } from '@/server/listener';

function listen(options: Partial<ListenerOptions> = {}) {
  const heard: string[] = [];
  const listener = new Listener({
    connectionString: env.DATABASE_URL,
    applicationName: 'laurel test',
    channels: ['one', 'two'],
    prepare: async (client) => {
      await client.query('SELECT 1');
      heard.push('prepared');
    },
    onNotification: (channel, payload) => heard.push(`${channel} ${payload}`),
    onOpen: () => heard.push('open'),
    onLost: () => heard.push('lost'),
    ...options,
  });
  return { listener, heard };
}

test('a connection that is cut is opened and prepared again, until the listener is stopped', async () => {
  const { listener, heard } = listen();
  await listener.start();
  expect(listener.connected).toBe(true);
  await pool.query(`SELECT pg_notify('one', 'a'), pg_notify('two', 'b'), pg_notify('three', 'c')`);
  await expect.poll(() => heard).toEqual(['prepared', 'open', 'one a', 'two b']);
  await pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE application_name = 'laurel test' AND datname = current_database()`);
  await expect.poll(() => heard.slice(4)).toEqual(['lost', 'prepared', 'open']);
  await pool.query(`NOTIFY two, 'd'`);
  await expect.poll(() => heard.at(-1)).toBe('two d');
  await listener.stop();
  expect(listener.connected).toBe(false);
  expect(heard.at(-1)).toBe('two d');
});

test('a database that does not answer is tried again', async () => {
  const { listener, heard } = listen({ connectionString: 'postgresql://nobody@127.0.0.1:1/none' });
  await listener.start();
  expect(listener.connected).toBe(false);
  await expect.poll(() => heard.length).toBeGreaterThan(1);
  expect(new Set(heard)).toEqual(new Set(['lost']));
  await listener.stop();
});
