import { describe, expect, it } from 'vitest';
import { InHand } from '@/server/delivery/sending/in-hand';

describe('Claims in hand', () => {
  const limits = { all: 100, each: 10, most: 130 };

  it('are all of a project that is alone', () => {
    const inHand = new InHand(limits);
    inHand.add('a', 99);
    expect(inHand.hasRoom('a')).toBe(true);
    inHand.add('a', 1);
    expect(inHand.hasRoom('a')).toBe(false);
  });

  it('are at most half of a project beside others', () => {
    const inHand = new InHand(limits);
    inHand.add('a', 49);
    inHand.add('b', 1);
    expect(inHand.hasRoom('a')).toBe(true);
    inHand.add('a', 1);
    expect(inHand.hasRoom('a')).toBe(false);
    inHand.add('b', -1);
    expect(inHand.hasRoom('a')).toBe(true);
  });

  it('are a few of every project, up to a bound for all', () => {
    const inHand = new InHand(limits);
    inHand.add('a', 110);
    expect(inHand.hasRoom(null)).toBe(true);
    inHand.add('b', 9);
    expect(inHand.hasRoom('b')).toBe(true);
    inHand.add('b', 1);
    expect(inHand.hasRoom('b')).toBe(false);
    inHand.add('c', 10);
    expect(inHand.hasRoom('d')).toBe(false);
  });
});
