import { beforeEach, describe, expect, it } from 'vitest';
import { HandshakeTurns } from '@/server/delivery/outbound/handshake-turns';
import { until } from '@/test/receiver';

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
});

it('of many projects with one turn, those of another project go before', async () => {
  const names = ['a', 'b', 'c', 'd'];
  for (const name of names) turns.belongs(name, 'one');
  goOn('a', 'long', 10);
  for (const name of [...names, 'other']) goOn(name, name, 9);
  await until(() => order.length === 7);
  expect(order.slice(1, 3)).toEqual(['long', 'other']);
});

describe('a costly handshake', () => {
  beforeEach(() => goOn('hostile', 'first', 12));

  it('lets all others rest, and those of its project until the others are done', async () => {
    goOn('hostile', 'second', 1);
    goOn('hostile', 'third', 1);
    goOn('usual', 'usual', 2);
    goOn('new', 'new', 2);
    expect(order).toEqual(['earlier', 'first']);
    await until(() => order.length === 6);
    expect(order.slice(2)).toEqual(['new', 'usual', 'second', 'third']);
  });

  it('is forgiven after ordinary ones', async () => {
    for (const name of ['second', 'third', 'fourth', 'fifth']) {
      turns.end('hostile', 2);
      goOn('hostile', name, 12);
      await until(() => order.includes(name));
    }
    goOn('offender', 'long', 60);
    await until(() => order.includes('long'));
    goOn('hostile', 'ordinary', 1);
    await until(() => order.includes('ordinary'));
  });
});

describe('long handshakes', () => {
  const round = () => new Promise((resolve) => setImmediate(resolve));

  beforeEach(() => {
    turns.end('usual', 1);
    goOn('hostile', 'long', 95);
  });

  it('do not delay a project that had ordinary ones before', async () => {
    goOn('new', 'new', 1);
    goOn('usual', 'usual', 1);
    await round();
    expect(order).toEqual(['earlier', 'long', 'usual']);
    await until(() => order.includes('new'));
  });

  it('do not delay a project for long that had a single slow one', async () => {
    await round();
    goOn('usual', 'costly', 11);
    goOn('usual', 'next', 1);
    await until(() => order.includes('next'));
    expect(order).toEqual(['earlier', 'long', 'costly', 'next']);
  });

  it('of several projects wait for each other, even if each had ordinary ones before', async () => {
    for (const owner of ['b', 'c']) turns.end(owner, 1);
    await round();
    goOn('b', 'of b', 95);
    goOn('c', 'of c', 95);
    await round();
    expect(order).toEqual(['earlier', 'long', 'of b']);
    goOn('hostile', 'again', 95);
    goOn('b', 'again', 95);
    await until(() => order.length === 4);
    expect(order[3]).toBe('of c');
    goOn('usual', 'usual', 1);
    await until(() => order.includes('usual'));
    expect(order).not.toContain('again');
  });
});

it('ordinary handshakes wait for no timer, however many', async () => {
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
