import type { Agent } from 'undici';
import { env } from '@/env';
import { type AddressRule, parseCidr } from '@/server/delivery/outbound/addresses';
import { createGuardedAgent } from '@/server/delivery/outbound/agent';

/** The addresses that webhooks of this instance may reach. */
export const addressRule: AddressRule = {
  allowed: env.WEBHOOK_ALLOWED_CIDRS.map(parseCidr),
  httpAnywhere: env.NODE_ENV !== 'production',
};

let agent: Agent | undefined;

/** The agent that all webhooks of this process share. */
export function webhookAgent(): Agent {
  agent ??= createGuardedAgent(addressRule);
  return agent;
}
