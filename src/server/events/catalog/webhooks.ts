import { z } from 'zod';
import { define } from './definition';

export const webhookEvents = {
  'webhook.test': define({
    version: 1,
    aggregateType: 'webhook_subscription',
    audience: 'subscription',
    title: 'Test event',
    description: 'Sent on request to test a webhook, whatever it subscribes to.',
    payload: z.object({ subscriptionId: z.string(), message: z.string() }),
    example: { subscriptionId: 'whs_01k9x9a6r0e7g9h1j2m3n4p5q6', message: 'This is a test.' },
  }),
};
