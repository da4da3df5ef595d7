'use client';

import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createTRPCClient, httpBatchLink, httpSubscriptionLink, splitLink } from '@trpc/client';
import { createTRPCContext } from '@trpc/tanstack-react-query';
import { type ReactNode, useState } from 'react';
import { maxBatchSize } from '@/domain/network/batches';
import { transformer } from '@/domain/network/transformer';
import { observeServerTime } from '@/domain/time/server-clock';
import type { AppRouter } from '@/server/routers/_app';
import { makeQueryClient } from '@/trpc/query-client';

const context = createTRPCContext<AppRouter>();

/** Query and mutation options of every procedure: `useQuery(trpc.tournaments.list.queryOptions({…}))`. */
export const useTRPC = context.useTRPC;
/** The plain client, for calls outside React Query. */
export const useTRPCClient = context.useTRPCClient;

const path = '/api/trpc';
let browserClient: QueryClient | undefined;

function queryClient(): QueryClient {
  if (typeof window === 'undefined') return makeQueryClient();
  // One for the lifetime of the page: React discards state when it suspends during the first render.
  browserClient ??= makeQueryClient();
  return browserClient;
}

async function timedFetch(input: RequestInfo | URL | string, init?: RequestInit): Promise<Response> {
  const sentAt = Date.now();
  const response = await fetch(input, init);
  observeServerTime(response.headers.get('date'), sentAt, Date.now());
  return response;
}

function makeClient() {
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: (operation) => operation.type === 'subscription',
        true: httpSubscriptionLink({ url: path, transformer }),
        false: httpBatchLink({
          url: path,
          transformer,
          maxURLLength: 4_000,
          maxItems: maxBatchSize,
          fetch: (input, init) => timedFetch(input, init as RequestInit),
        }),
      }),
    ],
  });
}

/** Provides queries, mutations and subscriptions to the client components inside it. */
export function ApiProvider({ children }: { children: ReactNode }) {
  const client = queryClient();
  const [trpcClient] = useState(makeClient);
  return (
    <QueryClientProvider client={client}>
      <context.TRPCProvider trpcClient={trpcClient} queryClient={client}>
        {children}
      </context.TRPCProvider>
    </QueryClientProvider>
  );
}
