import { expect, test } from 'vitest';
import {
  buildCodeSamples,
  buildExample,
  buildMinimalExample,
  describeLimits,
  describeType,
  type Endpoint,
  type JsonSchema,
  sameResponses,
  sectionSlug,
} from '@/domain/api-reference/api-document';

test('types and limits are described in words', () => {
  expect(describeType({ type: 'string', format: 'date-time' })).toBe('timestamp');
  expect(describeType({ anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] })).toBe(
    'timestamp or null',
  );
  expect(describeType({ type: 'array', items: { type: 'integer' } })).toBe('list of integers');
  expect(describeType({ const: true })).toBe('true');
  expect(describeType({})).toBe('anything');
  expect(describeLimits({ type: 'integer', minimum: 1, maximum: 100, default: 25 })).toEqual([
    '1 to 100',
    'default 25',
  ]);
  expect(describeLimits({ type: 'string', minLength: 0, maxLength: 40 })).toEqual(['0 to 40 characters']);
});

test('an example matches its schema', () => {
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
  expect(buildExample(schema)).toEqual({ name: 'Winter Cup', size: 2, fee: { amount: 1 }, tags: ['a'] });
  expect(buildMinimalExample(schema)).toEqual({ name: 'Winter Cup' });
});

test('code samples contain everything the request needs, quoted for the shell', () => {
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
  const [shell, script] = buildCodeSamples('https://laurel.test/api/v1', endpoint);
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

test('a section has a slug', () => {
  expect(['Data API', 'API keys', 'Me'].map(sectionSlug)).toEqual(['data-api', 'api-keys', 'me']);
});

test('of operations that return the same fields, the first one is named', () => {
  const operation = (operationId: string, schema: JsonSchema) => ({
    method: 'GET',
    path: '/things',
    operation: {
      ...{ operationId, summary: operationId, tags: [], security: [], parameters: [] },
      responses: { 200: { description: 'OK', content: { 'application/json': { schema } } } },
    },
  });
  const thing = () => ({ type: 'object', properties: { id: { type: 'string' } } });
  const same = sameResponses([
    operation('read', thing()),
    operation('list', { type: 'array', items: thing() }),
    operation('update', thing()),
  ]);
  expect([...same].map(([later, first]) => [later, first.operationId])).toEqual([['update', 'read']]);
});
