import { expect, it } from 'vitest';
import { deliveryBounds } from '@/domain/webhooks/settings';
import { pool } from '@/server/db';

it('the columns of delivery settings default to what the API does', async () => {
  const { rows } = await pool.query<{ name: string; value: string }>(
    `SELECT column_name AS name, column_default AS value FROM information_schema.columns
     WHERE table_name = 'webhook_subscription' AND column_name = ANY ($1)`,
    [Object.keys(deliveryBounds)],
  );
  expect(Object.fromEntries(rows.map(({ name, value }) => [name, Number(value)]))).toEqual(
    Object.fromEntries(Object.entries(deliveryBounds).map(([name, bounds]) => [name, bounds.default])),
  );
});
