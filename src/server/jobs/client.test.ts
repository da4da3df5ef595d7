import { eventType } from 'inngest';
import { afterAll, expect, test } from 'vitest';
import { startLocalExecutor } from '@/embedded/inngest/executor';
import { closeLocalSenders } from '@/embedded/inngest/transport';
import { closeDatabase, pool } from '@/server/db';
import { inngest, inngestIsEmbedded, runLogger } from '@/server/jobs/client';
import { logger } from '@/server/logger';

afterAll(async () => {
  await closeLocalSenders();
  await closeDatabase();
});

test('without an Inngest server, an event is stored in PostgreSQL and its function runs in this process', async () => {
  expect(inngestIsEmbedded).toBe(true);
  const found: unknown[] = [];
  const fn = inngest.createFunction({ id: 'greet', triggers: [eventType('test/greet')] }, ({ event }) => {
    found.push(event.data);
  });
  const { ids } = await inngest.send({ name: 'test/greet', data: { hello: 'world' } });
  const stored = await pool.query('SELECT id, name FROM local_inngest.events');
  expect(stored.rows).toEqual([{ id: ids[0], name: 'test/greet' }]);
  const connectionString = process.env.DATABASE_URL ?? '';
  const executor = await startLocalExecutor({ connectionString, client: inngest, functions: [fn], logger });
  await executor.idle();
  await executor.stop();
  expect(found).toEqual([{ hello: 'world' }]);
});

test('many runs that end at once leave no listeners on the output of the log', async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error) => warnings.push(name);
  process.on('warning', note);
  for (let run = 0; run < 30; run += 1) void runLogger.flush();
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', note);
  expect(warnings).toEqual([]);
});
