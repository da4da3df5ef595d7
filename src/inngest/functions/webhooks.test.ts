import { afterAll, beforeAll, expect, test } from 'vitest';
import { deliverDue } from '@/inngest/functions/webhooks';
import { pool } from '@/server/db';
import { inngest } from '@/server/jobs/client';
import { webhookDeliveriesDue } from '@/server/jobs/events';
import { type Background, startBackground } from '@/test/background';
import { until } from '@/test/receiver';

let background: Background;
beforeAll(async () => {
  background = await startBackground({ functions: [deliverDue], concurrency: 16, patienceMs: 3_600_000 });
});
afterAll(() => background.stop());

async function countEnded(prefix: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM local_inngest.runs WHERE "ended_at" IS NOT NULL AND event::jsonb->'data'->>'subscriptionId' LIKE $1`,
    [`${prefix}%`],
  );
  return rows[0]?.count ?? 0;
}

test('queues of one block that are all due keep the queue of another waiting for few of them', async () => {
  const at = new Date().toISOString();
  const due = (subscriptionId: string, turn: string) => webhookDeliveriesDue.create({ subscriptionId, at, turn });
  await inngest.send(Array.from({ length: 600 }, (_, index) => due(`whs_many${index}`, 'many')));
  await inngest.send(due('whs_other', 'other'));
  await until(async () => (await countEnded('whs_other')) === 1);
  expect(await countEnded('whs_many')).toBeLessThan(300);
  await until(async () => (await countEnded('whs_many')) === 600, 60_000);
});
