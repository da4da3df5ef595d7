import type { Metadata } from 'next';
import { connection } from 'next/server';
import { Wordmark } from '@/components/shell/logo';
import { buttonClass } from '@/components/ui/form/button';

export const metadata: Metadata = { title: 'Not found' };

export default async function NotFound() {
  // A prerendered page has no nonce, and without one its scripts do not run.
  await connection();
  return (
    <main id="main" className="mx-auto grid min-h-[70dvh] max-w-lg content-center justify-items-start gap-4 px-6 py-12">
      <Wordmark className="mb-4" />
      <h1 className="display text-3xl">Page not found</h1>
      <p className="text-base text-muted">
        It may have been deleted, or it may not be public. If someone sent you the link, ask them whether you need an
        invitation.
      </p>
      {/* Every page loads this boundary, so its links are plain ones. */}
      <div className="flex flex-wrap gap-3 pt-2">
        <a href="/tournaments" className={buttonClass({ variant: 'primary' })}>
          Browse tournaments
        </a>
        <a href="/" className={buttonClass({})}>
          Go to the home page
        </a>
      </div>
    </main>
  );
}
