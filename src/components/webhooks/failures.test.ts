import { expect, test } from 'vitest';
import {
  describeOutcome,
  errorClasses,
  explainFailure,
  formatDuration,
  formatRate,
} from '@/components/webhooks/failures';
import { counted } from '@/domain/text/counted';

test('every class of failure is explained, with what to do', () => {
  for (const errorClass of errorClasses) {
    const explanation = explainFailure({ errorClass, responseStatus: null });
    expect(explanation?.cause.length).toBeGreaterThan(20);
    expect(explanation?.fix.length).toBeGreaterThan(20);
  }
  expect(explainFailure({ errorClass: null, responseStatus: 200 })).toBeNull();
  expect(explainFailure({ errorClass: 'something_new', responseStatus: null })?.title).toBe('something_new');
});

test('a status says more than its class', () => {
  expect(explainFailure({ errorClass: 'http_4xx', responseStatus: 404 })?.cause).toContain('path');
  expect(explainFailure({ errorClass: 'http_4xx', responseStatus: 418 })?.cause).toContain('refused');
  expect(describeOutcome({ errorClass: 'http_5xx', responseStatus: 500 })).toBe('500 · Receiver failed');
  expect(describeOutcome({ errorClass: null, responseStatus: 204 })).toBe('204');
});

test('figures keep what matters', () => {
  expect([null, 0, 340.4, 1_250, 90_000, 7_200_000].map(formatDuration)).toEqual([
    '–',
    '0 ms',
    '340 ms',
    '1.3 s',
    '1.5 min',
    '2 h',
  ]);
  expect([null, 1, 0.9999, 0.995, 0.756, 0.0004, 0].map(formatRate)).toEqual([
    '–',
    '100%',
    '99.9%',
    '99.5%',
    '76%',
    '0%',
    '0%',
  ]);
  expect([counted(1, 'delivery', 'deliveries'), counted(1_200, 'delivery', 'deliveries')]).toEqual([
    '1 delivery',
    '1,200 deliveries',
  ]);
});
