import { type Credential, credentialHeaders } from '@/server/delivery/request/credentials';
import { type DeliveryEnvelope, deliveryPayload, retryPayload } from '@/server/delivery/request/payload';
import { signPayload } from '@/server/delivery/request/signature';

export type RequestInput = DeliveryEnvelope & {
  deliveryId: string;
  /** Signing secrets, the current one first; empty where nothing is signed. */
  secrets: string[];
  credential: Credential;
  /** The body of an earlier attempt, which is sent again; null at the first. */
  previousBody: string | null;
  sentAt: Date;
};

export const userAgent = 'Laurel-Webhooks/1';

/**
 * The exact request of one attempt: the body's text, and the headers in lower case. A credential cannot replace the headers
 * that identify the event or say how to read the body.
 */
export function buildRequest(input: RequestInput): { body: string; headers: Record<string, string> } {
  const { secrets, previousBody, attemptId, deliveryId, sentAt } = input;
  const payload = previousBody === null ? deliveryPayload(input) : retryPayload(previousBody, input);
  const signed = signPayload(payload, { id: deliveryId, secrets, sentAt });
  const headers: Record<string, string> = {
    'user-agent': userAgent,
    accept: '*/*',
    ...credentialHeaders(input.credential),
    'content-type': 'application/json',
    'accept-encoding': 'identity',
    'x-webhook-id': attemptId,
    'x-webhook-event': input.event.type,
    ...signed.headers,
  };
  return { body: signed.body, headers };
}
