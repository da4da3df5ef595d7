import type { inferRouterOutputs } from '@trpc/server';
import type { AppRouter } from '@/server/routers/_app';

/** What each procedure answers: `RouterOutputs['tournaments']['get']`. */
export type RouterOutputs = inferRouterOutputs<AppRouter>;
