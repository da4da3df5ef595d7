import { expect, test } from 'vitest';
import { timingPhases } from '@/components/webhooks/deliveries/timings';

test('a request has five phases', () => {
  const timings = { dnsMs: 5, connectMs: 10, tlsMs: 20, firstByteMs: 100, totalMs: 140 };
  expect(timingPhases(timings).map(({ ms }) => ms)).toEqual([5, 10, 20, 100, 5]);
});

test('a reused connection has no lookup, connection or handshake', () => {
  const timings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: 100, totalMs: 101 };
  expect(timingPhases(timings).map(({ label }) => label)).toEqual(['Waiting for response', 'Reading response']);
});

test('a request without a response ends with waiting', () => {
  const timings = { dnsMs: null, connectMs: 1, tlsMs: null, firstByteMs: null, totalMs: 2_000 };
  expect(timingPhases(timings).map(({ label, ms }) => [label, ms])).toEqual([
    ['Connection', 1],
    ['Waiting for response', 1_999],
  ]);
});
