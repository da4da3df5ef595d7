import type { inferRouterOutputs } from '@trpc/server';
import type { AppRouter } from '@/server/routers/_app';

/** What procedures answer, by path: `Outputs['tournaments']['get']`. */
export type Outputs = inferRouterOutputs<AppRouter>;
