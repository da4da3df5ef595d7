import { createHash } from 'node:crypto';
import { request as httpRequest, type IncomingMessage, type RequestOptions, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { PassThrough, type Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { maxEvidenceBytes } from '@/domain/anticheat/evidence';
import { originOf, turnOf } from '@/domain/network/address-ranges';
import { env } from '@/env';
import { db } from '@/server/db';
import { addressOf } from '@/server/http/caller-address';
import { closing, dropBody, sendText } from '@/server/http/exchange';
import { maxHeaderLength } from '@/server/http/page-request';
import { chunksInTurn, passInTurn } from '@/server/http/turns/chunks';
import { forwardInTurn, readInTurn } from '@/server/http/turns/turns';
import { readObject, storePath } from '@/server/storage/object-store';
import { FairQueue } from '@/server/worker/fair-queue';
import { gateOf, spendShare } from '@/server/worker/thread-share';

export const mediaPrefix = '/media';

/**
 * Files that the store is asked for at a time, and those that are sent: of the rest, networks take turns. A client may read as slowly
 * as it likes.
 */
export const reads = new FairQueue({
  running: [64, 12, 8],
  unfinished: [2_000, 384, 256],
  gate: gateOf(5, 1 / 2),
  waiting: 20_000,
  waitingOfOwner: 2_000,
});

function sendError(req: IncomingMessage, res: ServerResponse, status: number, message: string): void {
  dropBody(req, res);
  sendText(res, status, message);
}

/** Throws what failed, unless the client has gone. */
function unlessGone(signal: AbortSignal): (error: unknown) => null {
  return (error) => {
    if (!signal.aborted) throw error;
    return null;
  };
}

/** How long the store may take to begin its response, in milliseconds after the last byte of the request, or to go on with a file. */
const storeResponseMs = 30_000;

/**
 * The bytes of a file as far as they are those of its row: its last ones wait for the check, so that what the store has cut or
 * changed never arrives as whole, nor is cached as that.
 */
export async function* checked(bytes: Readable, file: { sizeBytes: number; sha256: string }) {
  const hash = createHash('sha256');
  let size = 0;
  let held: Buffer | null = null;
  const stop = () => bytes.destroy(new Error('the object store has stopped within a file'));
  let patience = setTimeout(stop, storeResponseMs);
  try {
    for await (const chunk of bytes) {
      clearTimeout(patience);
      size += chunk.length;
      if (size > file.sizeBytes) break;
      hash.update(chunk);
      if (held) yield held;
      held = chunk;
      patience = setTimeout(stop, storeResponseMs);
    }
  } finally {
    clearTimeout(patience);
  }
  if (size !== file.sizeBytes || hash.digest('hex') !== file.sha256)
    throw new Error('the object store has other bytes');
  yield held;
}

/** Bytes of a file that the store is asked for at first. */
const firstPartBytes = 256 * 1024;

/** What it takes of the store, and of this process, to ask for a part, and for each MiB of it, in milliseconds. */
const partMs = 1;
const partMsPerMiB = 2;

/**
 * The bytes of a file, of which the store is asked for a part at a time, each as long as all before it: it reads what it is asked for
 * into buffers of the operating system, and for a client that leaves at once that would be a whole file each time.
 * @param address the caller's, which pays for what the store reads, whether or not the client takes it
 * @returns null when the store has no such file
 */
export async function readParts(
  { key, sizeBytes }: { key: string; sizeBytes: number },
  address: string,
): Promise<Readable | null> {
  let next = 0;
  const readNext = () => {
    const start = next;
    next = Math.min(sizeBytes, Math.max(firstPartBytes, 2 * start));
    spendShare(originOf(address), partMs + (partMsPerMiB * (next - start)) / 1024 ** 2);
    return readObject(key, { start, end: next - 1 });
  };
  let part = await readNext();
  if (!part) return null;
  const whole = new PassThrough();
  whole.once('close', () => part?.destroy());
  const passOn = async () => {
    while (part) {
      // A pipeline would leave listeners at the whole.
      part.pipe(whole, { end: false });
      await finished(part);
      if (next >= sizeBytes) return void whole.end();
      part = await readNext();
      if (whole.destroyed) return void part?.destroy();
    }
    throw new Error('the object store no longer has a file');
  };
  passOn().catch((error) => whole.destroy(error));
  return whole;
}

/**
 * Sends the file of `/media/{id}`. Anyone with the address can read it; an id never changes its bytes, so it can be
 * cached forever. The content type comes from our row, and nothing in the file can run.
 */
export async function sendMedia(req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (req.method !== 'GET' && req.method !== 'HEAD') return sendError(req, res, 405, 'Method not allowed');
  const id = /^\/media\/(med_[0-9a-z]{26})(?:\?|$)/.exec(req.url ?? '')?.[1];
  const ip = addressOf(req);
  const find = (known: string) =>
    db.mediaFile.findFirst({
      where: { id: known, status: 'ready', kind: 'tournament_banner' },
      select: { key: true, contentType: true, sizeBytes: true, sha256: true },
    });
  const signal = closing(res);
  const file = id ? await readInTurn({ ip, caller: '', signal }, () => find(id)).catch(unlessGone(signal)) : null;
  if (signal.aborted) return;
  if (!file) return sendError(req, res, 404, 'Not found');
  const tag = `"${file.sha256.slice(0, 32)}"`;
  const headers = {
    'Cache-Control': 'public, max-age=31536000, immutable',
    ETag: tag,
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Cross-Origin-Resource-Policy': 'cross-origin',
  };
  if (req.headers['if-none-match']?.split(',').some((other) => other.trim() === tag)) {
    return void res.writeHead(304, headers).end();
  }
  const sendHead = () =>
    res.writeHead(200, { ...headers, 'Content-Type': file.contentType, 'Content-Length': file.sizeBytes });
  if (req.method === 'HEAD') return void sendHead().end();
  let begin: () => void = () => undefined;
  const hasBegun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const send = async () => {
    const bytes = await readParts(file, ip);
    if (!bytes) return sendError(req, res, 404, 'Not found');
    sendHead();
    begin();
    await pipeline(bytes, (source: Readable) => chunksInTurn(checked(source, file), ip), res);
  };
  // Its chunks take turns of their own.
  const untilBegun = (sent: Promise<void>) => Promise.race([hasBegun, sent.catch(() => undefined)]);
  await reads.run({ ...turnOf(ip), signal }, send, untilBegun).catch(unlessGone(signal));
}

/** Headers that are forwarded to the store, and back. Our cookies and credentials are not. */
const sent = [
  'content-type',
  'range',
  'if-range',
  'x-amz-checksum-sha256',
  'origin',
  'access-control-request-method',
  'access-control-request-headers',
];
/** Stores send some of them back in headers. */
const isForwarded = (value?: string | string[]) => !!value && value.length <= maxHeaderLength;
const sentBack = [
  ...['content-type', 'content-length', 'content-disposition', 'etag'],
  ...['accept-ranges', 'content-range'],
];

/** What a file of somebody else's may do in a browser: be shown as what it is. Its address holds a signature. */
const storedHeaders = {
  'Cache-Control': 'private, no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Referrer-Policy': 'no-referrer',
};

/**
 * Forwards an upload or a download below `/store` to the store, whose own address was signed. The store decides by the
 * signature; only what else it serves beside our bucket, such as pages for its operator, is kept in here. Networks take
 * turns.
 * @throws OVERLOADED when too much waits
 */
export async function forwardToStore(req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (!env.S3_PROXY_UPLOADS || !env.S3_ENDPOINT) return sendError(req, res, 404, 'Not found');
  if (!['PUT', 'GET', 'OPTIONS'].includes(req.method ?? '')) return sendError(req, res, 405, 'Method not allowed');
  const target = new URL(env.S3_ENDPOINT);
  const path = (req.url ?? '').slice(storePath.length);
  if (!path.startsWith(`${target.pathname.replace(/\/$/, '')}/${env.S3_BUCKET}/`)) {
    return sendError(req, res, 404, 'Not found');
  }
  const names = req.method === 'PUT' ? [...sent, 'content-length'] : sent;
  const options = {
    method: req.method,
    path,
    headers: {
      ...Object.fromEntries(names.map((name) => [name, req.headers[name]]).filter(([, value]) => isForwarded(value))),
      host: target.host,
    },
  };
  const signal = closing(res);
  await forwardInTurn(addressOf(req), () => forward(req, res, target, options), signal).catch(unlessGone(signal));
}

/** Forwards a request to the store, and its response back. Resolves when that is sent, or cannot be. */
function forward(req: IncomingMessage, res: ServerResponse, target: URL, options: RequestOptions): Promise<void> {
  const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise<void>((resolve) => {
    let isLate = false;
    const body = passInTurn(addressOf(req));
    const onward = send(target, options, (response) => {
      stopWaiting();
      // Refused before the end of the body: the client gets to read why, and can go on with the same connection.
      const isEarly = !req.complete;
      if (isEarly) {
        req.unpipe(body);
        dropBody(req, res, maxEvidenceBytes);
      }
      const kept = Object.entries(response.headers).filter(
        ([name]) => sentBack.includes(name) || name.startsWith('access-control-'),
      );
      const headers = Object.fromEntries(kept.map(([name, value]) => [name, value?.toString() ?? '']));
      res.writeHead(response.statusCode ?? 502, { ...headers, ...storedHeaders });
      // Buffers of the operating system take most of a file from the store, whatever the client takes of it.
      const sizeBytes = req.method === 'GET' ? Number(response.headers['content-length'] ?? 0) : 0;
      spendShare(originOf(addressOf(req)), (partMsPerMiB * sizeBytes) / 1024 ** 2);
      pipeline(response, (bytes: IncomingMessage) => chunksInTurn(bytes, addressOf(req)), res)
        .catch(() => undefined)
        .finally(() => {
          if (isEarly) onward.destroy();
          resolve();
        });
    });
    const patience = setTimeout(() => {
      isLate = true;
      onward.destroy();
    }, storeResponseMs);
    const extend = () => patience.refresh();
    const giveUp = () => onward.destroy();
    const stopWaiting = () => {
      clearTimeout(patience);
      req.off('data', extend);
      res.off('close', giveUp);
    };
    const fail = () => {
      stopWaiting();
      req.unpipe(body);
      if (res.writableEnded) return;
      if (res.headersSent || res.destroyed) res.destroy();
      else if (isLate) sendError(req, res, 504, 'The object store does not answer. Try again later.');
      else sendError(req, res, 502, 'The object store cannot be reached');
      resolve();
    };
    onward.on('error', fail);
    // The answer to an offer that nobody has made, after which Node emits neither a response nor an error.
    onward.once('upgrade', (_response, socket) => {
      socket.destroy();
      fail();
    });
    // Not a pipeline, which would destroy the socket: an error before the end of the body has to reach the browser.
    res.once('close', giveUp);
    req.on('data', extend);
    if (req.method === 'PUT') {
      body.once('error', (error) => onward.destroy(error));
      req.pipe(body).pipe(onward);
    } else {
      // Node sends the body of another method without its length: the store would take it for the next request on the
      // connection, and somebody else would get the response to it.
      dropBody(req, res);
      onward.end();
    }
  });
}
