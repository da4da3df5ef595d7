import { expect, it } from 'vitest';
import { deliveryPool, pool, queuePool } from '@/server/db';
import { until } from '@/test/receiver';

it.each(Object.entries({ pool, deliveryPool, queuePool }))(
  'a connection of %s that is lost between two statements of a transaction ends no process',
  async (_name, from) => {
    const client = await from.connect();
    await client.query('BEGIN');
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    let ended = false;
    client.once('end', () => {
      ended = true;
    });
    await pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
    await until(() => ended);
    await expect(client.query('SELECT 1')).rejects.toThrow();
    client.release(true);
    expect((await from.query<{ one: number }>('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  },
);
