import { type AnyTRPCProcedure, callTRPCProcedure } from '@trpc/server';
import { z } from 'zod';
import type { Context } from '@/server/context';
import { refuse } from '@/server/errors';
import { appRouter } from '@/server/routers/_app';
import type { RouteMeta } from '@/server/trpc';

export const restPrefix = '/api/v1';

/** How a query string's text becomes what the schema expects. */
type QueryKind = 'number' | 'boolean' | 'date' | 'text';
type QueryField = { kind: QueryKind; array: boolean };

export type Route = {
  method: string;
  /** As in the document, for example `/tournaments/{tournamentId}`; also the label in logs and metrics. */
  pattern: string;
  /** Dotted path of the procedure. */
  procedure: string;
  access: NonNullable<RouteMeta['access']>;
  successStatus: number;
  params: string[];
  /** Input fields that come in the query string of a GET or DELETE. */
  query: Record<string, QueryField>;
  meta: RouteMeta;
  /** Whether there is anything to get wrong; an id in the path can be too long. */
  hasInput: boolean;
  /** What the input fields say of themselves, by name. */
  fields: Record<string, { description?: string; example?: unknown }>;
};

type Def = {
  type: 'query' | 'mutation' | 'subscription';
  meta?: RouteMeta;
  inputs: unknown[];
  output?: unknown;
};

function definition(procedure: AnyTRPCProcedure): Def {
  return procedure._def as unknown as Def;
}

type Shaped = { _zod: { def: { type: string; [key: string]: unknown } } };

function isSchema(value: unknown): value is Shaped {
  return typeof value === 'object' && value !== null && '_zod' in value;
}

/** The schema inside optional, default, nullable and transformed ones. */
function inner(schema: unknown): Shaped | null {
  if (!isSchema(schema)) return null;
  const { def } = schema._zod;
  if ('innerType' in def) return inner(def.innerType);
  if (def.type === 'pipe') return inner(def.in);
  return schema;
}

function queryField(schema: unknown): QueryField {
  const plain = inner(schema);
  const type = plain?._zod.def.type;
  if (plain && type === 'array') return { ...queryField(plain._zod.def.element), array: true };
  if (type === 'number' || type === 'int') return { kind: 'number', array: false };
  if (type === 'boolean' || type === 'date') return { kind: type, array: false };
  return { kind: 'text', array: false };
}

/** The fields of all inputs of a procedure. */
function inputShape(inputs: unknown[]): Record<string, Shaped> {
  return Object.assign({}, ...inputs.map((input) => inner(input)?._zod.def.shape ?? {}));
}

/** What a field or the schema inside it says of itself. */
function describe(schema: unknown): { description?: string; example?: unknown } {
  if (!isSchema(schema)) return {};
  const { description, example } = z.globalRegistry.get(schema as unknown as z.ZodType) ?? {};
  const { def } = schema._zod;
  const within = describe(def.innerType ?? (def.type === 'pipe' ? def.in : undefined));
  return { ...within, ...(description ? { description } : {}), ...(example === undefined ? {} : { example }) };
}

function readValue(kind: QueryKind, text: string): unknown {
  if (kind === 'number') return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  if (kind === 'boolean')
    return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : text;
  if (kind === 'date') return /^\d{4}-\d\d-\d\d/.test(text) ? new Date(text) : text;
  return text;
}

function unstorable(path: string) {
  return refuse('VALIDATION_FAILED', { issues: [{ path, message: 'Text may not contain NUL characters.' }] });
}

/**
 * The query string in the types that the route's schema names; what does not fit stays text and fails validation.
 * Each value is in an array of one, as the adapter wants it, which would drop a bare 0, false or empty text.
 */
export function readQuery(route: Route, query: string): Record<string, [unknown]> {
  const values: Record<string, [unknown]> = {};
  if (query === '') return values;
  const search = new URLSearchParams(query);
  for (const name of new Set(search.keys())) {
    const field = Object.hasOwn(route.query, name) ? route.query[name] : undefined;
    if (!field) continue;
    if (search.getAll(name).some((text) => text.includes('\0'))) throw unstorable(name);
    const all = search.getAll(name).map((text) => readValue(field.kind, text));
    values[name] = [field.array || all.length > 1 ? all : all[0]];
  }
  return values;
}

const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, AnyTRPCProcedure>).filter(
  ([, procedure]) => definition(procedure).meta?.openapi,
);

function paramsOf(pattern: string): string[] {
  return [...pattern.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
}

function toRoute(name: string, { type, meta, inputs }: Def): Route {
  const openapi = meta?.openapi;
  if (!openapi || !meta.access) throw new Error(`Procedure ${name} has no route or no access`);
  if (type === 'subscription') throw new Error(`Procedure ${name}: a subscription cannot be a REST route`);
  const shape = Object.entries(inputShape(inputs));
  const params = paramsOf(openapi.path);
  return {
    method: openapi.method,
    pattern: openapi.path,
    procedure: name,
    access: meta.access,
    successStatus: meta.status ?? 200,
    params,
    query: Object.fromEntries(shape.map(([field, schema]) => [field, queryField(schema)])),
    meta,
    hasInput: shape.length > 0,
    fields: Object.fromEntries(shape.map(([field, schema]) => [field, describe(schema)])),
  };
}

export const routes: Route[] = procedures.map(([name, procedure]) => toRoute(name, definition(procedure)));

/** One path with its methods. Where patterns overlap, the one with text wins over the one with a parameter. */
type Place = { pattern: string; expression: RegExp; byMethod: Map<string, Route> };

function textFirst(a: string, b: string): number {
  const sortable = (pattern: string) => pattern.replace(/\{\w+\}/g, '\uffff');
  return sortable(a) < sortable(b) ? -1 : 1;
}

function places(): Map<number, Place[]> {
  const byPattern = new Map<string, Place>();
  for (const route of routes) {
    const key = route.pattern.replace(/\{\w+\}/g, '{}');
    const expression = new RegExp(`^${route.pattern.replace(/\{\w+\}/g, '([^/]+)')}$`);
    const place = byPattern.get(key) ?? { pattern: route.pattern, expression, byMethod: new Map() };
    if (place.byMethod.has(route.method)) throw new Error(`Two procedures for ${route.method} ${route.pattern}`);
    place.byMethod.set(route.method, route);
    byPattern.set(key, place);
  }
  const byLength = new Map<number, Place[]>();
  for (const place of [...byPattern.values()].sort((a, b) => textFirst(a.pattern, b.pattern))) {
    const length = place.pattern.split('/').length;
    byLength.set(length, [...(byLength.get(length) ?? []), place]);
  }
  return byLength;
}

const table = places();

/**
 * The procedures at a path below `/api/v1`, by method; null when there is no such path.
 * `path` is the part after the prefix.
 */
export function findPlace(path: string): { pattern: string; byMethod: Map<string, Route> } | null {
  const candidates = table.get(path.split('/').length);
  return candidates?.find((place) => place.expression.test(path)) ?? null;
}

/** A procedure's name where the adapter would take dots apart. */
const flat = (name: string) => name.replaceAll('.', '/');

/** Calls procedures by their flat names, without the proxies of tRPC's own caller. */
class FlatCaller {
  constructor(readonly ctx: Context) {}
}
for (const [name, procedure] of procedures) {
  const { type } = definition(procedure);
  Object.defineProperty(FlatCaller.prototype, flat(name), {
    get(this: FlatCaller) {
      return (input: unknown) =>
        callTRPCProcedure({
          router: appRouter,
          path: name,
          getRawInput: async () => input,
          ctx: this.ctx,
          type,
          signal: undefined,
          batchIndex: 0,
        });
    },
  });
}

/**
 * The routers as the adapter sees them: same procedures, inputs reduced to the path's parameters. It would otherwise
 * coerce bodies and, to do so, change schemas in place; `readQuery` reads query strings without either.
 */
export function routerForAdapter(): typeof appRouter {
  const facade = Object.fromEntries(
    [...procedures]
      .sort(([, a], [, b]) => textFirst(patternOf(a), patternOf(b)))
      .map(([name, procedure]) => {
        const { type, meta, output } = definition(procedure);
        const pathInput = z.object(Object.fromEntries(paramsOf(patternOf(procedure)).map((key) => [key, z.string()])));
        return [flat(name), { _def: { type, meta, inputs: [pathInput], output } }];
      }),
  );
  return Object.assign(Object.create(null), appRouter, {
    _def: { ...appRouter._def, procedures: facade },
    createCaller: (ctx: Context) => new FlatCaller(ctx),
  }) as typeof appRouter;
}

function patternOf(procedure: AnyTRPCProcedure): string {
  return definition(procedure).meta?.openapi?.path ?? '';
}
