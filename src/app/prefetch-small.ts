import type { FetchQueryOptions, QueryClient } from '@tanstack/react-query';
import { makeQueryClient } from '@/trpc/query-client';

/** Five times what fifty ordinary events of a match, or lines of its thread, have. */
const maxValues = 5_000;
const maxCharacters = 65_536;

/** Whether some data has more values, or more characters in its texts and keys, than are rendered in a few milliseconds. */
function isLarge(data: unknown): boolean {
  let values = 0;
  let characters = 0;
  const countText = (text: string) => {
    characters += text.length;
    return characters > maxCharacters;
  };
  // Stops at the first that is too much.
  const count = (value: unknown): boolean => {
    values += 1;
    if (values > maxValues) return true;
    if (typeof value === 'string') return countText(value);
    if (Array.isArray(value)) return value.some(count);
    if (typeof value !== 'object' || value === null) return false;
    return Object.entries(value).some(([key, inner]) => countText(key) || count(inner));
  };
  return count(data);
}

/**
 * Fetches into the query client of the request like `prefetch`, unless there is much: then the browser fetches it. To render it
 * and send it with the page would hold up everybody else's requests.
 */
export async function prefetchSmall<Data, Failure, Result, Key extends readonly unknown[]>(
  client: QueryClient,
  options: FetchQueryOptions<Data, Failure, Result, Key>,
): Promise<void> {
  // A client of its own: that of the request would stream to the browser what it still waits for.
  const own = makeQueryClient();
  await own.prefetchQuery(options);
  const data = own.getQueryData(options.queryKey);
  if (data !== undefined && !isLarge(data)) client.setQueryData(options.queryKey, data);
}
