import { parseCidr } from '@/server/delivery/outbound/addresses';
import { createGuardedAgent } from '@/server/delivery/outbound/agent';
import { sendRequest } from '@/server/delivery/outbound/post';

/** A process that trusts NODE_EXTRA_CA_CERTS: sends one POST to the given URL, with every name resolved to 127.0.0.1. */
const agent = createGuardedAgent({ allowed: [parseCidr('127.0.0.0/8')], httpAnywhere: false }, async () => [
  { address: '127.0.0.1', family: 4 },
]);
const result = await sendRequest(agent, {
  url: process.argv[2] ?? '',
  method: 'POST',
  headers: {},
  body: Buffer.from('{}'),
  timeoutMs: 30_000,
});
process.stdout.write(JSON.stringify(result));
await agent.destroy();
