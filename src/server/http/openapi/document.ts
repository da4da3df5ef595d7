import { STATUS_CODES } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { generateOpenApiDocument } from 'trpc-openapi';
import type { ApiDocument, JsonSchema, Operation, Parameter, Response } from '@/domain/api-reference/api-document';
import { capabilityWords } from '@/domain/projects/plans';
import { publicUrl } from '@/env';
import { eventTypes } from '@/server/events/catalog/catalog';
import { errorResponses, errorSchema, limitHeaders } from '@/server/http/openapi/errors';
import { bodyExamples, fieldExamples, pathParameters } from '@/server/http/openapi/examples';
import { introduction, tagDescriptions } from '@/server/http/openapi/text';
import { deliverySchema, describeWebhook } from '@/server/http/openapi/webhooks';
import { isCacheable } from '@/server/http/rest/caching';
import { hasBody, type Route, restPrefix, routeTable } from '@/server/http/rest/routes';
import { appRouter } from '@/server/routers/_app';

/**
 * Removes the patterns of timestamps and email addresses and the bounds of every safe integer, which tell a reader
 * nothing.
 */
function tidy(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const schema = value as JsonSchema;
  if (schema.format === 'date-time' || schema.format === 'email') delete schema.pattern;
  if (schema.type === 'integer' && schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.type === 'integer' && schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  for (const item of Object.values(value)) tidy(item);
}

/** Writes a tuple of equal members as a list of so many: linters, generators and our reference do not read `prefixItems`. */
function simplifyTuples(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const schema = value as JsonSchema;
  const [first, ...others] = schema.prefixItems ?? [];
  if (first && others.every((other) => isDeepStrictEqual(other, first))) {
    delete schema.prefixItems;
    schema.items = first;
  }
  for (const item of Object.values(value)) simplifyTuples(item);
}

/** Adds examples by field name to strings and numbers that have none, so that no sample shows a placeholder. */
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

const idempotencyKey = header('Idempotency-Key', 'Makes retries safe: the first response is sent again for 24 hours.', {
  type: 'string',
  pattern: '^[ -~]{1,255}$',
});
const ifNoneMatch = header('If-None-Match', 'An `ETag` you received; 304 while nothing has changed.', {
  type: 'string',
});
const ifMatch = header('If-Match', 'The `version` you read; 412 if it has changed since.', {
  type: 'string',
  pattern: '^(\\*|"?[0-9]{1,9}"?)$',
});

function parameters(route: Route, generated: Parameter[] = []): Parameter[] {
  const described = generated.map(({ schema, ...parameter }) => {
    const { description: _description, example: _example, ...rest } = schema;
    const known = parameter.in === 'path' ? pathParameters[parameter.name] : undefined;
    // trpc-openapi drops what an optional field says of itself.
    const { description, example } = route.input.get(parameter.name) ?? {};
    const own = { ...(description ? { description } : {}), ...(example === undefined ? {} : { example }) };
    return { ...parameter, ...known, ...own, schema: rest };
  });
  return [
    ...described,
    ...(route.method === 'POST' && route.access !== 'public' ? [idempotencyKey] : []),
    ...(isCacheable(route) ? [ifNoneMatch] : []),
    ...(route.meta.errors?.includes('VERSION_MISMATCH') ? [ifMatch] : []),
  ];
}

function security({ access, method }: Route): Operation['security'] {
  if (access === 'apiKey') return [{ apiKey: [] }];
  if (access === 'user') return [{ bearer: [] }];
  if (access === 'client') return [{ clientToken: [] }];
  return method === 'GET' ? [{}, { bearer: [] }] : [];
}

function description({ meta }: Route, generated: string | undefined): string | undefined {
  const needs = [
    meta.scope ? `The key needs the scope \`${meta.scope}\`.` : '',
    meta.capability ? `The project's plan must include ${capabilityWords[meta.capability]}.` : '',
  ];
  return [generated, needs.join(' ').trim()].filter(Boolean).join('\n\n') || undefined;
}

function successHeaders(route: Route): Record<string, unknown> {
  const reference = (name: string) => ({ $ref: `#/components/headers/${name}` });
  return {
    'X-Request-Id': reference('X-Request-Id'),
    ...(isCacheable(route) ? { ETag: reference('ETag') } : {}),
    ...(route.method === 'POST' ? { 'Idempotent-Replayed': reference('Idempotent-Replayed') } : {}),
    ...(route.access === 'apiKey' ? limitHeaders : {}),
  };
}

function responses(route: Route, generated: Response | undefined): Record<string, Response> {
  const { successStatus } = route;
  const { contentType } = route.meta;
  const json = generated?.content;
  const text = contentType && json && { [contentType]: { schema: json['application/json']?.schema ?? {} } };
  const content = hasBody(successStatus) ? text || json : undefined;
  return {
    [successStatus]: {
      description: STATUS_CODES[successStatus] ?? 'Success',
      headers: successHeaders(route),
      ...(content ? { content } : {}),
    },
    ...(isCacheable(route) ? { 304: { description: 'Not changed since the `ETag` you sent.' } } : {}),
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

function describeOperation(route: Route, generated: Operation): Operation {
  const { operationId, summary, tags } = generated;
  const text = description(route, generated.description);
  const tag = tags[0] ?? '';
  // trpc-openapi places every success under 200.
  const success = generated.responses[200];
  exemplify(generated.requestBody?.content['application/json']?.schema, tag);
  exemplify(success?.content?.['application/json']?.schema, tag);
  return {
    operationId,
    summary,
    ...(text ? { description: text } : {}),
    tags,
    security: security(route),
    parameters: parameters(route, generated.parameters),
    ...(generated.requestBody ? { requestBody: requestBody(operationId, generated.requestBody) } : {}),
    responses: responses(route, success),
  };
}

const components = {
  securitySchemes: {
    bearer: { type: 'http', scheme: 'bearer', description: 'Access token or personal access token.' },
    clientToken: { type: 'http', scheme: 'bearer', description: 'Token of an enrolled anti-cheat client.' },
    apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'API key of a project.' },
  },
  headers: {
    'X-Request-Id': {
      description: 'The id of the request: the one you sent, or a generated one.',
      schema: { type: 'string' },
    },
    ETag: { description: 'Changes with the response.', schema: { type: 'string' } },
    'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
    'Idempotent-Replayed': {
      description: '`true` when this is the kept response to an earlier request.',
      schema: { type: 'string' },
    },
    'X-RateLimit-Limit': { description: 'Requests that the key may make in a minute.', schema: { type: 'integer' } },
    'X-RateLimit-Remaining': { description: 'Requests left now.', schema: { type: 'integer' } },
    'X-RateLimit-Reset': {
      description: 'When the next request is allowed, in Unix seconds.',
      schema: { type: 'integer' },
    },
  },
  schemas: { Error: errorSchema, WebhookDelivery: deliverySchema },
};

/** The sections in the order of their descriptions; those without one come last. */
function listTags(operations: Operation[]): ApiDocument['tags'] {
  const used = new Set(operations.flatMap(({ tags }) => tags));
  const described = Object.keys(tagDescriptions).filter((tag) => used.has(tag));
  const names = new Set([...described, ...used, 'Events']);
  return [...names].map((name) => ({ name, description: tagDescriptions[name] ?? '' }));
}

function build(): ApiDocument {
  const generated = generateOpenApiDocument(appRouter, {
    title: 'Laurel',
    version: '1',
    description: introduction,
    baseUrl: `${publicUrl}${restPrefix}`,
  }) as unknown as ApiDocument;

  simplifyTuples(generated.paths);

  const paths: ApiDocument['paths'] = {};
  for (const route of routeTable.routes) {
    const method = route.method.toLowerCase();
    const operation = generated.paths[route.pattern]?.[method];
    if (!operation) throw new Error(`${route.method} ${route.pattern} is missing from the document`);
    paths[route.pattern] = { ...paths[route.pattern], [method]: describeOperation(route, operation) };
  }
  const document = {
    ...generated,
    paths,
    webhooks: Object.fromEntries(eventTypes.map((type) => [type, describeWebhook(type)])),
    components,
    tags: listTags(Object.values(paths).flatMap((methods) => Object.values(methods))),
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
