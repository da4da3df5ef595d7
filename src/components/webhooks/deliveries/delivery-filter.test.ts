import { expect, test } from 'vitest';
import { rangeOf, tickWords } from '@/components/webhooks/charts/range';
import {
  describeDeliveryFilter,
  isFiltered,
  parseDeliveryFilter,
  toListInput,
  toReplayFilter,
} from '@/components/webhooks/deliveries/delivery-filter';
import { timingPhases } from '@/components/webhooks/deliveries/timings';

const noFilter = { status: null, type: null, errorClass: null, since: null };
const now = Date.parse('2026-11-21T18:00:30.000Z');

test('an address says which deliveries are shown; nonsense in it is left out', () => {
  const filter = parseDeliveryFilter(new URLSearchParams('status=failed&type=match.completed&error=timeout&since=1h'));
  expect(filter).toEqual({ status: 'failed', type: 'match.completed', errorClass: 'timeout', since: '1h' });
  expect(toListInput(filter, now)).toEqual({
    status: 'failed',
    type: 'match.completed',
    errorClass: 'timeout',
    from: '2026-11-21T17:00:00.000Z',
  });
  const nonsense = parseDeliveryFilter(new URLSearchParams('status=lost&error=gremlins&since=ever&type='));
  expect(nonsense).toEqual(noFilter);
  expect(isFiltered(nonsense)).toBe(false);
  expect(toListInput(nonsense, now)).toEqual({});
});

test('what is on its way cannot be sent again; the rest can, and is told in words', () => {
  expect(toReplayFilter({ ...noFilter, status: 'held' }, now)).toBeNull();
  expect(toReplayFilter({ ...noFilter, status: 'pending' }, now)).toBeNull();
  expect(toReplayFilter(noFilter, now)).toEqual({});
  expect(toReplayFilter({ ...noFilter, status: 'delivered' }, now)).toEqual({ status: 'delivered' });
  expect(describeDeliveryFilter(noFilter)).toBe('failed and expired deliveries');
  expect(
    describeDeliveryFilter({ status: 'failed', type: 'match.completed', errorClass: 'timeout', since: '24h' }),
  ).toBe(
    'failed deliveries of match.completed of which an attempt ended with “No answer in time” of the last 24 hours',
  );
});

test('the range of the charts is a day unless the address says otherwise', () => {
  expect([rangeOf(null), rangeOf('7d'), rangeOf('1y')]).toEqual(['24h', '7d', '24h']);
  expect(tickWords('2026-11-21T18:05:00.000Z', '24h', 'UTC')).toBe('18:05');
  expect(tickWords('2026-11-21T18:05:00.000Z', '30d', 'Asia/Tokyo')).toBe('22 Nov');
});

test('time is told by phase; a kept connection has no first three, a silent receiver only waiting', () => {
  const whole = { dnsMs: 5, connectMs: 10, tlsMs: 20, firstByteMs: 100, totalMs: 140 };
  expect(timingPhases(whole).map(({ ms }) => ms)).toEqual([5, 10, 20, 100, 5]);
  const kept = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: 100, totalMs: 101 };
  expect(timingPhases(kept).map(({ label }) => label)).toEqual(['Waiting for the answer', 'Reading the answer']);
  const silent = { dnsMs: null, connectMs: 1, tlsMs: null, firstByteMs: null, totalMs: 2_000 };
  expect(timingPhases(silent).map(({ label, ms }) => [label, ms])).toEqual([
    ['Connection', 1],
    ['Waiting for the answer', 1_999],
  ]);
});
