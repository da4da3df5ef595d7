import type { ZodObject } from 'zod';
import { appRouter } from '@/server/routers/_app';
import type { RouteMeta } from '@/server/trpc';

type Procedure = { _def: { type: 'query' | 'mutation' | 'subscription'; meta?: RouteMeta; inputs: ZodObject[] } };
export const procedures = appRouter._def.procedures as unknown as Record<string, Procedure | undefined>;

export const metaOf = (name: string): RouteMeta => procedures[name]?._def.meta ?? {};

/**
 * Of a query what tRPC reads, written in the one way that everything reads alike: what decides whose turn a request takes must
 * not see another request than tRPC does.
 */
export function plainQuery(query: string): string {
  const sent = new URLSearchParams(query);
  const kept = ['batch', 'input'].flatMap((name) => {
    const value = sent.get(name);
    return value === null ? [] : [[name, value]];
  });
  return new URLSearchParams(kept).toString();
}

/** Whether a request calls several procedures, as tRPC decides it. */
export const isBatch = (query: string): boolean => new URLSearchParams(query).get('batch') === '1';

/** The procedures that a request calls. */
export const calledBy = (path: string, query: string): string[] => (isBatch(query) ? path.split(',') : [path]);

/** As which kind of request a call counts: what names no procedure, callers make up. */
export const kindOf = (name: string): string => (procedures[name] ? name : '');
