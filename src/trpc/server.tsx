import 'server-only';

import { dehydrate, type FetchQueryOptions, HydrationBoundary } from '@tanstack/react-query';
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query';
import { headers } from 'next/headers';
import { notFound, redirect } from 'next/navigation';
import { cache, type ReactNode } from 'react';
import { newId } from '@/domain/ids';
import type { AuthUser } from '@/server/auth/bearer';
import { sessionUser } from '@/server/auth/session';
import { createContext } from '@/server/context';
import { describeError } from '@/server/errors';
import { callerStore } from '@/server/http/caller-address';
import { appRouter } from '@/server/routers/_app';
import { createCallerFactory } from '@/server/trpc';
import { makeQueryClient } from '@/trpc/query-client';

const requestContext = cache(async () => {
  const incoming = await headers();
  return createContext({
    requestId: incoming.get('x-request-id') ?? newId('req'),
    ip: callerStore.getStore() ?? '127.0.0.1',
    transport: 'server',
    sessionUser: viewer,
    setHeader: () => undefined,
  });
});

/** Who looks at the page, or null. Looked up once a request; a suspended account counts as signed out. */
export const viewer = cache(async (): Promise<AuthUser | null> => {
  const user = await sessionUser(await headers());
  return user?.suspended ? null : user;
});

/** Who looks at the page; sends anyone else to sign in and back to `returnTo` afterwards. */
export async function requireViewer(returnTo: string): Promise<AuthUser> {
  return (await viewer()) ?? redirect(`/sign-in?next=${encodeURIComponent(returnTo)}`);
}

/** Calls procedures from a page: `await (await api()).tournaments.get({…})`, with all their checks. */
export async function api() {
  return createCallerFactory(appRouter)(await requestContext());
}

/** The request's query client; what is fetched into it reaches the browser through `Hydrate`. */
export const queryClient = cache(makeQueryClient);

/** Query options for `prefetch`; the client component asks with the same from `useTRPC()`. */
export const trpc = createTRPCOptionsProxy({ ctx: requestContext, router: appRouter, queryClient });

/**
 * Fetches into the request's query client. Awaited: the first paint has the data. Not awaited: it streams in behind a
 * Suspense boundary. A refusal is left to the component, which asks again and shows it.
 */
export async function prefetch<Data, Failure, Result, Key extends readonly unknown[]>(
  options: FetchQueryOptions<Data, Failure, Result, Key>,
): Promise<void> {
  await queryClient().prefetchQuery(options);
}

/** Hands what was prefetched to the client components inside it. */
export function Hydrate({ children }: { children: ReactNode }) {
  return <HydrationBoundary state={dehydrate(queryClient())}>{children}</HydrationBoundary>;
}

/** The result, or null where a refusal says 404: there is none for this viewer. Others throw. */
export async function orNull<Result>(result: Promise<Result>): Promise<Result | null> {
  try {
    return await result;
  } catch (error) {
    if (describeError(error).status === 404) return null;
    throw error;
  }
}

/** The code of a refused call, such as `NOT_FOUND`; what is no refusal is `INTERNAL`. */
export function reasonOf(error: unknown): string {
  return describeError(error).reason;
}

/** The result, or the page that fits a refusal: 404 becomes not-found, 401 sign-in (back to `returnTo`). Others throw. */
export async function orPage<Result>(result: Promise<Result>, returnTo = '/'): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    const { status } = describeError(error);
    if (status === 404) notFound();
    if (status === 401) redirect(`/sign-in?next=${encodeURIComponent(returnTo)}`);
    throw error;
  }
}
