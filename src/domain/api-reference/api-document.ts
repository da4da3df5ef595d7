/** The part of OpenAPI 3.1 that Laurel's document uses. */

export type JsonSchema = {
  type?: string | string[];
  format?: string;
  description?: string;
  example?: unknown;
  examples?: unknown[];
  default?: unknown;
  const?: unknown;
  enum?: unknown[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  prefixItems?: JsonSchema[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  additionalProperties?: boolean | JsonSchema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  $ref?: string;
};

export type Parameter = {
  in: 'path' | 'query' | 'header';
  name: string;
  required?: boolean;
  description?: string;
  example?: unknown;
  schema: JsonSchema;
};

export type ErrorExample = { summary: string; value: unknown };

export type Response = {
  description: string;
  headers?: Record<string, unknown>;
  content?: Record<string, { schema: JsonSchema; examples?: Record<string, ErrorExample> }>;
};

export type Operation = {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, { schema: JsonSchema; example?: unknown }> };
  responses: Record<string, Response>;
};

export type ApiDocument = {
  openapi: string;
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Omit<Operation, 'parameters'> }>;
  components: Record<string, Record<string, unknown>>;
  tags: { name: string; description?: string }[];
};

/** An operation with its method and path. */
export type Endpoint = { method: string; path: string; operation: Operation };

/** The slug of a section in URLs: `api-keys` for `API keys`. */
export function sectionSlug(tag: string): string {
  return tag
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

/** The operations of a section, in the order of the document. */
export function listEndpoints(document: ApiDocument, tag: string): Endpoint[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** The JSON of a successful response, with its status; undefined where there is none. */
export function successOf({ responses }: Operation): { status: string; schema: JsonSchema } | undefined {
  const [status, response] = Object.entries(responses).find(([each]) => each.startsWith('2')) ?? [];
  const schema = response?.content?.['application/json']?.schema;
  return status && schema ? { status, schema } : undefined;
}

/** Of operations that return the same as an earlier one: the earlier one, by the id of the later. */
export function sameResponses(endpoints: readonly Endpoint[]): Map<string, Operation> {
  const firsts = new Map<string, Operation>();
  const same = new Map<string, Operation>();
  for (const { operation } of endpoints) {
    const success = successOf(operation);
    if (!success) continue;
    const fields = JSON.stringify(success.schema);
    const first = firsts.get(fields);
    if (first) same.set(operation.operationId, first);
    else firsts.set(fields, operation);
  }
  return same;
}

function alternatives(schema: JsonSchema): JsonSchema[] {
  return schema.anyOf ?? schema.oneOf ?? [];
}

/** The schema without its null alternative. */
export function withoutNull(schema: JsonSchema): JsonSchema {
  const real = alternatives(schema).filter((choice) => choice.type !== 'null');
  return real.length === 1 && real[0] ? { ...real[0], description: schema.description ?? real[0].description } : schema;
}

const pluralTypes: Record<string, string> = {
  string: 'strings',
  integer: 'integers',
  number: 'numbers',
  object: 'objects',
  timestamp: 'timestamps',
  URL: 'URLs',
  'email address': 'email addresses',
};

/** The type of a value in words: `string`, `list of integers`, `timestamp or null`. */
export function describeType(schema: JsonSchema): string {
  const options = alternatives(schema);
  if (options.length > 0) return [...new Set(options.map(describeType))].join(' or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  if (schema.type === 'array')
    return `list of ${schema.items ? (pluralTypes[describeType(schema.items)] ?? describeType(schema.items)) : 'anything'}`;
  if (schema.format === 'date-time') return 'timestamp';
  if (schema.format === 'email' || schema.format === 'uri') return schema.format === 'uri' ? 'URL' : 'email address';
  return schema.type ?? 'anything';
}

/** The limits and the default of a value, in words. */
export function describeLimits(schema: JsonSchema): string[] {
  const limits: string[] = [];
  const span = (low: number | undefined, high: number | undefined, unit: string) => {
    const shown = (value: number) => value.toLocaleString('en');
    if (low !== undefined && low === high) limits.push(`${shown(low)}${unit}`);
    else if (low !== undefined && high !== undefined) limits.push(`${shown(low)} to ${shown(high)}${unit}`);
    else if (low !== undefined && low > 0) limits.push(`at least ${shown(low)}${unit}`);
    else if (high !== undefined) limits.push(`at most ${shown(high)}${unit}`);
  };
  span(schema.minimum, schema.maximum, '');
  span(schema.minLength, schema.maxLength, ' characters');
  span(schema.minItems, schema.maxItems, ' items');
  if (schema.default !== undefined) limits.push(`default ${JSON.stringify(schema.default)}`);
  return limits;
}

function exampleString(schema: JsonSchema): string {
  if (schema.format === 'date-time') return '2026-12-05T18:00:00.000Z';
  if (schema.format === 'email') return 'player@example.com';
  if (schema.format === 'uri') return 'https://example.com/hooks';
  return 'text';
}

/** An example value for a schema. Uses the schema's own example if it has one. */
export function buildExample(schema: JsonSchema): unknown {
  if (schema.example !== undefined) return schema.example;
  if (schema.examples?.[0] !== undefined) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  const option = alternatives(schema).find((choice) => choice.type !== 'null');
  if (option) return buildExample(option);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (schema.properties || type === 'object') {
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([name, field]) => [name, buildExample(field)]),
    );
  }
  if (type === 'array') {
    const item = schema.items && buildExample(schema.items);
    return schema.items ? Array.from({ length: Math.max(schema.minItems ?? 1, 1) }, () => item) : [];
  }
  if (type === 'integer' || type === 'number') return Math.max(schema.minimum ?? 1, 1);
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  return exampleString(schema);
}

/** An example body with only the required fields. */
export function buildMinimalExample(schema: JsonSchema): unknown {
  if (!schema.properties) return buildExample(schema);
  const needed = schema.required ?? [];
  const names = needed.length > 0 ? needed : Object.keys(schema.properties).slice(0, 2);
  return Object.fromEntries(names.map((name) => [name, buildExample(schema.properties?.[name] ?? {})]));
}

/** Placeholders for credentials in code samples, written as shell variables. */
export const placeholders = { apiKey: '$LAUREL_API_KEY', bearer: '$LAUREL_TOKEN' } as const;

/** Code samples of a request, for curl and JavaScript. */
export function buildCodeSamples(
  base: string,
  { method, path, operation }: Endpoint,
): { label: string; code: string }[] {
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => {
    const parameter = operation.parameters.find((each) => each.in === 'path' && each.name === name);
    return String(parameter?.example ?? parameter?.schema.example ?? `{${name}}`);
  });
  const query = operation.parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(
      (parameter) =>
        `${parameter.name}=${encodeURIComponent(String(parameter.example ?? buildExample(parameter.schema)))}`,
    )
    .join('&');
  const url = `${base}${filled}${query ? `?${query}` : ''}`;
  const headers: [string, string][] = [];
  const needs = operation.security[0] ?? {};
  if ('apiKey' in needs) headers.push(['X-API-Key', placeholders.apiKey]);
  if ('bearer' in needs) headers.push(['Authorization', `Bearer ${placeholders.bearer}`]);
  const json = operation.requestBody?.content['application/json'];
  const body = json ? JSON.stringify(json.example ?? buildMinimalExample(json.schema), null, 2) : undefined;
  if (body) headers.push(['Content-Type', 'application/json']);

  const shell = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"${url}"`,
    ...headers.map(([name, value]) => `  -H "${name}: ${value}"`),
    ...(body ? [`  -d '${body.replaceAll("'", "'\\''")}'`] : []),
  ].join(' \\\n');
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length > 0 ? [`  headers: {\n${headers.map(([n, v]) => `    '${n}': '${v}',`).join('\n')}\n  },`] : []),
    ...(body ? [`  body: JSON.stringify(${body.replaceAll('\n', '\n  ')}),`] : []),
  ];
  const script = `const response = await fetch('${url}'${options.length > 0 ? `, {\n${options.join('\n')}\n}` : ''});\nconst body = await response.json();`;
  return [
    { label: 'curl', code: shell },
    { label: 'JavaScript', code: script },
  ];
}
