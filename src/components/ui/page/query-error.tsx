'use client';

import { Button } from '@/components/ui/form/button';
import { ErrorState } from '@/components/ui/page/error-state';
import { readError } from '@/trpc/errors';

/** Replaces a part of a page whose query failed, with a button that retries it. */
export function QueryError({
  title,
  query,
}: {
  title: string;
  query: { error: unknown; refetch: () => unknown; isFetching: boolean };
}) {
  const error = readError(query.error);
  return (
    <ErrorState
      title={title}
      message={error.message}
      reason={error.reason}
      requestId={error.requestId}
      action={
        <Button onClick={() => void query.refetch()} loading={query.isFetching}>
          Try again
        </Button>
      }
    />
  );
}
