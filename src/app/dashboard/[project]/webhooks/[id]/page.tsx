import { notFound } from 'next/navigation';
import { loadProject } from '@/app/dashboard/load-project';
import { deliveriesLimit } from '@/components/webhooks/limits';
import { SubscriptionDetail } from '@/components/webhooks/subscription-detail';
import { api, Hydrate, orPage, prefetch, queryClient, trpc } from '@/trpc/server';

export default async function WebhookPage({ params }: { params: Promise<{ project: string; id: string }> }) {
  const { project: slug, id } = await params;
  const { project } = await loadProject(slug);
  const base = `/dashboard/${project.slug}/webhooks`;
  const subscription = await orPage((await api()).webhooks.subscriptions.read({ id }), `${base}/${id}`);
  if (subscription.projectId !== project.id) notFound();
  queryClient().setQueryData(trpc.webhooks.subscriptions.read.queryKey({ id }), subscription);
  await Promise.all([
    prefetch(trpc.webhooks.insight.queryOptions({ id })),
    prefetch(trpc.webhooks.deliveries.list.queryOptions({ id, page: 1, limit: deliveriesLimit })),
  ]);
  return (
    <Hydrate>
      <SubscriptionDetail id={id} base={base} />
    </Hydrate>
  );
}
