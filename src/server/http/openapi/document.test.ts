import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import type { ZodType } from 'zod';
import { buildExample, type JsonSchema, type Operation } from '@/domain/api-reference/api-document';
import { openApiDocument, openApiJson } from '@/server/http/openapi/document';
import { restPrefix, routeTable } from '@/server/http/rest/routes';
import { appRouter } from '@/server/routers/_app';

/** Every path that clients were promised, as they spell it. */
const specified = `
  POST   /api/v1/anti-cheat/sessions
  POST   /api/v1/anti-cheat/sessions/:sessionId/end
  GET    /api/v1/anti-cheat/detections
  POST   /api/v1/anti-cheat/evidence/presign
  GET    /api/v1/data/tournaments
  GET    /api/v1/data/tournaments/:id
  GET    /api/v1/data/tournaments/:id/bracket
  GET    /api/v1/data/tournaments/:id/matches
  GET    /api/v1/data/matches/:id
  GET    /api/v1/data/matches/:id/events
  GET    /api/v1/data/players/:id/stats
  GET    /api/v1/data/teams/:id
  POST   /api/v1/tournaments/:tournamentId/participants/register
  GET    /api/v1/tournaments/:tournamentId/participants
  GET    /api/v1/tournaments/:tournamentId/registration/form
  GET    /api/v1/tournaments/:tournamentId/registrations/me
  POST   /api/v1/tournaments/:tournamentId/registrations/me/cancel
  PATCH  /api/v1/tournaments/:tournamentId/registrations/me
  POST   /api/v1/tournaments/:tournamentId/participants/checkin/me
  POST   /api/v1/tournaments/:tournamentId/participants/:participantId/checkin
  PATCH  /api/v1/tournaments/:tournamentId/registrations/:participantId/approve
  PATCH  /api/v1/tournaments/:tournamentId/registrations/:participantId/reject
  PATCH  /api/v1/tournaments/:tournamentId/registrations/:participantId/waitlist
  PATCH  /api/v1/tournaments/:tournamentId/registrations/:participantId/promote
  DELETE /api/v1/tournaments/:tournamentId/participants/:participantId
  POST   /api/v1/tournaments/:tournamentId/participants/:participantId/disqualify
  POST   /api/v1/tournaments/:tournamentId/participants/:participantId/reinstate
  POST   /api/v1/tournaments/:tournamentId/participants/:participantId/substitute
  POST   /api/v1/projects/:projectId/developer/webhooks
  GET    /api/v1/webhooks/event-types
  GET    /api/v1/webhooks/subscriptions/:id/deliveries
  POST   /api/v1/webhooks/subscriptions/:id/circuit-breaker/reset
  POST   /api/v1/webhooks/subscriptions/:id/retry-failed
  POST   /api/v1/webhooks/subscriptions/:id/deliveries/:deliveryId/replay
  GET    /api/v1/webhooks/subscriptions/:id/analytics
  GET    /api/v1/webhooks/dashboard
  GET    /api/v1/me/registrations
  GET    /api/v1/me/matches
`
  .trim()
  .split('\n')
  .map((line) => line.trim().replace(/ +/, ' '));

const document = openApiDocument();
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]): [string, Operation] => [
    `${method.toUpperCase()} ${path}`,
    operation,
  ]),
);

test('is a valid OpenAPI 3.1 document', async () => {
  const result = await new Validator().validate(JSON.parse(openApiJson()));
  expect(result).toEqual({ valid: true });
  expect(document.openapi).toMatch(/^3\.1\./);
});

test.each(operations)('%s says what it is', (_name, operation) => {
  expect(operation.summary).toMatch(/^[A-Z][^.]+$/);
  expect(operation.description).toMatch(/\.$/);
  expect(operation.tags).toHaveLength(1);
  expect(document.tags.map(({ name }) => name)).toEqual(expect.arrayContaining(operation.tags));
  for (const { schema, example } of operation.parameters) {
    expect(schema).toBeDefined();
    if (example === undefined || !schema.type) continue;
    const type = typeof example === 'number' && Number.isInteger(example) ? /^(integer|number)$/ : typeof example;
    expect([schema.type].flat()).toEqual(expect.arrayContaining([expect.stringMatching(type)]));
  }
  for (const [status, response] of Object.entries(operation.responses)) {
    if (Number(status) < 400) continue;
    expect(response.content?.['application/json']?.schema).toEqual({ $ref: '#/components/schemas/Error' });
    expect(Object.keys(response.content?.['application/json']?.examples ?? {}).length).toBeGreaterThan(0);
  }
});

test.each(routeTable.routes.map((route) => [route.procedure, route] as const))(
  '%s takes the example that the reference sends',
  async (name, route) => {
    const operation = document.paths[route.pattern]?.[route.method.toLowerCase()] as Operation;
    const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
    for (const { description, example } of inPath) expect([description, example]).not.toContain(undefined);
    const body = operation.requestBody?.content['application/json'];
    if (body) expect(body.example, 'bodyExamples has none').toBeDefined();
    const inQuery = operation.parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
    const sent = {
      ...Object.fromEntries(inPath.map((each) => [each.name, each.example])),
      ...Object.fromEntries(inQuery.map((each) => [each.name, each.example ?? buildExample(each.schema)])),
      ...Object(body?.example),
    };
    type Defined = { _def: { inputs: ZodType[]; output?: ZodType } };
    const { inputs, output } = (appRouter._def.procedures as unknown as Record<string, Defined>)[name]?._def ?? {
      inputs: [],
    };
    for (const input of inputs) expect((await input.safeParseAsync(sent)).error).toBeUndefined();
    const answer = operation.responses[route.successStatus]?.content?.['application/json']?.schema;
    if (!answer) return;
    expect((await output?.safeParseAsync(buildExample(answer)))?.error).toBeUndefined();
    expect(JSON.stringify(buildExample(answer)).match(/"(?!type")\w+":\[?"text"/g)).toBeNull();
  },
);

test.each(Object.entries(document.webhooks))('%s comes with a whole delivery', (type, { post }) => {
  const example = post.requestBody?.content['application/json']?.example;
  const member = expect.stringMatching(/./);
  expect(example).toMatchObject({ id: member, event: { type }, data: { aggregateId: member }, signature: member });
  expect(JSON.stringify(example)).not.toContain('undefined');
});

test('tuples are lists that every tool reads', () => {
  expect(openApiJson()).not.toContain('prefixItems');
  const match = document.paths['/matches/{matchId}']?.get?.responses[200]?.content?.['application/json']?.schema;
  const slots: JsonSchema = match?.properties?.slots ?? {};
  expect(slots).toMatchObject({ type: 'array', minItems: 2, maxItems: 2, items: { type: 'object' } });
  expect(buildExample(slots)).toEqual([expect.objectContaining({ source: expect.anything() }), expect.anything()]);
});

test('every section is described', () => {
  expect(document.tags.filter(({ description }) => !description)).toEqual([]);
});

test('operation ids are unique', () => {
  const ids = operations.map(([, { operationId }]) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

test('every promised path is there as promised', () => {
  const loose = (path: string) => path.toLowerCase().replace(/:\w+/g, ':').replace(/[-_]/g, '');
  const bySound = new Map(specified.map((path) => [loose(path), path]));
  const documented = operations.map(([name]) => {
    const [method, path = ''] = name.split(' ');
    return `${method} ${restPrefix}${path.replace(/\{(\w+)\}/g, ':$1')}`;
  });
  for (const path of documented) {
    const meant = bySound.get(loose(path));
    if (meant) expect(path).toBe(meant);
  }
});

test('credentials follow the access of the procedure', () => {
  for (const route of routeTable.routes) {
    const operation = document.paths[route.pattern]?.[route.method.toLowerCase()];
    const names = operation?.security.flatMap((choice) => Object.keys(choice));
    const expected = {
      apiKey: ['apiKey'],
      user: ['bearer'],
      client: ['clientToken'],
      public: route.method === 'GET' ? ['bearer'] : [],
    };
    expect([route.procedure, names]).toEqual([route.procedure, expected[route.access]]);
  }
});

test('the data API names its refusals, headers and parameters', () => {
  const operation = document.paths['/data/tournaments/{id}']?.get as Operation;
  expect(Object.keys(operation.responses).sort()).toEqual([
    '200',
    '304',
    '400',
    '401',
    '403',
    '404',
    '429',
    '500',
    '503',
  ]);
  expect(Object.keys(operation.responses[403]?.content?.['application/json']?.examples ?? {}).sort()).toEqual([
    'PLAN_LACKS_CAPABILITY',
    'SCOPE_MISSING',
  ]);
  expect(operation.responses[429]?.headers).toHaveProperty('Retry-After');
  expect(operation.responses[200]?.headers).toHaveProperty('X-RateLimit-Reset');
  expect(operation.parameters.find(({ name }) => name === 'id')).toMatchObject({
    in: 'path',
    required: true,
    description: 'Id or slug.',
    example: 'winter-cup',
  });
});
