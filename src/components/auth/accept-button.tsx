import type { ReactNode } from 'react';
import { Button } from '@/components/ui/form/button';
import { ErrorNote } from '@/components/ui/page/error-state';
import { readError } from '@/trpc/errors';

type Accept = {
  mutate: (input: { token: string }) => void;
  error: unknown;
  isPending: boolean;
  isSuccess: boolean;
};

/** Accepts what the link of this page offers; stays busy until the next page has loaded. */
export function AcceptButton({ accept, token, children }: { accept: Accept; token: string; children: ReactNode }) {
  const error = accept.error ? readError(accept.error) : null;
  return (
    <div className="grid gap-4">
      {error ? <ErrorNote message={error.message} reason={error.reason} requestId={error.requestId} /> : null}
      <Button
        variant="primary"
        size="lg"
        loading={accept.isPending || accept.isSuccess}
        onClick={() => accept.mutate({ token })}
      >
        <span className="max-w-64 truncate">{children}</span>
      </Button>
    </div>
  );
}
