import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { AppRouter } from '@/server/routers/_app';

/** What procedures return, by path: `Outputs['tournaments']['get']`. */
export type Outputs = inferRouterOutputs<AppRouter>;
/** What procedures accept, by path, before parsing. */
export type Inputs = inferRouterInputs<AppRouter>;
