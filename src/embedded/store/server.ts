import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import parseRange from 'range-parser';
import { maxEvidenceBytes } from '@/domain/anticheat/evidence';
import { ObjectFiles, type ObjectMetadata, type Part } from './objects';
import { type Credentials, verifySignature } from './signature';
import { StoreError } from './store-error';

export interface StoreOptions extends Credentials {
  /** Folder of the objects. */
  directory: string;
  /** The only bucket. */
  bucket: string;
  /** On 127.0.0.1; 0 picks a free one. */
  port: number;
}

/**
 * Signed parts of a request that the store supports or can ignore. Accepting others would promise something it does not
 * do.
 */
const knownHeaders = /^x-amz-(date|content-sha256|checksum-sha256|checksum-mode|sdk-checksum-algorithm|user-agent)$/;
const knownQuery =
  /^(x-(id|amz-(algorithm|credential|date|expires|signedheaders|signature|content-sha256|checksum-sha256|checksum-mode|sdk-checksum-algorithm))|response-content-(type|disposition))$/i;

/** Access comes from the signed address, so pages of every origin can use one. */
const openToPages = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'PUT, GET, HEAD',
  'Access-Control-Allow-Headers': 'Content-Type, Range, x-amz-checksum-sha256, x-amz-content-sha256',
  'Access-Control-Expose-Headers': 'ETag, Content-Range',
  'Access-Control-Max-Age': '3600',
};

/**
 * Starts an object store on 127.0.0.1 with the part of S3 that one bucket with PUT, GET, HEAD and DELETE needs.
 * It stores an upload only if its bytes, size and type match what was signed.
 */
export async function startStore(options: StoreOptions): Promise<{ url: string; stop: () => Promise<void> }> {
  const files = new ObjectFiles(options.directory);
  await files.open();

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const target = req.url ?? '/';
    const mark = target.indexOf('?');
    const path = mark < 0 ? target : target.slice(0, mark);
    const query = new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1));
    const { method = 'GET', headers } = req;
    if (method === 'OPTIONS') return void res.writeHead(204).end();
    if (!['PUT', 'GET', 'HEAD', 'DELETE'].includes(method)) {
      throw new StoreError(405, 'MethodNotAllowed', 'Only PUT, GET, HEAD and DELETE are supported');
    }
    const payloadHash = await verifySignature({ method, path, query, headers }, options, new Date());
    requireKnown(Object.keys(headers), [...query.keys()]);
    const key = keyOf(path, options.bucket);
    if (key === null) {
      if (method !== 'HEAD') throw new StoreError(501, 'NotImplemented', 'Only HEAD is supported for a bucket');
      return void res.writeHead(200).end();
    }
    if (method === 'PUT') return put(req, res, key, digests(payloadHash, headers, query));
    if (method === 'DELETE') {
      await files.delete(key);
      return void res.writeHead(204).end();
    }
    const found = await files.get(key);
    if (!found) throw new StoreError(404, 'NoSuchKey', 'There is no such object');
    try {
      const mode = headers['x-amz-checksum-mode'] ?? query.get('x-amz-checksum-mode');
      const { sizeBytes } = found.metadata;
      const part = method === 'GET' ? partOf(headers, found.metadata) : null;
      res.writeHead(part ? 206 : 200, {
        ...metadataHeaders(found.metadata, mode === 'ENABLED' && !part),
        ...askedHeaders(query),
        ...(part && {
          'Content-Length': part.end - part.start + 1,
          'Content-Range': `bytes ${part.start}-${part.end}/${sizeBytes}`,
        }),
      });
      if (method === 'HEAD' || sizeBytes === 0) res.end();
      else await pipeline(found.bytes(part ?? { start: 0, end: sizeBytes - 1 }), res);
    } finally {
      await found.close();
    }
  }

  async function put(req: IncomingMessage, res: ServerResponse, key: string, sha256: string[]): Promise<void> {
    const length = req.headers['content-length'];
    if (length === undefined) throw new StoreError(411, 'MissingContentLength', 'Content-Length is required');
    const contentType = req.headers['content-type'] ?? 'application/octet-stream';
    // Stopping early must not destroy the socket, which still has to carry the error response.
    const bytes = req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    const metadata = await files.put({ key, contentType, sizeBytes: Number(length), sha256 }, bytes, () =>
      req.destroy(),
    );
    res.writeHead(200, { ETag: `"${metadata.md5}"` }).end();
  }

  const server = createServer((req, res) => {
    for (const [name, value] of Object.entries(openToPages)) res.setHeader(name, value);
    answer(req, res).catch((error: unknown) => {
      if (!(error instanceof StoreError) && !req.destroyed) console.error(error);
      refuse(req, res, error instanceof StoreError ? error : new StoreError(500, 'InternalError', 'Internal error'));
    });
  });
  const url = await listen(server, options.port);
  return {
    url,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function requireKnown(headers: string[], query: string[]): void {
  const header = headers.find((name) => name.startsWith('x-amz-') && !knownHeaders.test(name));
  const parameter = query.find((name) => !knownQuery.test(name));
  const unknown = header ?? parameter;
  if (unknown) throw new StoreError(501, 'NotImplemented', `${unknown} is not supported`);
}

/** The object's key, or null when the path is the bucket's. */
function keyOf(path: string, bucket: string): string | null {
  const [, first, ...rest] = path.split('/');
  if (first !== bucket) throw new StoreError(404, 'NoSuchBucket', 'There is no such bucket');
  try {
    return decodeURIComponent(rest.join('/')) || null;
  } catch {
    throw new StoreError(400, 'InvalidURI', 'The path cannot be decoded');
  }
}

/** Every SHA-256 that the request was signed with, in hex. */
function digests(payloadHash: string, headers: IncomingMessage['headers'], query: URLSearchParams): string[] {
  const found: string[] = [];
  if (/^[0-9a-f]{64}$/.test(payloadHash)) found.push(payloadHash);
  else if (payloadHash !== 'UNSIGNED-PAYLOAD') {
    throw new StoreError(501, 'NotImplemented', 'Bodies in signed chunks are not supported');
  }
  const parameter = [...query.keys()].find((name) => name.toLowerCase() === 'x-amz-checksum-sha256');
  for (const checksum of [headers['x-amz-checksum-sha256']?.toString(), parameter && query.get(parameter)]) {
    if (!checksum) continue;
    if (!/^[A-Za-z0-9+/]{43}=$/.test(checksum)) {
      throw new StoreError(400, 'InvalidRequest', 'x-amz-checksum-sha256 must be a base64 SHA-256');
    }
    found.push(Buffer.from(checksum, 'base64').toString('hex'));
  }
  return found;
}

/**
 * The part that a request asks for, such as a video's player that jumps; null for the whole object. As in S3, more than
 * one part and a range that cannot be read are answered with the whole.
 * @throws StoreError when the object has no such bytes
 */
function partOf(headers: IncomingMessage['headers'], metadata: ObjectMetadata): Part | null {
  const condition = headers['if-range'];
  if (!headers.range || (condition && condition !== `"${metadata.md5}"`)) return null;
  const parts = parseRange(metadata.sizeBytes, headers.range);
  if (parts === -1) throw new StoreError(416, 'InvalidRange', 'The object has no bytes in this range');
  return parts === -2 || parts.type !== 'bytes' || parts.length !== 1 ? null : (parts[0] ?? null);
}

function metadataHeaders(metadata: ObjectMetadata, withChecksum: boolean): Record<string, string> {
  return {
    'Content-Type': metadata.contentType,
    'Content-Length': String(metadata.sizeBytes),
    'Accept-Ranges': 'bytes',
    ETag: `"${metadata.md5}"`,
    'Last-Modified': new Date(metadata.storedAt).toUTCString(),
    ...(withChecksum ? { 'x-amz-checksum-sha256': Buffer.from(metadata.sha256, 'hex').toString('base64') } : {}),
  };
}

/** Headers that a signed address asks for in place of the stored ones. */
function askedHeaders(query: URLSearchParams): Record<string, string> {
  const [type, disposition] = [query.get('response-content-type'), query.get('response-content-disposition')];
  return { ...(type && { 'Content-Type': type }), ...(disposition && { 'Content-Disposition': disposition }) };
}

function refuse(req: IncomingMessage, res: ServerResponse, error: StoreError): void {
  if (res.headersSent) return void res.destroy();
  if (!req.complete) {
    // The rest of any upload that is granted is read and dropped, so that the caller can read the error response.
    if (Number(req.headers['content-length'] ?? 0) > maxEvidenceBytes) res.setHeader('Connection', 'close');
    else req.resume();
  }
  const message = error.message.replace(/[<>&]/g, (character) => `&#${character.charCodeAt(0)};`);
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${error.code}</Code><Message>${message}</Message></Error>`;
  res.writeHead(error.status, { 'Content-Type': 'application/xml', 'Content-Length': Buffer.byteLength(body) });
  res.end(req.method === 'HEAD' ? undefined : body);
}

function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    });
  });
}
