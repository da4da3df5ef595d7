import { describe, expect, it } from 'vitest';
import { blockOf, isListed, networkOf, siteOf } from '@/domain/network/address-ranges';

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

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2::5', '2001:DB8:1:2:ffff::'],
  ['unknown', 'unknown'],
])('%s is of the network of %s', (one, other) => {
  expect(networkOf(one)).toBe(networkOf(other));
});

it('tells networks apart', () => {
  const networks = ['203.0.113.7', '203.0.113.8', '2001:db8:1:2::5', '2001:db8:1:3::5', 'unknown'].map(networkOf);
  expect(new Set(networks).size).toBe(networks.length);
});

it('counts all networks of an IPv6 subscriber as one site', () => {
  expect(siteOf('2001:db8:1:2::5')).toBe(siteOf('2001:db8:1:ffff::6'));
  expect(siteOf('2001:db8:1:2::5')).not.toBe(siteOf('2001:db8:2:2::5'));
  expect(siteOf('::ffff:203.0.113.7')).toBe('203.0.113.7');
});

it('counts what one person can rent as one block', () => {
  expect(blockOf('203.0.113.7')).toBe(blockOf('::ffff:203.0.113.254'));
  expect(blockOf('203.0.113.7')).not.toBe(blockOf('203.0.114.7'));
  expect(blockOf('2001:db8:1:2::5')).toBe(blockOf('2001:db8:1:ffff::6'));
  expect(blockOf('2001:db8:1:2::5')).not.toBe(blockOf('2001:db8:2:2::5'));
  expect(blockOf('unknown')).toBe('unknown');
});
