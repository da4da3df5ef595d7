import 'server-only';

import { dehydrate, type FetchQueryOptions, HydrationBoundary } from '@tanstack/react-query';
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query';
import { headers } from 'next/headers';
import { notFound, redirect } from 'next/navigation';
import { cache, type ReactNode } from 'react';
import type { AuthUser } from '@/server/auth/bearer';
import { sessionUser } from '@/server/auth/session';
import { createContext } from '@/server/context';
import { describeError } from '@/server/errors';
import { callerStore } from '@/server/http/caller-address';
import { takeRequestId } from '@/server/http/request-id';
import { appRouter } from '@/server/routers/_app';
import { createCallerFactory } from '@/server/trpc';
import { makeQueryClient } from '@/trpc/query-client';

const requestContext = cache(async () => {
  const incoming = await headers();
  const caller = callerStore.getStore();
  return createContext({
    requestId: takeRequestId(incoming.get('x-request-id') ?? undefined),
    ip: caller?.ip ?? '127.0.0.1',
    signal: caller?.signal,
    transport: 'server',
    sessionUser: viewer,
    setHeader: () => undefined,
  });
});

/** The signed-in user, or null. Looked up once per request; a suspended account counts as signed out. */
export const viewer = cache(async (): Promise<AuthUser | null> => {
  const user = await sessionUser(await headers());
  return user?.suspended ? null : user;
});

/** The signed-in user. Everyone else is sent to the sign-in page, and back to `returnTo` afterwards. */
export async function requireViewer(returnTo: string): Promise<AuthUser> {
  return (await viewer()) ?? redirect(`/sign-in?next=${encodeURIComponent(returnTo)}`);
}

/** Calls procedures from a page: `await (await api()).tournaments.get({…})`, with all their checks. */
export async function api() {
  return createCallerFactory(appRouter)(await requestContext());
}

/** The query client of the request. `Hydrate` sends what was fetched into it to the browser. */
export const queryClient = cache(makeQueryClient);

/** Query options for `prefetch`. The client component uses the same options from `useTRPC()`. */
export const trpc = createTRPCOptionsProxy({ ctx: requestContext, router: appRouter, queryClient });

/**
 * Fetches into the query client of the request. Awaited, the first paint has the data; not awaited, it streams in behind a
 * Suspense boundary. The component fetches again after an error, and shows it.
 */
export async function prefetch<Data, Failure, Result, Key extends readonly unknown[]>(
  options: FetchQueryOptions<Data, Failure, Result, Key>,
): Promise<void> {
  await queryClient().prefetchQuery(options);
}

/** Passes what was prefetched to the client components inside it. */
export function Hydrate({ children }: { children: ReactNode }) {
  return <HydrationBoundary state={dehydrate(queryClient())}>{children}</HydrationBoundary>;
}

/** Whether an address names nothing: there is no such thing, or there cannot be, as with a token of a thousand characters. */
function namesNothing(error: unknown): boolean {
  return [400, 404].includes(describeError(error).status);
}

/** The result, or null when there is no such thing. Throws other errors. */
export async function orNull<Result>(result: Promise<Result>): Promise<Result | null> {
  try {
    return await result;
  } catch (error) {
    if (namesNothing(error)) return null;
    throw error;
  }
}

/** The error code, such as `NOT_FOUND`; `INTERNAL` for unexpected errors. */
export function reasonOf(error: unknown): string {
  return describeError(error).reason;
}

/** The result. What is not there shows the not-found page, and a 401 the sign-in page. Throws other errors. */
export async function orPage<Result>(result: Promise<Result>, returnTo = '/'): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    if (namesNothing(error)) notFound();
    if (describeError(error).status === 401) redirect(`/sign-in?next=${encodeURIComponent(returnTo)}`);
    throw error;
  }
}
