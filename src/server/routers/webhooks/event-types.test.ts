import { expect, it } from 'vitest';
import { eventTypes } from '@/server/events/catalog/catalog';
import { makeProject } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const server = setupTestServer();

type Page<T> = { items: T[]; total: number; totalPages: number; hasNext: boolean };

it('event types include descriptions, schemas and complete examples', async () => {
  const { owner } = await makeProject();
  type Entry = {
    type: string;
    title: string;
    groupTitle: string;
    planned: boolean;
    description: string;
    example: { data: { aggregateId: string; payload: object } };
  };
  const all = await server.get<Page<Entry>>('/webhooks/event-types', { bearer: owner.bearer });
  expect(all.body.total).toBe(eventTypes.length);
  expect(all.body.items.map((item) => item.type)).toEqual(eventTypes);
  for (const item of all.body.items) {
    expect(item.description.length).toBeGreaterThan(10);
    expect(item).toMatchObject({
      title: expect.any(String),
      groupTitle: expect.any(String),
      planned: expect.any(Boolean),
    });
    expect(item.example).toMatchObject({
      event: { type: item.type, version: 1 },
      webhook: { attempt: 1, isRetry: false },
    });
    expect(Object.values(item.example.data.payload)).toContain(item.example.data.aggregateId);
  }
  const some = await server.get<Page<Entry>>('/webhooks/event-types?group=user&limit=2', { bearer: owner.bearer });
  expect(some.body).toMatchObject({ total: 3, totalPages: 2, hasNext: true });
});
