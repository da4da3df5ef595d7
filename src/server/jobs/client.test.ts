import { eventType } from 'inngest';
import { afterAll, expect, test } from 'vitest';
import { closeDatabase, pool } from '@/server/db';
import { embeddedTransport, inngest, runLogger } from '@/server/jobs/client';
import { startBackground } from '@/test/background';

afterAll(async () => {
  await embeddedTransport?.close();
  await closeDatabase();
});

test('without an Inngest server, an event is stored in PostgreSQL and its function runs in this process', async () => {
  expect(embeddedTransport).not.toBeNull();
  const received: unknown[] = [];
  const fn = inngest.createFunction({ id: 'greet', triggers: [eventType('test/greet')] }, ({ event }) => {
    received.push(event.data);
  });
  const { ids } = await inngest.send({ name: 'test/greet', data: { hello: 'world' } });
  const stored = await pool.query('SELECT id, name FROM local_inngest.events');
  expect(stored.rows).toEqual([{ id: ids[0], name: 'test/greet' }]);
  const background = await startBackground({ functions: [fn] });
  await background.idle();
  await background.stop();
  expect(received).toEqual([{ hello: 'world' }]);
});

test('many runs that end at once add no listeners to the log output', async () => {
  const warnings: string[] = [];
  const record = ({ name }: Error) => warnings.push(name);
  process.on('warning', record);
  for (let run = 0; run < 30; run += 1) void runLogger.flush();
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', record);
  expect(warnings).toEqual([]);
});
