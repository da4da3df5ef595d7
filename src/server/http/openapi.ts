import { generateOpenApiDocument } from 'trpc-openapi';
import type { ApiDocument, JsonSchema, Operation, Parameter, Response } from '@/domain/api-reference/api-document';
import { publicUrl } from '@/env';
import { exampleDelivery } from '@/server/delivery/rules';
import { eventCatalogue, eventTypes, payloadSchema } from '@/server/events/catalog';
import { errorResponses, errorSchema, limitHeaders } from '@/server/http/openapi-errors';
import { bodyExamples, fieldExamples, pathParameters } from '@/server/http/openapi-examples';
import { introduction, tagDescriptions } from '@/server/http/openapi-text';
import { type Route, restPrefix, routes } from '@/server/http/routes';
import { appRouter } from '@/server/routers/_app';

/** Takes out what says nothing: the pattern of a timestamp, and the bounds that every safe integer has. */
function tidy(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const schema = value as JsonSchema;
  if (schema.format === 'date-time' || schema.format === 'email') delete schema.pattern;
  if (schema.type === 'integer' && schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.type === 'integer' && schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  for (const item of Object.values(value)) tidy(item);
}

/** Gives texts and numbers without an example of their own one by their name, so that no sample shows a filler. */
function exemplify(schema: JsonSchema | undefined, tag: string, name = ''): void {
  if (!schema || [schema.example, schema.examples, schema.const, schema.enum].some((own) => own !== undefined)) return;
  const example = fieldExamples[`${tag}.${name}`] ?? fieldExamples[name];
  const wanted = typeof example === 'number' ? /^(integer|number)$/ : /^string$/;
  const fits = [schema.type].flat().some((type) => wanted.test(type ?? '')) && schema.format === undefined;
  if (fits && example !== undefined) schema.example = example;
  for (const [field, value] of Object.entries(schema.properties ?? {})) exemplify(value, tag, field);
  for (const choice of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) exemplify(choice, tag, name);
  exemplify(schema.items, tag, name);
}

const header = (name: string, description: string, schema: JsonSchema): Parameter => ({
  in: 'header',
  name,
  required: false,
  description,
  schema,
});

const idempotencyKey = header(
  'Idempotency-Key',
  'Makes repeating safe: the first answer is given again for 24 hours.',
  {
    type: 'string',
    pattern: '^[ -~]{1,255}$',
  },
);
const ifNoneMatch = header('If-None-Match', 'An `ETag` you have; 304 while nothing has changed.', { type: 'string' });
const ifMatch = header('If-Match', 'The `version` you read; 412 when it has changed since.', {
  type: 'string',
  pattern: '^(\\*|"?[0-9]{1,9}"?)$',
});

function parameters(route: Route, generated: Parameter[] | undefined): Parameter[] {
  const described = (generated ?? []).map(({ schema, ...parameter }) => {
    const { description: _description, example: _example, ...rest } = schema;
    const known = parameter.in === 'path' ? pathParameters[parameter.name] : undefined;
    return { ...parameter, ...known, ...route.fields[parameter.name], schema: rest };
  });
  return [
    ...described,
    ...(route.method === 'POST' ? [idempotencyKey] : []),
    ...(route.method === 'GET' && route.access !== 'user' ? [ifNoneMatch] : []),
    ...(route.meta.errors?.includes('VERSION_MISMATCH') ? [ifMatch] : []),
  ];
}

function security({ access, method }: Route): Operation['security'] {
  if (access === 'apiKey') return [{ apiKey: [] }];
  if (access === 'user') return [{ bearer: [] }];
  return method === 'GET' ? [{}, { bearer: [] }] : [];
}

function description({ meta }: Route, generated: string | undefined): string | undefined {
  const plan = { dataApi: 'the data API', antiCheat: 'anti-cheat' } as const;
  const needs = [
    meta.scope ? `The key needs the scope \`${meta.scope}\`.` : '',
    meta.capability ? `The project's plan must include ${plan[meta.capability]}.` : '',
  ];
  return [generated, needs.join(' ').trim()].filter(Boolean).join('\n\n') || undefined;
}

function successHeaders(route: Route): Record<string, unknown> {
  const reference = (name: string) => ({ $ref: `#/components/headers/${name}` });
  return {
    'X-Request-Id': reference('X-Request-Id'),
    ...(route.method === 'GET' && route.access !== 'user' ? { ETag: reference('ETag') } : {}),
    ...(route.method === 'POST' ? { 'Idempotent-Replayed': reference('Idempotent-Replayed') } : {}),
    ...(route.access === 'apiKey' ? limitHeaders : {}),
  };
}

function responses(route: Route, generated: Response | undefined): Record<string, Response> {
  const { successStatus } = route;
  const content = successStatus === 204 ? undefined : generated?.content;
  const known = route.method === 'GET' && route.access !== 'user';
  return {
    [successStatus]: {
      description: successStatus === 201 ? 'Created' : successStatus === 204 ? 'Done' : 'OK',
      headers: successHeaders(route),
      ...(content ? { content } : {}),
    },
    ...(known ? { 304: { description: 'Not changed since the `ETag` you sent.' } } : {}),
    ...(errorResponses(route) as Record<string, Response>),
  };
}

/** A body is required only where one of its fields is: a POST without one is valid elsewhere. */
function requestBody(id: string, generated: NonNullable<Operation['requestBody']>): Operation['requestBody'] {
  const json = generated.content['application/json'];
  if (!json) return generated;
  const example = bodyExamples[id];
  return {
    ...generated,
    required: Boolean(json.schema.required?.length),
    content: { 'application/json': { ...json, ...(example ? { example } : {}) } },
  };
}

function operation(route: Route, generated: Operation): Operation {
  const text = description(route, generated.description);
  const tag = generated.tags[0] ?? '';
  exemplify(generated.requestBody?.content['application/json']?.schema, tag);
  exemplify(generated.responses[200]?.content?.['application/json']?.schema, tag);
  return {
    operationId: generated.operationId,
    summary: generated.summary,
    ...(text ? { description: text } : {}),
    tags: generated.tags,
    security: security(route),
    parameters: parameters(route, generated.parameters),
    ...(generated.requestBody ? { requestBody: requestBody(generated.operationId, generated.requestBody) } : {}),
    responses: responses(route, generated.responses[200]),
  };
}

const text = (value: string): JsonSchema => ({ type: 'string', description: value });
const integer = (value: string): JsonSchema => ({ type: 'integer', description: value });
const object = (properties: Record<string, JsonSchema>, absent: string[] = []): JsonSchema => ({
  type: 'object',
  required: Object.keys(properties).filter((name) => !absent.includes(name)),
  properties,
});

/** What a receiver of webhooks is sent; `data.payload` depends on the type. */
const deliverySchema = object(
  {
    id: text('Identifies the delivery attempt, not the event.'),
    event: object({
      id: text('The event. Use it to recognise a repeated delivery.'),
      type: text('One of the event types.'),
      timestamp: { type: 'string', format: 'date-time' },
      version: integer("Version of the payload's shape."),
    }),
    data: object({
      aggregateId: text('What the event is about.'),
      aggregateType: text('Kind of that, for example `tournament`.'),
      payload: { type: 'object' },
      metadata: { type: 'object' },
    }),
    webhook: object({
      subscriptionId: text('The subscription that this was sent for.'),
      attempt: integer('Counted from 1.'),
      isRetry: { type: 'boolean' },
    }),
    signature: text('Hex HMAC-SHA256 of this body without this member. Absent where nothing is signed.'),
  },
  ['signature'],
);

function webhook(type: (typeof eventTypes)[number]): ApiDocument['webhooks'][string] {
  const { description, version, aggregateType } = eventCatalogue[type];
  const narrowed = {
    type: 'object',
    properties: {
      event: { type: 'object', properties: { type: { const: type }, version: { const: version } } },
      data: { type: 'object', properties: { aggregateType: { const: aggregateType }, payload: payloadSchema(type) } },
    },
  };
  const schema = { allOf: [{ $ref: '#/components/schemas/WebhookDelivery' }, narrowed] };
  return {
    post: {
      operationId: `event-${type}`,
      summary: type,
      description,
      tags: ['Events'],
      security: [],
      requestBody: { content: { 'application/json': { schema, example: exampleDelivery(type) } } },
      responses: { '2XX': { description: 'Any 2xx means received. Anything else is tried again.' } },
    },
  };
}

const components = {
  securitySchemes: {
    bearer: { type: 'http', scheme: 'bearer', description: 'Access token or personal access token.' },
    apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'Key of a project.' },
  },
  headers: {
    'X-Request-Id': { description: 'The id of the request, yours or ours.', schema: { type: 'string' } },
    ETag: { description: 'Changes with the answer.', schema: { type: 'string' } },
    'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
    'Idempotent-Replayed': { description: '`true` when this is a kept answer.', schema: { type: 'string' } },
    'X-RateLimit-Limit': { description: 'Requests a minute of the key.', schema: { type: 'integer' } },
    'X-RateLimit-Remaining': { description: 'Requests left at this moment.', schema: { type: 'integer' } },
    'X-RateLimit-Reset': { description: 'Unix seconds when the next place is free.', schema: { type: 'integer' } },
  },
  schemas: { Error: errorSchema, WebhookDelivery: deliverySchema },
};

function build(): ApiDocument {
  const generated = generateOpenApiDocument(appRouter, {
    title: 'Laurel',
    version: '1',
    description: introduction,
    baseUrl: `${publicUrl}${restPrefix}`,
  }) as unknown as ApiDocument;

  const paths: ApiDocument['paths'] = {};
  for (const route of routes) {
    const method = route.method.toLowerCase();
    const made = generated.paths[route.pattern]?.[method];
    if (!made) throw new Error(`${route.method} ${route.pattern} is missing from the document`);
    paths[route.pattern] = { ...paths[route.pattern], [method]: operation(route, made) };
  }
  const used = new Set(Object.values(paths).flatMap((path) => Object.values(path).flatMap(({ tags }) => tags)));
  const known = Object.keys(tagDescriptions);
  const inPaths = known.filter((tag) => used.has(tag));
  const order = [...inPaths, ...[...used].filter((tag) => !known.includes(tag)), 'Events'];
  const document = {
    ...generated,
    paths,
    webhooks: Object.fromEntries(eventTypes.map((type) => [type, webhook(type)])),
    components,
    tags: order.map((name) => ({ name, description: tagDescriptions[name] ?? '' })),
  };
  tidy(document);
  return document;
}

let built: ApiDocument | undefined;
let json: string | undefined;

/** The OpenAPI 3.1 document, generated from the routers once. */
export function openApiDocument(): ApiDocument {
  built ??= build();
  return built;
}

export function openApiJson(): string {
  json ??= JSON.stringify(openApiDocument());
  return json;
}
