import { defaultShouldDehydrateQuery, isServer, QueryClient } from '@tanstack/react-query';
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
      // Data goes to the browser as React sends any object, whatever its keys: others write some, such as `constructor`.
      dehydrate: {
        shouldDehydrateQuery: (query) => defaultShouldDehydrateQuery(query) || query.state.status === 'pending',
      },
    },
  });
}
