import type { Metadata } from 'next';
import {
  AddressNotAllowed,
  loadSubscription,
  subscriptionTitle,
} from '@/app/dashboard/[project]/webhooks/load-subscription';
import { deliveriesPerPage } from '@/components/webhooks/page-sizes';
import { SubscriptionDetail } from '@/components/webhooks/subscriptions/subscription-detail';
import { Hydrate, prefetch, queryClient, trpc } from '@/trpc/server';

export async function generateMetadata({
  params,
}: {
  params: Promise<{ project: string; id: string }>;
}): Promise<Metadata> {
  return subscriptionTitle(await params);
}

export default async function WebhookPage({ params }: { params: Promise<{ project: string; id: string }> }) {
  const { base, subscription } = await loadSubscription(await params);
  if (!subscription) return <AddressNotAllowed base={base} />;
  const { id } = subscription;
  queryClient().setQueryData(trpc.webhooks.subscriptions.read.queryKey({ id }), subscription);
  await Promise.all([
    prefetch(trpc.webhooks.insight.queryOptions({ id })),
    prefetch(trpc.webhooks.deliveries.list.queryOptions({ id, page: 1, limit: deliveriesPerPage })),
  ]);
  return (
    <Hydrate>
      <SubscriptionDetail id={id} base={base} />
    </Hydrate>
  );
}
