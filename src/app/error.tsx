'use client';

import { Button, ButtonLink } from '@/components/ui/form/button';
import { ErrorState } from '@/components/ui/page/error-state';

export default function PageError({ error, retry }: { error: Error & { digest?: string }; retry: () => void }) {
  return (
    <div className="mx-auto w-full max-w-2xl px-4 py-12">
      <ErrorState
        title="This page could not be loaded"
        message="Something went wrong on our side. Try again. If it keeps failing, send the code below to whoever runs this site."
        reason="INTERNAL"
        requestId={error.digest}
        action={
          <>
            <Button variant="primary" onClick={() => retry()}>
              Try again
            </Button>
            <ButtonLink href="/">Go to the home page</ButtonLink>
          </>
        }
      />
    </div>
  );
}
