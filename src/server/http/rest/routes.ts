import type { AnyTRPCRouter } from '@trpc/server';
import {
  acceptsRequestBody,
  forEachOpenApiProcedure,
  getInputOutputParsers,
  getPathParameters,
  type OpenApiMethod,
  type OpenApiProcedure,
} from 'trpc-openapi';
import { z } from 'zod';
import type { JsonSchema } from '@/domain/api-reference/api-document';
import type { Context } from '@/server/context';
import { callerOf } from '@/server/http/rest/procedure-call';
import { appRouter } from '@/server/routers/_app';
import type { RouteMeta } from '@/server/trpc';

export const restPrefix = '/api/v1';

/** A procedure and its place on REST. */
export type Route = {
  method: OpenApiMethod;
  /** As in the document, for example `/tournaments/{tournamentId}`; also the label in logs and metrics. */
  pattern: string;
  /** Dotted path of the procedure. */
  procedure: string;
  access: NonNullable<RouteMeta['access']>;
  successStatus: number;
  /** Names of the parameters in `pattern`, in order. */
  pathParameters: string[];
  /** Whether the input comes in the body rather than in the query string. */
  takesBody: boolean;
  /** The fields of the input by name, path parameters included. */
  input: ReadonlyMap<string, JsonSchema>;
  meta: RouteMeta;
  /** Runs the procedure on the input as the caller sent it, and returns its output. */
  call: (context: Context, input: Record<string, unknown>) => Promise<unknown>;
};

/** Whether HTTP lets a response with this success status have a body. */
export function hasBody(successStatus: number): boolean {
  return successStatus !== 204 && successStatus !== 205;
}

/**
 * Whether all calls wait for the turn of their network, or of the project of their key, and can be one too many. What is read in some
 * routes is read by shared statements, but for what turns out to be large.
 */
export const takesTurns = ({ meta }: Route): boolean => !meta.shared;

/** A path of the REST interface with its routes by method. */
export type RestPath = { pattern: string; byMethod: ReadonlyMap<string, Route> };

export type RouteTable = {
  routes: Route[];
  /** Finds a path below `/api/v1`, given without that prefix, and the values of its parameters in order. */
  findPath: (path: string) => { found: RestPath; values: string[] } | null;
};

/** What a procedure takes, by field. */
function inputFields(procedure: OpenApiProcedure): Map<string, JsonSchema> {
  const { inputParser } = getInputOutputParsers(procedure);
  const { properties } = z.toJSONSchema(inputParser, { io: 'input', unrepresentable: 'any' });
  return new Map(Object.entries(properties ?? {}) as [string, JsonSchema][]);
}

function listRoutes(router: AnyTRPCRouter): Route[] {
  const routes: Route[] = [];
  forEachOpenApiProcedure<RouteMeta>(router._def.procedures, ({ path: name, type, procedure, meta }) => {
    const { method, path: pattern } = meta.openapi;
    if (!meta.access) throw new Error(`Procedure ${name} does not say who has access`);
    if (type === 'subscription') throw new Error(`Procedure ${name} is a subscription, which REST does not have`);
    const successStatus = meta.status ?? 200;
    if (successStatus < 200 || successStatus > 299) {
      throw new Error(`Procedure ${name} succeeds with ${successStatus}, which is not a success status`);
    }
    routes.push({
      method,
      pattern,
      procedure: name,
      access: meta.access,
      successStatus,
      pathParameters: getPathParameters(pattern),
      takesBody: acceptsRequestBody(method),
      input: inputFields(procedure),
      meta,
      call: callerOf(router._def.procedures[name], name),
    });
  });
  return routes;
}

type IndexedPath = { pattern: string; expression: RegExp; byMethod: Map<string, Route> };

function groupByPath(routes: Route[]): IndexedPath[] {
  const paths = new Map<string, IndexedPath>();
  for (const route of routes) {
    const { method, pattern } = route;
    const key = pattern.replace(/\{\w+\}/g, '{}');
    const expression = new RegExp(`^${pattern.replaceAll('.', '\\.').replace(/\{\w+\}/g, '([^/]+)')}$`);
    const path = paths.get(key) ?? { pattern, expression, byMethod: new Map() };
    if (path.byMethod.has(method)) throw new Error(`Two procedures for ${method} ${pattern}`);
    path.byMethod.set(method, route);
    paths.set(key, path);
  }
  return [...paths.values()];
}

/** Where patterns overlap, the one with text is tried before the one with a parameter. */
function compareSpecificity(a: IndexedPath, b: IndexedPath): number {
  const sortable = ({ pattern }: IndexedPath) => pattern.replace(/\{\w+\}/g, '\uffff');
  return sortable(a) < sortable(b) ? -1 : 1;
}

const countSegments = (path: string) => path.split('/').length;

/** The REST routes of a router. */
export function createRouteTable(router: AnyTRPCRouter): RouteTable {
  const routes = listRoutes(router);
  const bySegments = new Map<number, IndexedPath[]>();
  for (const path of groupByPath(routes).sort(compareSpecificity)) {
    const count = countSegments(path.pattern);
    bySegments.set(count, [...(bySegments.get(count) ?? []), path]);
  }
  return {
    routes,
    findPath(path) {
      for (const candidate of bySegments.get(countSegments(path)) ?? []) {
        const match = candidate.expression.exec(path);
        if (match) return { found: candidate, values: match.slice(1) };
      }
      return null;
    },
  };
}

/** The routes of the product. */
export const routeTable = createRouteTable(appRouter);
