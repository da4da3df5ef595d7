'use client';

import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { type DeskPage, type DeskRow, deskInput, nextPage } from '@/components/tournaments/desk/queries';
import { useTRPC } from '@/trpc/client';

/** The rows of all pages. One may stand on two when it moved between the readings: the later is newer. */
function uniqueRows(pages: DeskPage[] | undefined): DeskRow[] {
  return [...new Map(pages?.flatMap(({ items }) => items.map((row) => [row.id, row]))).values()];
}

/** Every entrant of a tournament, page after page without being asked, so that lists, search and order cost no request. */
export function useParticipants(tournamentId: string) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const options = trpc.participants.desk.infiniteQueryOptions(deskInput(tournamentId), {
    getNextPageParam: nextPage,
  });
  const query = useInfiniteQuery(options);
  const { hasNextPage, isFetching, isError, fetchNextPage } = query;

  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);

  const rows = useMemo(() => uniqueRows(query.data?.pages), [query.data]);

  /** Reads every page again. @returns what stands there now */
  async function refetchRows(): Promise<DeskRow[]> {
    const { data } = await query.refetch({ throwOnError: true });
    return uniqueRows(data?.pages);
  }

  function updateCachedRows(changed: (row: DeskRow) => DeskRow) {
    void queryClient.cancelQueries({ queryKey: options.queryKey });
    queryClient.setQueryData<InfiniteData<DeskPage, string | null>>(
      options.queryKey,
      (data) =>
        data && {
          ...data,
          pages: data.pages.map((page) => ({
            ...page,
            items: page.items.map(changed),
          })),
        },
    );
  }

  /** Shows a change before the server has been read again. */
  function patch(ids: ReadonlySet<string>, change: Partial<DeskRow>) {
    updateCachedRows((row) => (ids.has(row.id) ? { ...row, ...change, actions: [] } : row));
  }

  /** Shows rows as they were, where a change that was shown has not happened. */
  function restoreRows(before: readonly DeskRow[]) {
    const earlier = new Map(before.map((row) => [row.id, row]));
    if (earlier.size > 0) updateCachedRows((row) => earlier.get(row.id) ?? row);
  }

  return {
    query,
    rows,
    patch,
    putBack: restoreRows,
    readFresh: refetchRows,
    complete: query.isSuccess && !hasNextPage,
  };
}

export type LoadedParticipants = ReturnType<typeof useParticipants>;
