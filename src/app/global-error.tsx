'use client';

import './globals.css';
import dynamic from 'next/dynamic';

const DocumentFailure = dynamic(() => import('@/components/shell/page-error').then((module) => module.DocumentFailure));

/** Replaces the whole document when the root layout fails. */
export default function GlobalError({ error }: { error: Error & { digest?: string } }) {
  return (
    <html lang="en">
      <head>
        <title>Laurel could not be loaded</title>
      </head>
      <body>
        <main className="mx-auto w-full max-w-2xl px-4 py-12">
          <DocumentFailure digest={error.digest} />
        </main>
      </body>
    </html>
  );
}
