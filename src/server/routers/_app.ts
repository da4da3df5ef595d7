import type { ZodType } from 'zod';
import { antiCheatRouter } from '@/server/routers/anticheat/router';
import { meRouter } from '@/server/routers/auth/me';
import { authRouter } from '@/server/routers/auth/router';
import { dataRouter } from '@/server/routers/data/router';
import { matchesRouter } from '@/server/routers/matches/router';
import { participantsRouter } from '@/server/routers/participants/router';
import { projectsRouter } from '@/server/routers/projects/router';
import { teamsRouter } from '@/server/routers/teams/router';
import { tournamentsRouter } from '@/server/routers/tournaments/router';
import { webhooksRouter } from '@/server/routers/webhooks/router';
import { router } from '@/server/trpc';
import { boundIssues } from '@/server/trpc-input';

export const appRouter = router({
  auth: authRouter,
  me: meRouter,
  data: dataRouter,
  projects: projectsRouter,
  teams: teamsRouter,
  tournaments: tournamentsRouter,
  participants: participantsRouter,
  matches: matchesRouter,
  webhooks: webhooksRouter,
  antiCheat: antiCheatRouter,
});

const procedures = appRouter._def.procedures as unknown as Record<string, { _def: { inputs: ZodType[] } }>;
for (const { _def } of Object.values(procedures)) for (const input of _def.inputs) boundIssues(input);

export type AppRouter = typeof appRouter;
