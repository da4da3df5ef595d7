import type { Metadata } from 'next';
import {
  AddressNotAllowed,
  loadSubscription,
  subscriptionTitle,
} from '@/app/dashboard/[project]/webhooks/load-subscription';
import { PageHeader } from '@/components/ui/page/page-header';
import { SubscriptionForm } from '@/components/webhooks/form/subscription-form';
import { Hydrate, prefetch, trpc } from '@/trpc/server';

export async function generateMetadata({
  params,
}: {
  params: Promise<{ project: string; id: string }>;
}): Promise<Metadata> {
  return subscriptionTitle(await params, { path: '/edit', prefix: 'Edit ' });
}

export default async function EditWebhookPage({ params }: { params: Promise<{ project: string; id: string }> }) {
  const { base, project, subscription } = await loadSubscription(await params, '/edit');
  if (!subscription) return <AddressNotAllowed base={base} />;
  await prefetch(trpc.webhooks.eventTypes.queryOptions({ limit: 100 }));
  return (
    <>
      <PageHeader
        back={{ href: `${base}/${subscription.id}`, label: subscription.description || 'Webhook' }}
        title="Edit webhook"
        description={<span className="wrap-anywhere">{subscription.url}</span>}
      />
      <Hydrate>
        <SubscriptionForm projectId={project.id} base={base} subscription={subscription} />
      </Hydrate>
    </>
  );
}
