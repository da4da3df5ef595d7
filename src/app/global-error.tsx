'use client';

import './globals.css';
import { Button } from '@/components/ui/form/button';
import { ErrorState } from '@/components/ui/page/error-state';

/** Replaces the whole document when the root layout fails. A form reloads the page, because scripts may not be there. */
export default function GlobalError({ error }: { error: Error & { digest?: string } }) {
  return (
    <html lang="en">
      <head>
        <title>Laurel could not be loaded</title>
      </head>
      <body>
        <main className="mx-auto w-full max-w-2xl px-4 py-12">
          <ErrorState
            title="Laurel could not be loaded"
            message="Something went wrong on our side. Try again. If it keeps failing, send the code below to whoever runs this site."
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
