import { describe, expect, it } from 'vitest';
import { isListed } from '@/lib/address-ranges';

describe('a list of addresses', () => {
  it.each([
    [['203.0.113.7'], '203.0.113.7', true],
    [['203.0.113.7'], '203.0.113.8', false],
    [['203.0.113.0/24'], '203.0.113.255', true],
    [['203.0.113.0/24'], '::ffff:203.0.113.9', true],
    [['203.0.113.0/24'], '203.0.114.0', false],
    [['::ffff:203.0.113.7'], '203.0.113.7', true],
    [['2001:db8::/32'], '2001:db8:1::5', true],
    [['2001:DB8:0:0::5'], '2001:db8::5', true],
    [['2001:db8::/32'], '203.0.113.7', false],
    [['0.0.0.0/0'], '2001:db8::5', false],
    [['0.0.0.0/0', '::/0'], '2001:db8::5', true],
    [['203.0.113.7'], 'unknown', false],
    [[], '203.0.113.7', false],
  ])('%j holds %s: %s', (list, address, expected) => {
    expect(isListed(list, address)).toBe(expected);
  });
});
