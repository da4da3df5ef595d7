import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { AppRouter } from '@/server/routers/_app';

/** What procedures answer, by path: `Outputs['tournaments']['get']`. */
export type Outputs = inferRouterOutputs<AppRouter>;
/** What procedures take, by path, as a caller writes it. */
export type Inputs = inferRouterInputs<AppRouter>;
