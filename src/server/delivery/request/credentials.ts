import { type EchoForm, echoForms, replaceEchoes } from '@/server/delivery/request/echoes';

/** What a subscription authenticates with at the customer's server, decrypted; null where its mode needs nothing. */
export type Credential =
  | { token: string }
  | { username: string; password: string }
  | { headerName: string; headerValue: string }
  | null;

/** The headers that carry a credential, in lower case. */
export function credentialHeaders(credential: Credential): Record<string, string> {
  if (credential === null) return {};
  if ('token' in credential) return { authorization: `Bearer ${credential.token}` };
  if ('username' in credential) {
    const pair = Buffer.from(`${credential.username}:${credential.password}`).toString('base64');
    return { authorization: `Basic ${pair}` };
  }
  return { [credential.headerName.toLowerCase()]: credential.headerValue };
}

/** Replaces a credential in what is stored. */
const redacted = '[redacted]';

/** Request headers as they may be stored: without the credential. */
export function redactHeaders(headers: Record<string, string>, credential: Credential): Record<string, string> {
  if (credential === null) return headers;
  if ('token' in credential) return { ...headers, authorization: `Bearer ${redacted}` };
  if ('username' in credential) return { ...headers, authorization: `Basic ${redacted}` };
  return { ...headers, [credential.headerName.toLowerCase()]: redacted };
}

/** The forms of a credential that a response may echo, since some servers return the headers they received. */
export function credentialEchoes(credential: Credential): EchoForm[] {
  if (credential === null) return [];
  const values = Object.values(credentialHeaders(credential)).map((value) => value.replace(/^(Bearer|Basic) /, ''));
  if (!('username' in credential)) return echoForms(values);
  return echoForms([...values, `${credential.username}:${credential.password}`, credential.password]);
}

/** Part of a response as it may be stored: without echoes of the credential, also where they are escaped or encoded. */
export function redactEchoes<T>(part: T, echoes: readonly EchoForm[]): T {
  const redact = (value: unknown): unknown => {
    if (typeof value === 'string') return replaceEchoes(value, echoes, redacted);
    if (Array.isArray(value)) return value.map(redact);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [replaceEchoes(name, echoes, redacted), redact(each)]),
    );
  };
  return echoes.length === 0 ? part : (redact(part) as T);
}
