import type { Metadata } from 'next';
import { loadProject } from '@/app/dashboard/load-project';
import { PageHeader } from '@/components/ui/page/page-header';
import { SubscriptionForm } from '@/components/webhooks/form/subscription-form';
import { Hydrate, prefetch, trpc } from '@/trpc/server';

export const metadata: Metadata = { title: 'New webhook' };

export default async function NewWebhookPage({ params }: { params: Promise<{ project: string }> }) {
  const { project } = await loadProject((await params).project);
  const base = `/dashboard/${project.slug}/webhooks`;
  await prefetch(trpc.webhooks.eventTypes.queryOptions({ limit: 100 }));
  return (
    <>
      <PageHeader back={{ href: base, label: 'Webhooks' }} title="New webhook" />
      <Hydrate>
        <SubscriptionForm projectId={project.id} base={base} />
      </Hydrate>
    </>
  );
}
