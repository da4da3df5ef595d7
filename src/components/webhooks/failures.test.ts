import { expect, test } from 'vitest';
import { describeOutcome, errorClasses, explainFailure } from '@/components/webhooks/failures';

test('every error class has a cause and a fix', () => {
  for (const errorClass of errorClasses) {
    const explanation = explainFailure({ errorClass, responseStatus: null });
    expect(explanation?.cause.length).toBeGreaterThan(20);
    expect(explanation?.fix.length).toBeGreaterThan(20);
  }
  expect(explainFailure({ errorClass: null, responseStatus: 200 })).toBeNull();
  expect(explainFailure({ errorClass: 'something_new', responseStatus: null })?.title).toBe('something_new');
});

test('a known status explains more than its error class', () => {
  expect(explainFailure({ errorClass: 'http_4xx', responseStatus: 404 })?.cause).toContain('path');
  expect(explainFailure({ errorClass: 'http_4xx', responseStatus: 418 })?.cause).toContain('rejected');
  expect(describeOutcome({ errorClass: 'http_5xx', responseStatus: 500 })).toBe('500 · Server error');
  expect(describeOutcome({ errorClass: null, responseStatus: 204 })).toBe('204');
});
