import { expect, test } from 'vitest';
import { timingPhases } from '@/components/webhooks/deliveries/timings';

test('a request has five phases', () => {
  const timings = { dnsMs: 5, connectMs: 10, tlsMs: 20, firstByteMs: 100, totalMs: 140 };
  expect(timingPhases(timings, null).map(({ ms }) => ms)).toEqual([5, 10, 20, 100, 5]);
});

test('a reused connection has no lookup, connection or handshake', () => {
  const timings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: 100, totalMs: 101 };
  expect(timingPhases(timings, null).map(({ label }) => label)).toEqual(['Waiting for response', 'Reading response']);
});

test('a request without a response ends with waiting', () => {
  const timings = { dnsMs: null, connectMs: 1, tlsMs: null, firstByteMs: null, totalMs: 2_000 };
  expect(timingPhases(timings, 'timeout')).toEqual([
    { index: 1, label: 'Connection', ms: 1, failed: false },
    { index: 3, label: 'Waiting for response', ms: 1_999, failed: true },
  ]);
});

test('an attempt without a connection ends with the phase that failed', () => {
  const timings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 2 };
  const ends = (errorClass: string) =>
    timingPhases(timings, errorClass).map(({ label, ms, failed }) => [label, ms, failed]);
  expect(ends('dns_error')).toEqual([['DNS lookup', 2, true]]);
  expect(ends('connect_refused')).toEqual([['Connection', 2, true]]);
  expect(ends('tls_error')).toEqual([['TLS handshake', 2, true]]);
});

test('a server that responded with an error failed in no phase', () => {
  const timings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: 100, totalMs: 101 };
  expect(timingPhases(timings, 'http_5xx').some(({ failed }) => failed)).toBe(false);
});
