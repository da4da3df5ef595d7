'use client';

import './globals.css';
import { Button } from '@/components/ui/form/button';
import { ErrorState } from '@/components/ui/page/error-state';

/**
 * Stands in for the whole document when the root layout itself fails. A form asks for the page again, since scripts may
 * not have arrived.
 */
export default function GlobalError({ error }: { error: Error & { digest?: string } }) {
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
              <form>
                <Button type="submit" variant="primary">
                  Try again
                </Button>
              </form>
            }
          />
        </main>
      </body>
    </html>
  );
}
