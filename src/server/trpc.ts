import { initTRPC } from '@trpc/server';
import type { OpenApiMeta } from 'trpc-openapi';
import { transformer } from '@/domain/network/transformer';
import type { Permission } from '@/domain/projects/permissions';
import { type Capability, plans } from '@/domain/projects/plans';
import { type Scope, scopeTerms } from '@/domain/projects/scopes';
import type { ProjectRole } from '@/generated/prisma/enums';
import type { AuthUser } from '@/server/auth/bearer';
import { setAside } from '@/server/compiled';
import type { Context } from '@/server/context';
import { describeError, type Reason, refuse } from '@/server/errors';
import type { Origin } from '@/server/events/emit';
import type { QuotaName } from '@/server/limits/quotas';
import { countWrite } from '@/server/limits/writes';
import { readInput } from '@/server/trpc-input';

/**
 * `openapi` places a procedure on REST; `status` is its success code there when not 200; `errors` are the reasons it
 * can refuse with beyond those that its kind always can, for the API reference. The builders set what comes after.
 */
export type RouteMeta = OpenApiMeta & {
  status?: number;
  errors?: readonly Reason[];
  /** Of a success on REST whose output is text of that type; JSON unless given. */
  contentType?: string;
  access?: 'public' | 'user' | 'apiKey' | 'client';
  /** Reasons that the builder itself refuses with. */
  gate?: readonly Reason[];
  /** Whether the caller's address must be confirmed. */
  confirmed?: boolean;
  /** Quotas that it takes from. */
  quotas?: readonly QuotaName[];
  scope?: Scope;
  capability?: Capability;
  /** It reads or changes a whole draw, or makes one of a file, or reads everybody on all rosters, or writes all games, or brings rounds back: for a large tournament a worker thread does it. */
  wholeDraw?: boolean | 'of a file' | 'with rosters' | 'with rosters and games' | 'with games and rounds';
  /** Calls that arrive together are written by few statements, so that one takes no connection of the database to itself. */
  batched?: boolean;
  /** Calls that arrive together read by one statement, so that a turn for each would cost more than it saves. */
  shared?: boolean;
};

/** How a subscription and its client find that the connection between them is broken, in ms. */
export const streamTimes = { pingMs: 15_000, reconnectAfterInactivityMs: 40_000 };

const t = initTRPC
  .context<Context>()
  .meta<RouteMeta>()
  .create({
    transformer: {
      input: { serialize: transformer.serialize, deserialize: readInput },
      output: { ...transformer, serialize: (output: unknown) => transformer.serialize(setAside(output)) },
    },
    sse: {
      ping: { enabled: true, intervalMs: streamTimes.pingMs },
      client: { reconnectAfterInactivityMs: streamTimes.reconnectAfterInactivityMs },
    },
    errorFormatter({ shape, error, ctx }) {
      const { reason, status, message, issues, retryAfter } = describeError(error);
      const { stack: _stack, ...data } = shape.data;
      return {
        ...shape,
        message,
        data: { ...data, httpStatus: status, reason, issues, retryAfter, requestId: ctx?.requestId },
      };
    },
  });

export const router = t.router;
export const createCallerFactory = t.createCallerFactory;

const admittedStream = t.middleware(async ({ ctx, type, next }) => {
  if (type === 'subscription') await ctx.admitStream();
  return next();
});

/** Anyone; `ctx.user()` tells who, if someone. On REST its GETs may be called from any origin. */
export const publicProcedure = t.procedure.meta({ access: 'public' }).use(admittedStream);

const bearerOnly = t.middleware(async ({ ctx, type, meta, next }) => {
  const user = await ctx.requireUser();
  // The feed of a match has a limit of its own, by which a script may post for many matches at once.
  if (type === 'mutation' && !meta?.quotas?.includes('matchEvents')) await countWrite(user.id);
  const session = { id: user.id, sessionVersion: user.sessionVersion };
  const by: Origin = { ...ctx.origin({ type: 'user', id: user.id }), session };
  return next({ ctx: { actingUser: user satisfies AuthUser, by } });
});

/** A signed-in person: `ctx.actingUser`, and `ctx.by` for events and audit, which check that the session has not ended since. */
export const userProcedure = t.procedure.meta({ access: 'user' }).use(bearerOnly).use(admittedStream);

/** Refuses accounts that could belong to anyone. @throws EMAIL_NOT_CONFIRMED */
export function requireConfirmed(user: AuthUser): void {
  if (!user.emailVerified) throw refuse('EMAIL_NOT_CONFIRMED');
}

/** A signed-in person whose address is confirmed: for what reaches or is read by other people. */
export const confirmedProcedure = userProcedure.meta({ confirmed: true }).use(({ ctx, next }) => {
  requireConfirmed(ctx.actingUser);
  return next();
});

declare const scoped: unique symbol;
/** A project that a gate has admitted the caller to. Only gates create one. */
export type TenantScope = { projectId: string; role: ProjectRole } & { readonly [scoped]: true };

/**
 * Creates the scope of an admitted caller, and the origin of their changes, which holds them to the permission until they
 * commit. For `gate.ts` files only; the structure check holds that.
 */
export function openScope(
  ctx: { by: Origin; actingUser: AuthUser },
  admitted: { projectId: string; role: ProjectRole; permission: Permission },
): { scope: TenantScope; by: Origin } {
  const { projectId, role, permission } = admitted;
  const right = { projectId, userId: ctx.actingUser.id, permission };
  return { scope: { projectId, role } as TenantScope, by: { ...ctx.by, right } };
}

/** What gates build on: a signed-in person, whose access to a project the gate still has to check. */
export const memberProcedure = userProcedure.meta({ gate: ['NOT_FOUND', 'FORBIDDEN'] });

/** An API key with the scope, in a project whose plan includes what the scope needs. */
export function apiKeyProcedure(scope: Scope) {
  const capability = scopeTerms[scope].capability ?? undefined;
  return t.procedure.meta({ access: 'apiKey', scope, capability }).use(async ({ ctx, next }) => {
    const key = await ctx.requireKey();
    if (capability && !plans[key.plan].capabilities.includes(capability)) throw refuse('PLAN_LACKS_CAPABILITY');
    if (!key.scopes.includes(scope)) {
      throw refuse('SCOPE_MISSING', { message: `This API key does not have the scope ${scope}.` });
    }
    return next({ ctx: { key, by: ctx.origin({ type: 'api_key', id: key.id }) } });
  });
}

/** An enrolled anti-cheat client, by the token it was given: `ctx.client`. */
export const clientProcedure = t.procedure
  .meta({ access: 'client' })
  .use(async ({ ctx, next }) => next({ ctx: { client: await ctx.requireClient() } }));
