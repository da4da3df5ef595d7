import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { Prisma } from '@/generated/prisma/client';
import { db, deliveryPool, pool, queuePool, rowsOf } from '@/server/db';
import { describeError } from '@/server/errors';
import { makeUser } from '@/test/factories';
import { holdLock, someoneWaits } from '@/test/locks';
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

it('a read on a connection that has gone silent fails and the next one has another, while a write goes on waiting for its row', async () => {
  const { id } = await makeUser();
  const release = await holdLock('SELECT FROM "user" WHERE "id" = $1 FOR UPDATE', [id]);
  const renamed = rowsOf(db, Prisma.sql`UPDATE "user" SET "name" = 'Zoe' WHERE "id" = ${id} RETURNING "name"`, 'write');
  await someoneWaits();
  const client = await pool.connect();
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  stream.pause();
  // What was given back last is taken first.
  client.release();
  const one = () => rowsOf<{ one: number }>(db, Prisma.sql`SELECT 1 AS "one"`);
  const error = await one().catch((reason: unknown) => reason);
  expect(describeError(error)).toMatchObject({ reason: 'NOT_READY' });
  await until(() => stream.destroyed);
  expect(await one()).toEqual([{ one: 1 }]);
  await release();
  expect(await renamed).toEqual([{ name: 'Zoe' }]);
});
