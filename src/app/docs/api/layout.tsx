import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { CredentialsProvider } from '@/components/docs/credentials';
import { DocsNav } from '@/components/docs/docs-nav';
import { SiteShell } from '@/components/shell/site-shell';
import { sectionSlug } from '@/domain/api-reference/api-document';
import { apiReference } from '@/trpc/reference';
import { viewer } from '@/trpc/server';

export const metadata: Metadata = {
  title: { default: 'API reference', template: '%s · Laurel API' },
  description: 'The REST API of Laurel: every endpoint with its parameters, responses and errors.',
};

export default async function DocsLayout({ children }: { children: ReactNode }) {
  const sections = apiReference().tags.filter(({ name }) => name !== 'Events');
  const links = [
    { href: '/docs/api', label: 'Introduction' },
    ...sections.map(({ name }) => ({ href: `/docs/api/${sectionSlug(name)}`, label: name })),
    { href: '/docs/api/receiving', label: 'Receiving webhooks' },
    { href: '/docs/api/events', label: 'Webhook events' },
    { href: '/docs/api/errors', label: 'Error codes' },
  ];
  return (
    <SiteShell viewer={await viewer()} width="full">
      <div className="mx-auto grid w-full max-w-6xl gap-x-12 gap-y-6 px-4 pt-8 sm:px-6 sm:pt-10 lg:grid-cols-[10rem_minmax(0,1fr)]">
        <DocsNav links={links} />
        <div className="min-w-0">
          <CredentialsProvider>{children}</CredentialsProvider>
        </div>
      </div>
    </SiteShell>
  );
}
