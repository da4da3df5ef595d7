import { describe, expect, it } from 'vitest';
import { isEventPattern, patternsFor } from '@/server/delivery/event-patterns';
import { eventTypes } from '@/server/events/catalog/catalog';

describe('patterns', () => {
  it('are event types, groups and *', () => {
    for (const text of ['*', 'tournament.*', 'circuit.*', 'circuit.season.started'])
      expect(isEventPattern(text)).toBe(true);
    for (const text of [
      '',
      '**',
      'tournament',
      'tournament.',
      'circuit.season.*',
      'match.nothing',
      '*.created',
      'toString',
    ]) {
      expect(isEventPattern(text)).toBe(false);
    }
  });

  it('of a type can all be listed by a subscription', () => {
    for (const type of eventTypes) expect(patternsFor(type).every(isEventPattern)).toBe(true);
  });
});
