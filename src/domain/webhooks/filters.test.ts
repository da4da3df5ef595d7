import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Condition,
  conditionHolds,
  conditionSchema,
  filtersSchema,
  passesFilters,
  refusedBy,
} from '@/domain/webhooks/filters';

const data = {
  aggregateId: 'prt_1',
  aggregateType: 'participant',
  payload: { tournamentId: 'trn_1', userId: 'usr_1', name: 'Ada', seed: 7, team: null, tags: ['eu', 'cup'] },
  metadata: { actor: { type: 'user', id: 'usr_2' } },
};

describe('a condition', () => {
  const cases: [Condition, boolean][] = [
    [{ field: 'payload.name', operator: 'eq', value: 'Ada' }, true],
    [{ field: 'payload.name', operator: 'eq', value: 'ada' }, false],
    [{ field: 'payload.seed', operator: 'eq', value: '7' }, false],
    [{ field: 'payload.seed', operator: 'gt', value: 6 }, true],
    [{ field: 'payload.seed', operator: 'gte', value: 7 }, true],
    [{ field: 'payload.seed', operator: 'lt', value: 7 }, false],
    [{ field: 'payload.seed', operator: 'lte', value: 7 }, true],
    [{ field: 'payload.seed', operator: 'gt', value: '6' }, false],
    [{ field: 'payload.name', operator: 'ne', value: 'Bea' }, true],
    [{ field: 'payload.name', operator: 'in', value: ['Bea', 'Ada'] }, true],
    [{ field: 'payload.name', operator: 'nin', value: ['Bea', 'Ada'] }, false],
    [{ field: 'payload.name', operator: 'contains', value: 'd' }, true],
    [{ field: 'payload.tags', operator: 'contains', value: 'cup' }, true],
    [{ field: 'payload.tags.0', operator: 'eq', value: 'eu' }, true],
    [{ field: 'payload.team', operator: 'exists', value: true }, true],
    [{ field: 'payload.team', operator: 'eq', value: null }, true],
    [{ field: 'payload.other', operator: 'exists' }, false],
    [{ field: 'payload.other', operator: 'exists', value: false }, true],
    [{ field: 'metadata.actor.type', operator: 'eq', value: 'user' }, true],
    [{ field: 'aggregateType', operator: 'eq', value: 'participant' }, true],
  ];
  test.each(cases)('%j', (condition, holds) => expect(conditionHolds(condition, data)).toBe(holds));

  test('on a field that is not there holds only for ne, nin and exists false', () => {
    for (const operator of ['eq', 'in', 'gt', 'gte', 'lt', 'lte', 'contains'] as const) {
      const value = operator === 'in' ? ['x'] : 'x';
      expect(conditionHolds({ field: 'payload.nothing.deeper', operator, value }, data)).toBe(false);
    }
    expect(conditionHolds({ field: 'payload.nothing', operator: 'ne', value: 'x' }, data)).toBe(true);
    expect(conditionHolds({ field: 'payload.nothing', operator: 'nin', value: ['x'] }, data)).toBe(true);
  });
});

describe('operators, whatever the values', () => {
  const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
  const holds = (operator: Condition['operator'], found: unknown, value?: Condition['value']) =>
    conditionHolds(
      { field: 'payload.x', operator, value },
      { ...data, payload: found === undefined ? {} : { x: found } },
    );
  const maybe = fc.oneof(scalar, fc.constant(undefined));

  test('eq and ne, in and nin, exists and not exists are opposites', () => {
    fc.assert(
      fc.property(maybe, scalar, fc.array(scalar, { minLength: 1 }), (found, value, list) => {
        expect(holds('eq', found, value)).toBe(!holds('ne', found, value));
        expect(holds('in', found, list)).toBe(!holds('nin', found, list));
        expect(holds('exists', found, true)).toBe(!holds('exists', found, false));
        expect(holds('in', found, list)).toBe(list.some((each) => holds('eq', found, each)));
      }),
    );
  });

  test('an order is one: exactly one of lt, eq and gt between values of one kind, none between kinds', () => {
    fc.assert(
      fc.property(fc.oneof(fc.tuple(fc.integer(), fc.integer()), fc.tuple(fc.string(), fc.string())), ([a, b]) => {
        const three = (['lt', 'eq', 'gt'] as const).filter((operator) => holds(operator, a, b));
        expect(three).toHaveLength(1);
        expect(holds('lte', a, b)).toBe(!holds('gt', a, b));
        expect(holds('gte', a, b)).toBe(!holds('lt', a, b));
      }),
    );
    fc.assert(
      fc.property(fc.integer(), fc.string(), (a, b) => {
        for (const operator of ['lt', 'lte', 'gt', 'gte'] as const) expect(holds(operator, a, b)).toBe(false);
      }),
    );
  });

  test('contains finds every part of a text and every member of a list', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (before, part, after) => {
        expect(holds('contains', before + part + after, part)).toBe(true);
      }),
    );
    fc.assert(
      fc.property(fc.array(scalar, { minLength: 1 }), (list) => {
        expect(holds('contains', list, list[0])).toBe(true);
      }),
    );
  });
});

describe('filters', () => {
  test('let everything pass when they are empty', () => {
    expect(passesFilters({}, data)).toBe(true);
    expect(passesFilters(filtersSchema.parse({}), data)).toBe(true);
  });

  test('must all hold, and the first that does not is named', () => {
    expect(passesFilters({ aggregateTypes: ['participant'], tournamentIds: ['trn_1'], userIds: ['usr_1'] }, data)).toBe(
      true,
    );
    expect(refusedBy({ aggregateTypes: ['match'] }, data)).toEqual({ list: 'aggregateTypes' });
    expect(refusedBy({ tournamentIds: ['trn_2'] }, data)).toEqual({ list: 'tournamentIds' });
    expect(refusedBy({ userIds: ['usr_2'] }, data)).toEqual({ list: 'userIds' });
    const condition: Condition = { field: 'payload.seed', operator: 'gt', value: 7 };
    expect(refusedBy({ conditions: [condition] }, data)).toEqual({ condition });
  });

  test('find a tournament by its own events, and keep out events of none', () => {
    const own = { aggregateId: 'trn_1', aggregateType: 'tournament', payload: {}, metadata: {} };
    expect(passesFilters({ tournamentIds: ['trn_1'] }, own)).toBe(true);
    expect(passesFilters({ tournamentIds: ['trn_1'] }, { ...own, aggregateType: 'circuit' })).toBe(false);
  });
});

describe('what a condition may be', () => {
  test.each([
    [{ field: 'payload.name', operator: 'in', value: 'Ada' }],
    [{ field: 'payload.name', operator: 'in', value: [] }],
    [{ field: 'payload.name', operator: 'eq' }],
    [{ field: 'payload.name', operator: 'eq', value: ['Ada'] }],
    [{ field: 'payload.seed', operator: 'gt', value: true }],
    [{ field: 'payload.seed', operator: 'exists', value: 'yes' }],
    [{ field: 'payload..seed', operator: 'eq', value: 1 }],
    [{ field: '', operator: 'eq', value: 1 }],
    [{ field: 'payload.seed', operator: 'like', value: 1 }],
  ])('%j is refused', (condition) => expect(conditionSchema.safeParse(condition).success).toBe(false));
});
