import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import { StoreError } from './store-error';

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
}

/** The signed parts of a request, as received. */
export interface SignedRequest {
  method: string;
  /** Still percent-encoded. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
}

/** How far a caller's clock can be off. */
const skewMs = 15 * 60_000;
const longestExpiry = 7 * 24 * 60 * 60;
const algorithm = 'AWS4-HMAC-SHA256';
/** The query parameters of the signature itself. */
const authQuery = [
  'X-Amz-Algorithm',
  'X-Amz-Credential',
  'X-Amz-Date',
  'X-Amz-Expires',
  'X-Amz-SignedHeaders',
  'X-Amz-Signature',
];

type Claim = { credential: string; signedHeaders: string[]; signature: string; date: string; expires: number | null };

const malformed = (what: string) => new StoreError(400, 'AuthorizationQueryParametersError', what);

function claimOfQuery(query: URLSearchParams): Claim {
  const read = (name: string) => {
    const [value, ...more] = query.getAll(name);
    if (value === undefined || more.length > 0) throw malformed(`${name} has to be given once`);
    return value;
  };
  if (read('X-Amz-Algorithm') !== algorithm) throw malformed(`X-Amz-Algorithm must be ${algorithm}`);
  const expires = read('X-Amz-Expires');
  if (!/^[1-9]\d{0,5}$/.test(expires) || Number(expires) > longestExpiry) {
    throw malformed('X-Amz-Expires must be 1 to 604800');
  }
  return {
    credential: read('X-Amz-Credential'),
    signedHeaders: read('X-Amz-SignedHeaders').split(';'),
    signature: read('X-Amz-Signature'),
    date: read('X-Amz-Date'),
    expires: Number(expires),
  };
}

function claimOfHeader(headers: IncomingHttpHeaders): Claim {
  const parts = /^AWS4-HMAC-SHA256 +Credential=([^, ]+), *SignedHeaders=([^, ]+), *Signature=([^, ]+)$/.exec(
    headers.authorization ?? '',
  );
  if (!parts) throw new StoreError(400, 'AuthorizationHeaderMalformed', 'Authorization cannot be parsed');
  const [, credential = '', signedHeaders = '', signature = ''] = parts;
  const date = headers['x-amz-date']?.toString() ?? '';
  return { credential, signedHeaders: signedHeaders.split(';'), signature, date, expires: null };
}

function readDate(text: string): Date {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  const date = parts ? new Date(`${parts[1]}-${parts[2]}-${parts[3]}T${parts[4]}:${parts[5]}:${parts[6]}Z`) : null;
  if (!date || Number.isNaN(date.getTime())) throw new StoreError(403, 'AccessDenied', 'The date cannot be parsed');
  return date;
}

function checkTime(date: Date, expires: number | null, now: Date): void {
  const age = now.getTime() - date.getTime();
  if (age < -skewMs || (expires === null && age > skewMs)) {
    throw new StoreError(403, 'RequestTimeTooSkewed', 'The request was signed at another time');
  }
  if (expires !== null && age > expires * 1000) throw new StoreError(403, 'AccessDenied', 'Request has expired');
}

/** The signed headers. A header that the store would act on must be signed. */
function signedOnly(headers: IncomingHttpHeaders, names: string[], inQuery: boolean): Record<string, string> {
  for (const name of Object.keys(headers)) {
    if (name.startsWith('x-amz-') && !names.includes(name)) {
      throw new StoreError(403, 'AccessDenied', `The header ${name} is not signed`);
    }
  }
  const required = inQuery ? ['host'] : ['host', 'x-amz-date', 'x-amz-content-sha256'];
  const unsigned = required.find((name) => !names.includes(name));
  if (unsigned) throw new StoreError(403, 'AccessDenied', `The header ${unsigned} must be signed`);
  return Object.fromEntries(
    names.map((name) => {
      const value = headers[name]?.toString();
      if (value === undefined) throw new StoreError(403, 'AccessDenied', `The signed header ${name} is missing`);
      return [name, value];
    }),
  );
}

/**
 * Checks a request's Signature Version 4, in its query or its Authorization header: signs the request again with its
 * own date and compares.
 * @returns the payload hash that was signed: hex, or `UNSIGNED-PAYLOAD`
 * @throws StoreError when the request is not signed by these credentials, was altered, or is too old
 */
export async function verifySignature(request: SignedRequest, credentials: Credentials, now: Date): Promise<string> {
  const { method, path, query, headers } = request;
  const inQuery = query.has('X-Amz-Signature');
  if (!inQuery && !headers.authorization) throw new StoreError(403, 'AccessDenied', 'The request is not signed');
  if (inQuery && headers.authorization) throw malformed('Use one kind of authentication only');
  const claim = inQuery ? claimOfQuery(query) : claimOfHeader(headers);

  const signingDate = readDate(claim.date);
  const scope = `${claim.date.slice(0, 8)}/${credentials.region}/s3/aws4_request`;
  if (claim.credential !== `${credentials.accessKeyId}/${scope}`) {
    throw new StoreError(403, 'InvalidAccessKeyId', 'There is no such access key in this region');
  }
  checkTime(signingDate, claim.expires, now);
  const signed = signedOnly(headers, claim.signedHeaders, inQuery);

  const rest: Record<string, string[]> = {};
  for (const name of new Set(query.keys())) {
    if (!authQuery.includes(name) || !inQuery) rest[name] = query.getAll(name).sort();
  }
  const names = new Set(claim.signedHeaders);
  const hashName = Object.keys(rest).find((name) => name.toLowerCase() === 'x-amz-content-sha256');
  const hash = signed['x-amz-content-sha256'] ?? (hashName ? rest[hashName]?.join() : undefined) ?? 'UNSIGNED-PAYLOAD';
  // The signer reads the payload hash from this header and moves it back to where the request has it.
  if (inQuery && hashName && !names.has('x-amz-content-sha256')) {
    delete rest[hashName];
    signed[hashName] = hash;
  }
  const signer = new SignatureV4({
    credentials,
    region: credentials.region,
    service: 's3',
    sha256: Hash.bind(null, 'sha256'),
    uriEscapePath: false,
    applyChecksum: false,
  });
  // A body that is not bytes makes the hash UNSIGNED-PAYLOAD where none is given.
  const again = { method, protocol: 'http:', hostname: '', path, query: rest, headers: signed, body: {} };
  const made = inQuery
    ? await signer.presign(again, {
        signingDate,
        expiresIn: claim.expires ?? 0,
        unhoistableHeaders: names,
        signableHeaders: names,
      })
    : await signer.sign(again, { signingDate, signableHeaders: names });
  const expected = inQuery
    ? made.query?.['X-Amz-Signature']?.toString()
    : made.headers.authorization?.replace(/^.*Signature=/, '');
  if (!expected || !equal(expected, claim.signature)) {
    throw new StoreError(403, 'SignatureDoesNotMatch', 'The signature does not match this request');
  }
  return hash;
}

function equal(expected: string, given: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(given)];
  return one.length === other.length && timingSafeEqual(one, other);
}
