'use client';

import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { type DeskPage, type DeskRow, deskInput, nextPage } from '@/components/tournaments/desk/queries';
import { useTRPC } from '@/trpc/client';

/** The rows of all pages. A row that moved between requests can be on two pages; the later one is newer. */
function uniqueRows(pages: DeskPage[] | undefined): DeskRow[] {
  return [...new Map(pages?.flatMap(({ items }) => items.map((row) => [row.id, row]))).values()];
}

/** Loads every participant of a tournament, page after page, so that views, search and sorting need no requests. */
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

  /** Refetches every page. @returns the current rows */
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

  /** Applies a change to the cached rows until they are refetched. */
  function patchRows(ids: ReadonlySet<string>, change: Partial<DeskRow>) {
    updateCachedRows((row) => (ids.has(row.id) ? { ...row, ...change, actions: [] } : row));
  }

  /** Restores cached rows after an optimistic change failed. */
  function restoreRows(before: readonly DeskRow[]) {
    const earlier = new Map(before.map((row) => [row.id, row]));
    if (earlier.size > 0) updateCachedRows((row) => earlier.get(row.id) ?? row);
  }

  return {
    query,
    rows,
    patchRows,
    restoreRows,
    refetchRows,
    complete: query.isSuccess && !hasNextPage,
  };
}

export type LoadedParticipants = ReturnType<typeof useParticipants>;
