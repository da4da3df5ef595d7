import { addAbortSignal, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import { env, publicUrl } from '@/env';
import { type Refusal, refuse } from '@/server/errors';

/** What a presigned upload has to match. */
export type UploadTerms = {
  key: string;
  contentType: string;
  sizeBytes: number;
  /** Hex. */
  sha256: string;
};

export type Upload = {
  url: string;
  expiresAt: Date;
  /** Headers that the client has to send with the body. Every client sends Content-Length anyway. */
  requiredHeaders: Record<string, string>;
};

export type StoredObject = {
  sizeBytes: number;
  contentType: string /** Hex; null if the store does not report it. */;
  sha256: string | null;
};

/** Path of what this process forwards to the store. */
export const storePath = '/store';
/** How long a presigned address is valid, in seconds. */
const grantSeconds = 300;

type Store = {
  client: S3Client;
  /** For bytes that somebody may read slowly. */
  reader: S3Client;
  bucket: string;
  endpoint: URL;
  accessKeyId: string;
  secretAccessKey: string;
};
let opened: Store | undefined;

/** The configured store. @throws NOT_READY when none is configured */
function store(): Store {
  if (opened) return opened;
  const { S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = env;
  if (!S3_ENDPOINT || !S3_BUCKET || !S3_ACCESS_KEY_ID || !S3_SECRET_ACCESS_KEY) {
    throw refuse('NOT_READY', {
      message: 'Files cannot be stored: no object store is configured. Ask the operator of this site to set one up.',
    });
  }
  const credentials = { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY };
  const client = (maxSockets: number) =>
    new S3Client({
      endpoint: S3_ENDPOINT,
      region: env.S3_REGION,
      credentials,
      forcePathStyle: true,
      // Otherwise a presigned URL would include the checksum of an empty body.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: 3,
      requestHandler: {
        connectionTimeout: 2_000,
        requestTimeout: 5_000,
        // Otherwise a request to a silent store would only be warned about, and wait forever.
        throwOnRequestTimeout: true,
        httpAgent: { maxSockets },
        httpsAgent: { maxSockets },
      },
    });
  const common = { bucket: S3_BUCKET, endpoint: new URL(S3_ENDPOINT), ...credentials };
  // A slow reader holds a connection: together, slow readers could stop every upload and `/readyz`.
  opened = { client: client(50), reader: client(Number.POSITIVE_INFINITY), ...common };
  return opened;
}

/** Otherwise an error of the store would be one of ours for callers, and a silent store a database that cannot be reached. */
function unavailable(cause: unknown): Refusal {
  const message = 'The object store, which keeps files, cannot be reached or refuses our requests. Try again shortly.';
  return refuse('NOT_READY', { message, cause });
}

/** Resolves when the store accepts our credentials and has the bucket, or when no store is configured. */
export async function checkStore(): Promise<void> {
  if (!env.S3_ENDPOINT) return;
  const { client, bucket } = store();
  try {
    await client.send(new HeadBucketCommand({ Bucket: bucket }));
  } catch (error) {
    throw unavailable(error);
  }
}

/** When an address expires that is signed now; signatures count whole seconds. */
function endOf(signingDate: Date): Date {
  return new Date((Math.floor(signingDate.getTime() / 1000) + grantSeconds) * 1000);
}

/** A signed address as browsers reach it. */
function outwards(url: URL): string {
  return env.S3_PROXY_UPLOADS ? `${publicUrl}${storePath}${url.pathname}${url.search}` : url.href;
}

/** A URL that accepts exactly the bytes of these terms with one PUT, for five minutes. */
export async function presignUpload(terms: UploadTerms): Promise<Upload> {
  const signingDate = new Date();
  const checksum = Buffer.from(terms.sha256, 'hex').toString('base64');
  const url = new URL(
    env.S3_UPLOAD_LOCK === 'query-content-sha256'
      ? await signContentHash(terms, signingDate)
      : await signChecksum(terms, checksum, signingDate),
  );
  return {
    url: outwards(url),
    expiresAt: endOf(signingDate),
    requiredHeaders: {
      'Content-Type': terms.contentType,
      ...(env.S3_UPLOAD_LOCK === 'signed-header' ? { 'x-amz-checksum-sha256': checksum } : {}),
    },
  };
}

/** How a browser gets a file: under this name, and never as a page, whatever the bytes look like. */
export type SavedAs = { fileName: string; contentType: string };

/** Types that a page can embed; of every other type a browser learns only that it is a file. */
const embeddable = /^(image|video)\//;

/**
 * A URL that reads one object, for five minutes. With `as`, a browser that opens it saves the file; pages can still embed
 * images and videos and fetch the bytes.
 */
export async function presignDownload(key: string, as?: SavedAs): Promise<{ url: string; expiresAt: Date }> {
  const { client, bucket } = store();
  const signingDate = new Date();
  const command = new GetObjectCommand({
    Bucket: bucket,
    Key: key,
    ...(as && {
      ResponseContentDisposition: `attachment; filename="${as.fileName}"`,
      ResponseContentType: embeddable.test(as.contentType) ? as.contentType : 'application/octet-stream',
    }),
  });
  const url = new URL(await getSignedUrl(client, command, { expiresIn: grantSeconds, signingDate }));
  return { url: outwards(url), expiresAt: endOf(signingDate) };
}

/** Locks the upload with S3's checksum: in a signed header or, for stores that check it there, in the query. */
function signChecksum(terms: UploadTerms, checksum: string, signingDate: Date): Promise<string> {
  const { client, bucket } = store();
  const command = new PutObjectCommand({
    Bucket: bucket,
    Key: terms.key,
    ContentType: terms.contentType,
    ContentLength: terms.sizeBytes,
    ChecksumSHA256: checksum,
  });
  return getSignedUrl(client, command, {
    expiresIn: grantSeconds,
    signingDate,
    signableHeaders: new Set(['host', 'content-type', 'content-length', 'x-amz-checksum-sha256']),
    unhoistableHeaders: new Set(env.S3_UPLOAD_LOCK === 'signed-header' ? ['x-amz-checksum-sha256'] : []),
  });
}

/** Locks the upload with the hash of the body in the signature. The SDK's presigner always leaves the hash out. */
async function signContentHash(terms: UploadTerms, signingDate: Date): Promise<string> {
  const { bucket, endpoint, accessKeyId, secretAccessKey } = store();
  const signer = new SignatureV4({
    credentials: { accessKeyId, secretAccessKey },
    region: env.S3_REGION,
    service: 's3',
    sha256: Hash.bind(null, 'sha256'),
    uriEscapePath: false,
    applyChecksum: false,
  });
  const path = `${endpoint.pathname.replace(/\/$/, '')}/${bucket}/${terms.key.split('/').map(encodeURIComponent).join('/')}`;
  const headers = {
    host: endpoint.host,
    'content-type': terms.contentType,
    'content-length': String(terms.sizeBytes),
    'X-Amz-Content-Sha256': terms.sha256,
  };
  const request = { method: 'PUT', protocol: endpoint.protocol, hostname: endpoint.hostname, path, headers, query: {} };
  const signed = await signer.presign(request, { expiresIn: grantSeconds, signingDate });
  const query = new URLSearchParams(signed.query as Record<string, string>);
  return `${endpoint.origin}${path}?${query}`;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && ['NotFound', 'NoSuchKey'].includes(error.name);
}

/** The stored object; null when there is none. @throws NOT_READY when the store fails, as all that ask it do */
export async function headObject(key: string): Promise<StoredObject | null> {
  const { client, bucket } = store();
  try {
    const found = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key, ChecksumMode: 'ENABLED' }));
    return {
      sizeBytes: found.ContentLength ?? 0,
      contentType: found.ContentType ?? '',
      sha256: found.ChecksumSHA256 ? Buffer.from(found.ChecksumSHA256, 'base64').toString('hex') : null,
    };
  } catch (error) {
    if (isMissing(error)) return null;
    throw unavailable(error);
  }
}

/** How long the first bytes of an object may take to arrive, in milliseconds. */
const headMs = 5_000;

/** The first bytes of the stored object, `length` at most; null when there is none. @throws when they take too long */
export async function readFirstBytes(key: string, length: number): Promise<Buffer | null> {
  const { client, bucket } = store();
  try {
    const { Body } = await client.send(
      new GetObjectCommand({ Bucket: bucket, Key: key, Range: `bytes=0-${length - 1}` }),
    );
    return Body ? await buffer(addAbortSignal(AbortSignal.timeout(headMs), Body as Readable)) : null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw unavailable(error);
  }
}

/**
 * The bytes of the stored object; null when there is none.
 * @param part the places of the first and the last of them; left out: all
 */
export async function readObject(key: string, part?: { start: number; end: number }): Promise<Readable | null> {
  const { reader, bucket } = store();
  try {
    const { Body } = await reader.send(
      new GetObjectCommand({ Bucket: bucket, Key: key, Range: part && `bytes=${part.start}-${part.end}` }),
    );
    return (Body as Readable | undefined) ?? null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw unavailable(error);
  }
}

/** Deletes the stored object, if there is one. */
export async function deleteObject(key: string): Promise<void> {
  const { client, bucket } = store();
  try {
    await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
  } catch (error) {
    throw unavailable(error);
  }
}
