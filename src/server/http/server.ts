import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { oneClickPath } from '@/server/email/unsubscribe';
import { describeError } from '@/server/errors';
import { startLive } from '@/server/events/live';
import { addressOf, callerStore } from '@/server/http/caller-address';
import { closing, dropUnread, fromNode, sendText, sendToNode } from '@/server/http/exchange';
import { startHousekeeping } from '@/server/http/housekeeping';
import { forwardToStore, mediaPrefix, sendMedia } from '@/server/http/media';
import { callerOfPage, formArrives, isBelow, protectPage, refusalOfPage } from '@/server/http/page-request';
import { metricsRoute, type ReadinessCheck, sendHealth, sendReadiness } from '@/server/http/probes';
import { handleRest } from '@/server/http/rest/handler';
import { restPrefix } from '@/server/http/rest/routes';
import { refuseBrokenRequest } from '@/server/http/sockets/abort';
import { limitArrivals } from '@/server/http/sockets/arrivals';
import { limitConnections } from '@/server/http/sockets/connection-limit';
import { oneAtATime } from '@/server/http/sockets/connections';
import { limitPackets, limitPieces } from '@/server/http/sockets/pieces';
import { limitSlowReaders } from '@/server/http/sockets/slow-readers';
import { guardUpgrades } from '@/server/http/sockets/upgrades';
import { sendStatic } from '@/server/http/static-files';
import { handleTrpc, trpcPrefix } from '@/server/http/trpc/handler';
import { beginInTurn, renderInTurn } from '@/server/http/turns/turns';
import { handleUnsubscribe } from '@/server/http/unsubscribe';
import { liveStreams } from '@/server/limits/live-streams';
import { logger } from '@/server/logger';
import type { Metrics } from '@/server/metrics';
import { storePath } from '@/server/storage/object-store';
import { noteConnection } from '@/server/worker/new-connections';
import { installWorker } from '@/server/worker/offload';
import { type WorkerOptions, WorkerThreads } from '@/server/worker/thread';
import { keepWaiting } from '@/server/worker/waiting';

type NodeHandler = (req: IncomingMessage, res: ServerResponse) => void | Promise<void>;

export type ServerOptions = {
  /** 0 takes a free port. */
  port: number;
  host: string;
  /** Whether Next.js handles what is not the API. Without it, such paths are 404. */
  withNext: boolean;
  /** Next.js builds pages as they are asked for. */
  dev?: boolean;
  /** Mounted at `/api/inngest`; only where an Inngest server calls in, since that server's requests are signed. */
  inngest?: NodeHandler;
  /** The threads that read and change large draws; without them, it happens in this thread. */
  worker?: WorkerOptions;
  /** Parts that `/readyz` names as degraded when they fail; database and store are asked in any case. */
  dispensable?: Record<string, ReadinessCheck>;
  /** Metrics of a process beside this one, which `/metrics` shows too. */
  metricsBeside?: () => Promise<Metrics>;
};

export type RunningServer = { port: number; url: string; stop: () => Promise<void> };

/**
 * Largest bodies of requests whose handlers read all they are sent, in bytes: sign-in forms, of which next-auth takes twelve
 * milliseconds for 64 KiB of fields, and steps from an Inngest server.
 */
const formLimit = 8 * 1024;
const stepLimit = 40 * 1024 * 1024;

/**
 * Header lines of a request. Of further ones Node tells nobody, though the length of the body that it reads, or the address that
 * a proxy adds, may be among them.
 */
const maxHeaderLines = 200;

/**
 * Connections that the operating system keeps until they are accepted; it may allow fewer. Of Node's 511, one machine fills all
 * by opening some hundred at once, and those that others open meanwhile are tried again by their clients after a second or more.
 */
const waitingConnections = 65_535;

/** Time that running requests get to finish once the server stops. */
const drainMs = 6_000;

/** Next.js answers others with a failure of ours, or renders the page for nothing. */
const pageMethods = ['GET', 'HEAD', 'POST', 'OPTIONS'];

/**
 * The path and query that a request names, or why it is refused. Clients may name the whole address
 * (`GET http://host/path`), as they do to a proxy; it means the path.
 */
function readTarget(target: string): { url: string } | { refusal: string } {
  const rest = target.replace(/^https?:\/\/[^/?]*/i, '');
  const url = rest === target || rest.startsWith('/') ? rest : `/${rest}`;
  if (!url.startsWith('/')) return { refusal: 'The request names no path.' };
  // Browsers resolve these before they send. Next.js would do so here, behind what a proxy forbids by the path.
  if (url.includes('#')) return { refusal: 'The address has a fragment. Send it without # and what follows.' };
  if (/^[^?]*(?:\\|\/(?:\.|%2e){1,2}(?:[/?]|$))/i.test(url)) {
    return { refusal: 'The path has segments . or .., or a backslash. Send it without.' };
  }
  return { url };
}

/**
 * Refuses a body that is larger than the limit, or of a size that is not known before it has arrived.
 * @returns whether it did
 */
function refuseBody(req: IncomingMessage, res: ServerResponse, limit: number): boolean {
  const { 'transfer-encoding': encoding, 'content-length': length = '0' } = req.headers;
  if (encoding === undefined && Number(length) <= limit) return false;
  const [status, message] = encoding === undefined ? [413, 'The body is too large.'] : [411, 'Send Content-Length.'];
  sendText(res, status, message, { Connection: 'close' });
  return true;
}

async function nextHandler(
  options: ServerOptions,
  httpServer: Server,
): Promise<{ handle: NodeHandler; close: () => Promise<void> }> {
  const { default: next } = await import('next');
  const app = next({ dev: options.dev ?? false, dir: process.cwd(), httpServer, hostname: options.host });
  await app.prepare();
  return { handle: app.getRequestHandler(), close: () => app.close() };
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: waitingConnections }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Answers for what could not be handled. */
function fail(req: IncomingMessage, res: ServerResponse, error: unknown): void {
  const { status, reason, message, retryAfter = 3 } = describeError(error);
  if (status === 503 && !res.headersSent) {
    if (reason !== 'OVERLOADED') logger.warn({ err: error }, 'a part cannot be reached');
    sendText(res, status, message, { 'Retry-After': retryAfter });
    return;
  }
  logger.error({ err: error, path: req.url?.split('?')[0] }, 'request failed');
  if (res.headersSent) res.destroy();
  else sendText(res, 500, 'Internal server error');
}

/** Starts the HTTP server. Rejects when the port cannot be had. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  let draining = false;
  let pages: NodeHandler | undefined;
  const streams = new Set<ServerResponse>();
  const sockets = new Set<Socket>();
  const responses = new Set<ServerResponse>();
  const sendMetrics = metricsRoute(options.metricsBeside ?? (async () => []));

  async function route(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.rawHeaders.length > 2 * maxHeaderLines) {
      return sendText(res, 431, `A request has at most ${maxHeaderLines} header lines.`, { Connection: 'close' });
    }
    if (req.headers.host === undefined && req.httpVersionMinor > 0) {
      return sendText(res, 400, 'The request names no host.', { Connection: 'close' });
    }
    const target = readTarget(req.url ?? '/');
    if ('refusal' in target) return sendText(res, 400, target.refusal);
    const { url } = target;
    req.url = url;
    if (isBelow(url, restPrefix)) {
      const response = await handleRest(fromNode(req, res));
      const send = () => sendToNode(req, res, response);
      return response.isReference ? renderInTurn(res, { ip: addressOf(req), caller: '' }, send, true) : send();
    }
    if (isBelow(url, trpcPrefix)) {
      if (req.headers.accept?.includes('text/event-stream')) {
        streams.add(res);
        res.once('close', () => streams.delete(res));
      }
      return handleTrpc(req, res);
    }
    if (isBelow(url, oneClickPath)) return sendToNode(req, res, await handleUnsubscribe(fromNode(req, res)));
    if (isBelow(url, mediaPrefix)) return sendMedia(req, res);
    if (isBelow(url, storePath)) return forwardToStore(req, res);
    // Exactly these, so that a proxy that forbids one of them leaves no other way to it.
    const path = url.split('?', 1)[0];
    if (path === '/healthz') return sendHealth(res);
    if (path === '/readyz')
      return sendReadiness(res, options.dispensable ?? {}, draining || (options.withNext && !pages));
    if (path === '/metrics') return sendMetrics(res);
    if (isBelow(url, '/api/inngest') && options.inngest) {
      if (refuseBody(req, res, stepLimit)) return;
      // A call of a function that is refused loses its place in the line, and one of its tries.
      keepWaiting();
      return options.inngest(req, res);
    }
    if (!pageMethods.includes(req.method ?? '')) {
      return sendText(res, 405, 'Pages are read with GET.', { Allow: pageMethods.join(', ') });
    }
    if (refuseBody(req, res, formLimit)) return;
    const refusal = refusalOfPage(url);
    if (refusal) return sendText(res, 400, refusal);
    if (req.method === 'POST' && !(await formArrives(req))) {
      return sendText(res, 408, 'The body did not arrive in time.', { Connection: 'close' });
    }
    if (pages) {
      if (isBelow(url, '/_next/static')) return options.dev ? pages(req, res) : sendStatic(req, res);
      // Before headers are removed, since X-Forwarded-For may be one of them.
      const ip = addressOf(req);
      protectPage(req, res, options.dev);
      const render = pages;
      const reader = { ip, signal: closing(res) };
      const asker = { ip, caller: await callerOfPage(req) };
      return renderInTurn(res, asker, () => callerStore.run(reader, render, req, res), isBelow(url, '/docs'));
    }
    if (options.withNext) return sendText(res, 503, 'Starting', { 'Retry-After': '2' });
    sendText(res, 404, 'Not found');
  }

  const answerInTurn = oneAtATime((req, res) => {
    // Otherwise Node would go on parsing a body without a length that nothing reads.
    if (draining || req.headers['transfer-encoding'] !== undefined) res.setHeader('Connection', 'close');
    dropUnread(req, res);
    // Each turn that a page waits for listens to its end, and Node would write a warning about more than ten to the log.
    res.setMaxListeners(50);
    responses.add(res);
    res.once('close', () => responses.delete(res));
    const ip = addressOf(req);
    const answer = () => void (req.socket.destroyed || route(req, res).catch((error) => fail(req, res, error)));
    const signal = closing(res);
    beginInTurn(ip, answer, signal).catch((error) => signal.aborted || fail(req, res, error));
  });
  // Node would answer requests without a host itself, however many arrive at once.
  const server = createServer({ requireHostHeader: false }, answerInTurn);
  // What expects anything but 100-continue, Node would answer by itself, as much of it as a connection sends ahead, and what
  // watches requests would not see it.
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  server.on('connection', (socket: Socket) => {
    noteConnection();
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('clientError', (error, socket) => refuseBrokenRequest(error, socket as Socket));
  server.maxHeadersCount = maxHeaderLines;
  server.requestTimeout = 60_000;
  server.keepAliveTimeout = 65_000;
  limitConnections(server);
  limitPackets(server);
  limitArrivals(server);
  limitPieces(server);
  const stopLimiting = limitSlowReaders(server);

  const worker = options.worker && new WorkerThreads(options.worker);
  installWorker(worker);
  await startLive();
  const stopHousekeeping = startHousekeeping();
  const port = await listen(server, options.port, options.host);
  const stage = guardUpgrades(server, options.dev ?? false);
  const next = options.withNext ? await nextHandler(options, stage) : null;
  pages = next?.handle;

  async function stop(): Promise<void> {
    if (draining) return;
    draining = true;
    stopHousekeeping();
    stopLimiting();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    // Subscriptions never end by themselves; their clients connect to another process.
    for (const stream of streams) stream.destroy();
    // A request that has not arrived whole was not begun; the others finish, and their connections go one by one.
    const closeIdle = () => {
      const busy = new Set([...responses].map((response) => response.req.socket));
      for (const socket of sockets) if (!busy.has(socket)) socket.destroy();
    };
    // A client that used the connection again would take the end of it for a request that was cut off.
    for (const response of responses) if (!response.headersSent) response.setHeader('Connection', 'close');
    closeIdle();
    const sweep = setInterval(closeIdle, 50);
    const timer = setTimeout(() => server.closeAllConnections(), drainMs);
    await closed;
    clearInterval(sweep);
    clearTimeout(timer);
    await next?.close();
    installWorker(undefined);
    await worker?.stop();
    await liveStreams.stop();
  }

  const shown = options.host === '0.0.0.0' || options.host === '::' ? 'localhost' : options.host;
  return { port, url: `http://${shown.includes(':') ? `[${shown}]` : shown}:${port}`, stop };
}
