import { defaultShouldDehydrateQuery, isServer, QueryClient } from '@tanstack/react-query';
import superjson from 'superjson';
import { readError } from '@/trpc/errors';

/** A query client for one browser, or for one request on the server. */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // What the server rendered is fresh, and live pages learn about changes through subscriptions.
        staleTime: 30_000,
        // While a page is rendered on the server, a retry would only delay the response.
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
