import { expect, test } from 'vitest';
import {
  describeDeliveryFilter,
  isFiltered,
  parseDeliveryFilter,
  toListInput,
  toReplayFilter,
} from '@/components/webhooks/deliveries/delivery-filter';

const noFilter = { status: null, type: null, errorClass: null, since: null };
const now = Date.parse('2026-11-21T18:00:30.000Z');

test('query parameters set the filter, and unknown values are ignored', () => {
  const filter = parseDeliveryFilter(new URLSearchParams('status=failed&type=match.completed&error=timeout&since=1h'));
  expect(filter).toEqual({ status: 'failed', type: 'match.completed', errorClass: 'timeout', since: '1h' });
  expect(toListInput(filter, now)).toEqual({
    status: 'failed',
    type: 'match.completed',
    errorClass: 'timeout',
    from: '2026-11-21T17:00:00.000Z',
  });
  const unknown = parseDeliveryFilter(new URLSearchParams('status=lost&error=gremlins&since=ever&type='));
  expect(unknown).toEqual(noFilter);
  expect(isFiltered(unknown)).toBe(false);
  expect(toListInput(unknown, now)).toEqual({});
});

test('waiting deliveries cannot be resent, all others can', () => {
  expect(toReplayFilter({ ...noFilter, status: 'held' }, now)).toBeNull();
  expect(toReplayFilter({ ...noFilter, status: 'pending' }, now)).toBeNull();
  expect(toReplayFilter(noFilter, now)).toEqual({});
  expect(toReplayFilter({ ...noFilter, status: 'delivered' }, now)).toEqual({ status: 'delivered' });
});

test('a filter is described in words', () => {
  expect(describeDeliveryFilter(noFilter)).toBe('failed and expired deliveries');
  expect(
    describeDeliveryFilter({ status: 'failed', type: 'match.completed', errorClass: 'timeout', since: '24h' }),
  ).toBe('failed match.completed deliveries with “Response timed out” from the last 24 hours');
});
