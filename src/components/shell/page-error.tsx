'use client';

import { Button, ButtonLink } from '@/components/ui/form/button';
import { ErrorState } from '@/components/ui/page/error-state';

const message =
  'Something went wrong on our side. Try again. If it keeps failing, send the code below to the administrator of this site.';

/** In place of a page that failed. */
export function PageFailure({ digest, onRetry }: { digest: string | undefined; onRetry: () => void }) {
  return (
    <ErrorState
      title="This page could not be loaded"
      message={message}
      reason="INTERNAL"
      requestId={digest}
      action={
        <>
          <Button variant="primary" onClick={onRetry}>
            Try again
          </Button>
          <ButtonLink href="/">Go to the home page</ButtonLink>
        </>
      }
    />
  );
}

/** In place of the whole document. A form reloads it, because scripts may not be there. */
export function DocumentFailure({ digest }: { digest: string | undefined }) {
  return (
    <ErrorState
      title="Laurel could not be loaded"
      message={message}
      reason="INTERNAL"
      requestId={digest}
      action={
        <form>
          <Button type="submit" variant="primary">
            Try again
          </Button>
        </form>
      }
    />
  );
}
