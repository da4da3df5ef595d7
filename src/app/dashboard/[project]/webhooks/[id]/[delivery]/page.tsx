import type { Metadata } from 'next';
import {
  AddressNotAllowed,
  loadSubscription,
  subscriptionTitle,
} from '@/app/dashboard/[project]/webhooks/load-subscription';
import { DeliveryDetail } from '@/components/webhooks/deliveries/delivery-detail';
import { api, Hydrate, orPage, queryClient, trpc } from '@/trpc/server';

export async function generateMetadata({
  params,
}: {
  params: Promise<{ project: string; id: string; delivery: string }>;
}): Promise<Metadata> {
  const { delivery, ...rest } = await params;
  return subscriptionTitle(rest, { path: `/${delivery}`, prefix: `Delivery ${delivery} · ` });
}

export default async function DeliveryPage({
  params,
}: {
  params: Promise<{ project: string; id: string; delivery: string }>;
}) {
  const { project, id, delivery: deliveryId } = await params;
  const { base, subscription } = await loadSubscription({ project, id }, `/${deliveryId}`);
  if (!subscription) return <AddressNotAllowed base={base} />;
  const back = `${base}/${id}`;
  const delivery = await orPage((await api()).webhooks.deliveries.read({ id, deliveryId }), `${back}/${deliveryId}`);
  queryClient().setQueryData(trpc.webhooks.deliveries.read.queryKey({ id, deliveryId }), delivery);
  return (
    <Hydrate>
      <DeliveryDetail id={id} deliveryId={deliveryId} url={subscription.url} back={back} />
    </Hydrate>
  );
}
