import { createHmac } from 'node:crypto';
import type { Agent } from 'undici';
import { deliveryPayload } from '@/server/delivery/request/payload';

type Sent = { status: number; body: string; requestHeaders: object; responseHeaders: object };

/** Signs a delivery of an event and posts it, and nothing else. */
export async function signedPost(
  agent: Agent,
  url: string,
  { id, payload, occurredAt }: { id: string; payload: unknown; occurredAt: Date },
): Promise<Sent> {
  const event = {
    id,
    type: 'participant.registered',
    version: 1,
    aggregateType: 'participant',
    aggregateId: 'prt_1',
    payload,
    metadata: { actor: { type: 'system', id: null }, requestId: null },
    occurredAt,
  };
  const body = JSON.stringify(deliveryPayload({ attemptId: `wha_${id}`, subscriptionId: 'whs_1', attempt: 1, event }));
  const signature = createHmac('sha256', 'secret').update(body).digest('hex');
  const { origin, pathname: path } = new URL(url);
  const headers = { 'content-type': 'application/json', 'x-webhook-signature': signature };
  const answer = await agent.request({ origin, path, method: 'POST', headers, body });
  await answer.body.text();
  return { status: answer.statusCode, body, requestHeaders: headers, responseHeaders: answer.headers };
}

export const examplePayload = {
  participantId: 'prt_1',
  tournamentId: 'trn_1',
  name: 'Player',
  status: 'registered',
  seed: null,
};
