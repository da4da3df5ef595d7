'use client';

import dynamic from 'next/dynamic';

// Every page has this boundary, and hardly any needs what it shows.
const PageFailure = dynamic(() => import('@/components/shell/page-error').then((module) => module.PageFailure));

export default function PageError({ error, retry }: { error: Error & { digest?: string }; retry: () => void }) {
  return (
    <div className="mx-auto w-full max-w-2xl px-4 py-12">
      <PageFailure digest={error.digest} onRetry={() => retry()} />
    </div>
  );
}
