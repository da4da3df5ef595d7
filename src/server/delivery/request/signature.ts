import { createHmac } from 'node:crypto';

const hexHmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');

/** A signature as Standard Webhooks defines it, keyed with the bytes behind `whsec_`. */
function standardSignature(secret: string, text: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
}

/**
 * The text of a body and the headers that prove who sent it, in lower case. The body's last member is a signature too.
 * @param options.id `webhook-id`: the same for every attempt to deliver the same thing
 * @param options.secrets signing secrets, the current one first; empty where nothing is signed
 */
export function signPayload(
  payload: object,
  { id, secrets, sentAt }: { id: string; secrets: readonly string[]; sentAt: Date },
): { body: string; headers: Record<string, string> } {
  const seconds = String(Math.floor(sentAt.getTime() / 1000));
  const headers: Record<string, string> = {
    'x-webhook-timestamp': seconds,
    'webhook-id': id,
    'webhook-timestamp': seconds,
  };
  const unsigned = JSON.stringify(payload);
  const [secret] = secrets;
  if (secret === undefined) return { body: unsigned, headers };
  const body = `${unsigned.slice(0, -1)},"signature":"${hexHmac(secret, unsigned)}"}`;
  headers['x-webhook-signature'] = hexHmac(secret, body);
  const signed = `${id}.${seconds}.${body}`;
  headers['webhook-signature'] = secrets.map((each) => standardSignature(each, signed)).join(' ');
  return { body, headers };
}
