import type { Metadata } from 'next';
import { connection } from 'next/server';
import { Wordmark } from '@/components/shell/logo';
import { ButtonLink } from '@/components/ui/form/button';

export const metadata: Metadata = { title: 'Not found' };

export default async function NotFound() {
  // A page made beforehand has no nonce, without which its scripts do not run.
  await connection();
  return (
    <main id="main" className="mx-auto grid min-h-[70dvh] max-w-lg content-center justify-items-start gap-4 px-6 py-12">
      <Wordmark className="mb-4" />
      <h1 className="display text-3xl">There is nothing at this address</h1>
      <p className="text-base text-muted">
        It may have been removed, or it may not be public. If someone sent you the link, ask them whether you need an
        invitation.
      </p>
      <div className="flex flex-wrap gap-3 pt-2">
        <ButtonLink href="/tournaments" variant="primary">
          See tournaments
        </ButtonLink>
        <ButtonLink href="/">Go to the start</ButtonLink>
      </div>
    </main>
  );
}
