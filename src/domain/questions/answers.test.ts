import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { CustomFieldDefinition } from '@/domain/tournaments/settings';
import { question } from '@/test/questions';
import { answersObject, checkAnswers } from './answers';

const check = (definition: CustomFieldDefinition, answer: unknown) =>
  checkAnswers([definition], answer === undefined ? {} : { q: answer });

test.each<[Partial<CustomFieldDefinition>, unknown, boolean]>([
  [{}, 'anything', true],
  [{}, 5, false],
  [{}, 'x'.repeat(2_001), false],
  [{ pattern: '[A-Z]{3}' }, 'ABC', true],
  [{ pattern: '[A-Z]{3}' }, 'ABCD', false],
  [{ type: 'number' }, 5, true],
  [{ type: 'number' }, '5', false],
  [{ type: 'number' }, Number.NaN, false],
  [{ type: 'number' }, Number.POSITIVE_INFINITY, false],
  [{ type: 'select', options: ['EU', 'NA'] }, 'EU', true],
  [{ type: 'select', options: ['EU', 'NA'] }, 'eu', false],
  [{ type: 'checkbox' }, false, true],
  [{ type: 'checkbox', required: true }, false, false],
  [{ type: 'checkbox' }, 'yes', false],
  [{ type: 'url' }, 'https://example.test/me', true],
  [{ type: 'url' }, 'javascript:alert(1)', false],
  [{ type: 'url' }, 'example', false],
  [{ type: 'url' }, 'https://steam.test@example.test/me', false],
  [{ type: 'url' }, 'https://:secret@example.test/me', false],
  [{ type: 'url' }, 'https://example.test/\u202Eem', false],
  [{ type: 'url' }, 'https://example.test/\u200Bme', false],
  [{}, { deep: true }, false],
  [{}, 'two\r\nlines\tand a tab', true],
  [{}, '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}', true],
  [{}, 'anything \u202Eevil.test', false],
  [{}, 'no\u200Bwidth', false],
  [{}, 'bell\u0007', false],
  [{ pattern: '.*' }, 'a\u2066b', false],
])('%j takes %j: %s', (change, answer, accepted) => {
  expect(check(question(change), answer).issues.length === 0).toBe(accepted);
});

test('required answers must be present, and the message names the missing one', () => {
  for (const type of ['text', 'number', 'select', 'checkbox', 'url'] as const) {
    const options = type === 'select' ? { options: ['EU'] } : {};
    for (const nothing of [undefined, null, '', '   ']) {
      expect(check(question({ type, required: true, ...options }), nothing).issues).toEqual([
        { path: 'customFields.q', message: 'Question is required.' },
      ]);
      expect(check(question({ type, ...options }), nothing)).toEqual({ answers: {}, issues: [] });
    }
  }
});

test('the message for a wrong format includes the help text', () => {
  const asks = question({ pattern: '[a-z]+#[0-9]{4}', helpText: 'As in the client, like ada#1234.' });
  expect(check(asks, 'ada').issues).toEqual([
    {
      path: 'customFields.q',
      message: 'Question does not have the right format: As in the client, like ada#1234.',
    },
  ]);
});

test('the message for a wrong choice names those there are, as many as it has room for', () => {
  const messageFor = (options: string[]) => check(question({ type: 'select', options }), 'Moon').issues[0]?.message;
  expect(messageFor(['EU', 'NA'])).toBe('Question must be one of: EU, NA.');
  const fifty = Array.from({ length: 50 }, (_, at) => `Choice ${at} ${'x'.repeat(110)}`);
  expect(messageFor(fifty)).toBe(`Question must be one of: ${fifty[0]}, ….`);
});

test('answers to unknown questions are dropped, including keys that every object inherits', () => {
  expect(checkAnswers([], { admin: true, toString: 'x' })).toEqual({ answers: {}, issues: [] });
  expect(checkAnswers([question({ key: 'constructor' })], {})).toEqual({ answers: {}, issues: [] });
  const given = checkAnswers([question({ key: 'constructor' })], { constructor: 'Ferrari' });
  expect(Object.entries(given.answers)).toEqual([['constructor', 'Ferrari']]);
});

test('an answer that is too long for a pattern is not matched with it', () => {
  const { issues } = check(question({ pattern: '[ab]*a[ab]{80}' }), 'ab'.repeat(51));
  expect(issues.map(({ message }) => message)).toEqual(['Use at most 100 characters.']);
  expect(check(question({ pattern: '[ab]*a[ab]{80}' }), 'a'.repeat(100)).issues).toEqual([]);
});

test('questions that are answered all the time are compiled once, whatever others are answered meanwhile', () => {
  const compile = vi.spyOn(RE2JS, 'compile');
  try {
    const pattern = '[a-z]+-[0-9]{4}';
    for (let other = 0; other < 300; other++) {
      expect(check(question({ pattern }), 'ada-1234').issues).toEqual([]);
      expect(check(question({ label: `Question ${other}` }), 'x').issues).toEqual([]);
    }
    expect(compile).toHaveBeenCalledTimes(1);
  } finally {
    compile.mockRestore();
  }
});

test('a pattern that would backtrack elsewhere is matched like any other', () => {
  expect(check(question({ pattern: '(a+)+b' }), 'a'.repeat(100)).issues).toHaveLength(1);
});

describe('any questions and answers', () => {
  const definition = fc
    .record({
      label: fc.string({ minLength: 1, maxLength: 20 }),
      type: fc.constantFrom('text', 'number', 'select', 'checkbox', 'url'),
      required: fc.boolean(),
      visibility: fc.constantFrom('public', 'organizers'),
      pattern: fc.constantFrom(undefined, '[a-z]*', '.{0,5}'),
      options: fc.uniqueArray(
        fc.string({ minLength: 1, maxLength: 8 }).filter((text) => text === text.trim() && text !== ''),
        { minLength: 1, maxLength: 5 },
      ),
    } as const)
    .map(({ pattern, options, ...rest }) => ({
      ...rest,
      ...(rest.type === 'text' && pattern !== undefined ? { pattern } : {}),
      ...(rest.type === 'select' ? { options } : {}),
    }));
  const definitions = fc
    .array(definition, { maxLength: 6 })
    .map((list) => list.map((each, index) => ({ ...each, key: `k${index}` })));
  const value = fc.oneof(
    fc.string(),
    fc.webUrl(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom('EU', '', ' '),
  );
  const given = fc.dictionary(fc.constantFrom('k0', 'k1', 'k2', 'k3', 'k9', 'constructor'), value);

  test('valid answers stay valid and unchanged, and only answer existing questions', () => {
    fc.assert(
      fc.property(definitions, given, (asked, answers) => {
        const first = checkAnswers(asked, answers);
        for (const issue of first.issues) {
          expect(asked.map(({ key }) => `customFields.${key}`)).toContain(issue.path);
        }
        if (first.issues.length > 0) return;
        expect(Object.keys(first.answers).every((key) => asked.some((each) => each.key === key))).toBe(true);
        expect(checkAnswers(asked, first.answers)).toEqual(first);
        for (const { key, required, type } of asked) {
          if (required) expect(Object.hasOwn(first.answers, key)).toBe(true);
          const kind = { text: 'string', url: 'string', select: 'string', number: 'number', checkbox: 'boolean' }[type];
          if (Object.hasOwn(first.answers, key)) expect(typeof first.answers[key]).toBe(kind);
        }
      }),
    );
  });

  test('the answer to each question is validated on its own', () => {
    fc.assert(
      fc.property(definitions, given, (asked, answers) => {
        const together = checkAnswers(asked, answers).issues;
        const alone = asked.flatMap((each) => checkAnswers([each], answers).issues);
        expect(together).toEqual(alone);
      }),
    );
  });
});

test.each(['(a+)+b', '(a|aa)+', '(?:x{1,50}){50}', 'a*a*a*b', 'a?'.repeat(30) + 'a'.repeat(30)])(
  'the JSON Schema leaves out the pattern %s, which other programs may match for ages',
  (pattern) => {
    const schema = z.toJSONSchema(answersObject([question({ key: 'tag', pattern })]), { io: 'input' });
    expect(schema.properties?.tag).not.toHaveProperty('pattern');
  },
);

test.each(['[A-Z]{3}', '[a-z]+#[0-9]{4}', '[^@]+@[^@]+', '(?:ada|bob)#\\d{1,4}'])(
  'the JSON Schema has the pattern %s',
  (pattern) => {
    const schema = z.toJSONSchema(answersObject([question({ key: 'tag', pattern })]), { io: 'input' });
    expect(schema.properties?.tag).toMatchObject({ pattern: `^(?:${pattern})$` });
  },
);

test('the JSON Schema describes the questions well enough to build a form', () => {
  const schema = answersObject([
    question({ key: 'rank', type: 'select', options: ['Gold', 'Iron'], required: true, label: 'Rank' }),
    question({ key: 'tag', pattern: '[a-z]+', helpText: 'Lower case.' }),
    question({ key: 'odd', pattern: '(?i)x' }),
    question({ key: 'link', type: 'url' }),
    question({ key: 'age', type: 'number' }),
    question({ key: 'rules', type: 'checkbox', required: true }),
  ]);
  expect(z.toJSONSchema(schema, { io: 'input' })).toMatchObject({
    type: 'object',
    required: ['rank', 'rules'],
    properties: {
      rank: { type: 'string', enum: ['Gold', 'Iron'], title: 'Rank' },
      tag: { type: 'string', maxLength: 100, pattern: '^(?:[a-z]+)$', description: 'Lower case.' },
      odd: { type: 'string' },
      link: { type: 'string', format: 'uri' },
      age: { type: 'number' },
      rules: { type: 'boolean', const: true },
    },
  });
});
