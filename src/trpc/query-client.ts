import { defaultShouldDehydrateQuery, isServer, QueryClient } from '@tanstack/react-query';
import superjson from 'superjson';
import { readError } from '@/trpc/errors';

/** A query client for one browser, or for one request on the server. */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // What the server rendered is fresh; live pages are told of changes by subscriptions.
        staleTime: 30_000,
        // A page that is being made answers at once with what it got.
        retry: (failures, error) => !isServer && failures < 2 && readError(error).status >= 500,
      },
      mutations: { retry: false },
      dehydrate: {
        serializeData: superjson.serialize,
        shouldDehydrateQuery: (query) => defaultShouldDehydrateQuery(query) || query.state.status === 'pending',
      },
      hydrate: { deserializeData: superjson.deserialize },
    },
  });
}
