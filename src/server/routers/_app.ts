import { meRouter } from '@/server/routers/auth/me';
import { authRouter } from '@/server/routers/auth/router';
import { projectsRouter } from '@/server/routers/projects/router';
import { router } from '@/server/trpc';

export const appRouter = router({
  auth: authRouter,
  me: meRouter,
  projects: projectsRouter,
});

export type AppRouter = typeof appRouter;
