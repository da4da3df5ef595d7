import { notFound } from 'next/navigation';
import { loadProject } from '@/app/dashboard/load-project';
import { DeliveryDetail } from '@/components/webhooks/delivery-detail';
import { api, Hydrate, orPage, queryClient, trpc } from '@/trpc/server';

export default async function DeliveryPage({
  params,
}: {
  params: Promise<{ project: string; id: string; delivery: string }>;
}) {
  const { project: slug, id, delivery: deliveryId } = await params;
  const { project } = await loadProject(slug);
  const back = `/dashboard/${project.slug}/webhooks/${id}`;
  const { webhooks } = await api();
  const [subscription, delivery] = await Promise.all([
    orPage(webhooks.subscriptions.read({ id }), `${back}/${deliveryId}`),
    orPage(webhooks.deliveries.read({ id, deliveryId }), `${back}/${deliveryId}`),
  ]);
  if (subscription.projectId !== project.id) notFound();
  queryClient().setQueryData(trpc.webhooks.deliveries.read.queryKey({ id, deliveryId }), delivery);
  return (
    <Hydrate>
      <DeliveryDetail id={id} deliveryId={deliveryId} url={subscription.url} back={back} />
    </Hydrate>
  );
}
