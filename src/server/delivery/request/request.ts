import { createHmac } from 'node:crypto';
import { type Credential, credentialHeaders } from '@/server/delivery/request/credentials';
import { type DeliveryEnvelope, deliveryPayload, retryPayload } from '@/server/delivery/request/payload';

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

const hexHmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');

/** A signature as Standard Webhooks defines it, keyed with the bytes behind `whsec_`. */
function standardSignature(secret: string, text: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
}

/**
 * The exact request of one attempt: the body's text, and the headers in lower case. A credential cannot replace the headers
 * that identify the event or say how to read the body.
 */
export function buildRequest(input: RequestInput): { body: string; headers: Record<string, string> } {
  const { secrets, previousBody, attemptId, deliveryId } = input;
  const payload = previousBody === null ? deliveryPayload(input) : retryPayload(previousBody, input);
  const seconds = String(Math.floor(input.sentAt.getTime() / 1000));
  const headers: Record<string, string> = {
    'user-agent': userAgent,
    accept: '*/*',
    ...credentialHeaders(input.credential),
    'content-type': 'application/json',
    'accept-encoding': 'identity',
    'x-webhook-id': attemptId,
    'x-webhook-event': input.event.type,
    'x-webhook-timestamp': seconds,
    'webhook-id': deliveryId,
    'webhook-timestamp': seconds,
  };
  const unsigned = JSON.stringify(payload);
  const [secret] = secrets;
  if (secret === undefined) return { body: unsigned, headers };
  const body = `${unsigned.slice(0, -1)},"signature":"${hexHmac(secret, unsigned)}"}`;
  headers['x-webhook-signature'] = hexHmac(secret, body);
  const signed = `${deliveryId}.${seconds}.${body}`;
  headers['webhook-signature'] = secrets.map((each) => standardSignature(each, signed)).join(' ');
  return { body, headers };
}
