import type { Metadata } from 'next';
import { connection } from 'next/server';
import { Wordmark } from '@/components/shell/logo';
import { ButtonLink } from '@/components/ui/form/button';

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
      <div className="flex flex-wrap gap-3 pt-2">
        <ButtonLink href="/tournaments" variant="primary">
          Browse tournaments
        </ButtonLink>
        <ButtonLink href="/">Go to the home page</ButtonLink>
      </div>
    </main>
  );
}
