import { notFound } from 'next/navigation';
import { loadProject } from '@/app/dashboard/load-project';
import { PageHeader } from '@/components/ui/page-header';
import { SubscriptionForm } from '@/components/webhooks/form/subscription-form';
import { api, Hydrate, orPage, prefetch, trpc } from '@/trpc/server';

export default async function EditWebhookPage({ params }: { params: Promise<{ project: string; id: string }> }) {
  const { project: slug, id } = await params;
  const { project } = await loadProject(slug);
  const base = `/dashboard/${project.slug}/webhooks`;
  const subscription = await orPage((await api()).webhooks.subscriptions.read({ id }), `${base}/${id}/edit`);
  if (subscription.projectId !== project.id) notFound();
  await prefetch(trpc.webhooks.eventTypes.queryOptions({ limit: 100 }));
  return (
    <>
      <PageHeader
        back={{ href: `${base}/${id}`, label: subscription.description || 'Webhook' }}
        title="Edit webhook"
        description={<span className="wrap-anywhere">{subscription.url}</span>}
      />
      <Hydrate>
        <SubscriptionForm projectId={project.id} base={base} subscription={subscription} />
      </Hydrate>
    </>
  );
}
