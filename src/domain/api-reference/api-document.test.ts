import { expect, test } from 'vitest';
import {
  type Endpoint,
  exampleOf,
  limitsOf,
  samplesOf,
  sectionSlug,
  smallestExample,
  typeName,
} from '@/domain/api-reference/api-document';

test('a schema is named in words', () => {
  expect(typeName({ type: 'string', format: 'date-time' })).toBe('timestamp');
  expect(typeName({ anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] })).toBe('timestamp or null');
  expect(typeName({ type: 'array', items: { type: 'integer' } })).toBe('list of integer');
  expect(typeName({ const: true })).toBe('true');
  expect(typeName({})).toBe('anything');
  expect(limitsOf({ type: 'integer', minimum: 1, maximum: 100, default: 25 })).toEqual(['1 to 100', 'default 25']);
  expect(limitsOf({ type: 'string', minLength: 0, maxLength: 40 })).toEqual(['0 to 40 characters']);
});

test('an example follows the schema', () => {
  const schema = {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', example: 'Winter Cup' },
      size: { type: 'integer', minimum: 2 },
      fee: { anyOf: [{ type: 'object', properties: { amount: { type: 'integer' } } }, { type: 'null' }] },
      tags: { type: 'array', items: { enum: ['a', 'b'] } },
    },
  };
  expect(exampleOf(schema)).toEqual({ name: 'Winter Cup', size: 2, fee: { amount: 1 }, tags: ['a'] });
  expect(smallestExample(schema)).toEqual({ name: 'Winter Cup' });
});

test('a sample holds what the call needs, safe for the shell', () => {
  const endpoint: Endpoint = {
    method: 'POST',
    path: '/things/{thingId}/notes',
    operation: {
      operationId: 'note',
      summary: 'Note',
      tags: ['Things'],
      security: [{ bearer: [] }],
      parameters: [{ in: 'path', name: 'thingId', required: true, example: 'thing_1', schema: { type: 'string' } }],
      requestBody: {
        content: { 'application/json': { schema: { properties: { text: { type: 'string', example: "it's" } } } } },
      },
      responses: {},
    },
  };
  const [shell, script] = samplesOf('https://laurel.test/api/v1', endpoint);
  expect(shell?.code).toBe(
    [
      'curl -X POST "https://laurel.test/api/v1/things/thing_1/notes"',
      '-H "Authorization: Bearer $LAUREL_TOKEN"',
      '-H "Content-Type: application/json"',
      `-d '{\n  "text": "it'\\''s"\n}'`,
    ].join(' \\\n  '),
  );
  expect(script?.code).toContain(`body: JSON.stringify({`);
});

test('a section has an address', () => {
  expect(['Data API', 'API keys', 'Me'].map(sectionSlug)).toEqual(['data-api', 'api-keys', 'me']);
});
