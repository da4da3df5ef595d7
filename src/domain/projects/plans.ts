export const planIds = ['free', 'pro', 'enterprise'] as const;
export type Plan = (typeof planIds)[number];

export const capabilities = ['dataApi', 'antiCheat'] as const;
export type Capability = (typeof capabilities)[number];

/** Capabilities within a sentence: "The plan does not include the data API." */
export const capabilityWords: Record<Capability, string> = { dataApi: 'the data API', antiCheat: 'anti-cheat' };

/** What each plan includes. `requestsPerMinute` is for each API key, over a sliding minute. */
export const plans: Record<Plan, { name: string; requestsPerMinute: number; capabilities: readonly Capability[] }> = {
  free: { name: 'Free', requestsPerMinute: 60, capabilities: [] },
  pro: { name: 'Pro', requestsPerMinute: 600, capabilities: ['dataApi'] },
  enterprise: { name: 'Enterprise', requestsPerMinute: 6000, capabilities: ['dataApi', 'antiCheat'] },
};
