import type { ZodType } from 'zod';
import { appRouter } from '@/server/routers/_app';
import type { RouteMeta } from '@/server/trpc';

type Procedure = { _def: { type: 'query' | 'mutation' | 'subscription'; meta?: RouteMeta; inputs: ZodType<object>[] } };
export const procedures = appRouter._def.procedures as unknown as Record<string, Procedure | undefined>;

export const metaOf = (name: string): RouteMeta => procedures[name]?._def.meta ?? {};

/** Whether a request calls several procedures, as tRPC decides it. */
export const isBatch = (query: string): boolean => new URLSearchParams(query).get('batch') === '1';

/** The procedures that a request calls. */
export const calledBy = (path: string, query: string): string[] => (isBatch(query) ? path.split(',') : [path]);
