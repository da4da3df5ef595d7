import { beforeEach, describe, expect, it } from 'vitest';
import { HandshakeTurns } from '@/server/delivery/outbound/handshake-turns';
import { until } from '@/test/receiver';

describe('a costly handshake', () => {
  let turns: HandshakeTurns;
  let order: string[];
  const goOn = (owner: string, name: string, tookMs: number) =>
    turns.goOn(owner, () => {
      order.push(name);
      return tookMs;
    });

  beforeEach(() => {
    turns = new HandshakeTurns();
    order = [];
    // What other work took before counts for the order.
    goOn('usual', 'earlier', 1);
    goOn('hostile', 'first', 12);
  });

  it('lets all others rest, and those of its project until the others are done', async () => {
    goOn('hostile', 'second', 1);
    goOn('hostile', 'third', 1);
    goOn('usual', 'usual', 2);
    goOn('new', 'new', 2);
    expect(order).toEqual(['earlier', 'first']);
    await until(() => order.length === 6);
    expect(order.slice(2)).toEqual(['new', 'usual', 'second', 'third']);
  });

  it('keeps its project waiting no longer than it takes, and counts no more after an ordinary one', async () => {
    goOn('hostile', 'second', 13);
    await until(() => order.includes('second'));
    turns.end('hostile', 2);
    goOn('other', 'other costly', 11);
    goOn('hostile', 'third', 1);
    goOn('other', 'fourth', 1);
    await until(() => order.includes('fourth'));
    expect(order.slice(2)).toEqual(['second', 'other costly', 'third', 'fourth']);
  });
});

it('ordinary handshakes wait for no timer, however many', async () => {
  const turns = new HandshakeTurns();
  let done = 0;
  for (let count = 0; count < 1_000; count += 1) {
    turns.goOn(`receiver ${count % 20}`, () => {
      done += 1;
      return 3;
    });
  }
  // A round of the event loop is enough for four of them.
  for (let round = 0; round < 250; round += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(done).toBe(1_000);
});
