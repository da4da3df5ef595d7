'use client';

import './globals.css';
import { Button } from '@/components/ui/button';
import { ErrorState } from '@/components/ui/error-state';

/** Stands in for the whole document when the root layout itself fails. */
export default function GlobalError({ error, retry }: { error: Error & { digest?: string }; retry: () => void }) {
  return (
    <html lang="en">
      <head>
        <title>Laurel could not be shown</title>
      </head>
      <body>
        <main className="mx-auto w-full max-w-2xl px-4 py-12">
          <ErrorState
            title="Laurel could not be shown"
            message="Something failed on our side. Try again; if it stays, send the code below to whoever runs this site."
            reason="INTERNAL"
            requestId={error.digest}
            action={
              <Button variant="primary" onClick={() => retry()}>
                Try again
              </Button>
            }
          />
        </main>
      </body>
    </html>
  );
}
