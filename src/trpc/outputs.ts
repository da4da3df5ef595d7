import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { AppRouter } from '@/server/routers/_app';

/** What procedures answer, by path: `Outputs['tournaments']['get']`. */
export type Outputs = inferRouterOutputs<AppRouter>;
/** What procedures take, by path. */
export type Inputs = inferRouterInputs<AppRouter>;
