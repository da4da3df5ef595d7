import type { Agent } from 'undici';
import { env } from '@/env';
import { type AddressRule, parseCidr } from '@/server/delivery/outbound/addresses';
import { createGuardedAgent } from '@/server/delivery/outbound/agent';
import { resolveForCheck } from '@/server/delivery/outbound/resolve';

/** The addresses that webhooks of this instance may reach. */
export const addressRule: AddressRule = {
  allowed: env.WEBHOOK_ALLOWED_CIDRS.map(parseCidr),
  httpAnywhere: env.NODE_ENV !== 'production',
};

let agent: Agent | undefined;
let checkAgent: Agent | undefined;
let verdictsAgent: Agent | undefined;

/** The agent that all webhooks of this process share. */
export function webhookAgent(): Agent {
  agent ??= createGuardedAgent(addressRule);
  return agent;
}

/** The agent of health checks, with connections and questions to name servers of its own. */
export function healthCheckAgent(): Agent {
  checkAgent ??= createGuardedAgent(addressRule, resolveForCheck);
  return checkAgent;
}

/** The agent of requests to the verdict provider: it may reach what webhooks may, on connections of its own. */
export function verdictAgent(): Agent {
  verdictsAgent ??= createGuardedAgent(addressRule);
  return verdictsAgent;
}
