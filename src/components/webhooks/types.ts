import type { Outputs } from '@/trpc/outputs';

export type Subscription = Outputs['webhooks']['subscriptions']['read'];
export type Delivery = Outputs['webhooks']['deliveries']['list']['items'][number];
export type DeliveryDetails = Outputs['webhooks']['deliveries']['read'];
export type Attempt = DeliveryDetails['attempts'][number];
