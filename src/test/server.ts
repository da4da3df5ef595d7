import { createTRPCClient, httpBatchLink, httpSubscriptionLink, splitLink, type TRPCClient } from '@trpc/client';
import { EventSource } from 'undici';
import { afterAll, beforeAll } from 'vitest';
import { maxBatchSize } from '@/domain/network/batches';
import { transformer } from '@/domain/network/transformer';
import { stopLive } from '@/server/events/live';
import { reasonsOf } from '@/server/http/openapi/errors';
import { routeTable } from '@/server/http/rest/routes';
import { type ServerOptions, startServer } from '@/server/http/server';
import type { AppRouter } from '@/server/routers/_app';

export type ApiResponse<T> = {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed JSON body; an empty object when there is none. */
  body: T;
  /** `error.code` of an error. */
  reason: string | undefined;
};

export type CallOptions = {
  /** `Bearer …`, from the factories. */
  bearer?: string;
  apiKey?: string;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent unchanged, without a Content-Type unless `headers` has one. */
  raw?: string | Uint8Array | ReadableStream<Uint8Array>;
  headers?: Record<string, string>;
};

export type TestServer = {
  url: string;
  /** `path` is the whole path, or the part after `/api/v1` if it does not start with `/api/`. */
  call: <T = Record<string, unknown>>(method: string, path: string, options?: CallOptions) => Promise<ApiResponse<T>>;
  get: <T = Record<string, unknown>>(path: string, options?: CallOptions) => Promise<ApiResponse<T>>;
  post: <T = Record<string, unknown>>(path: string, options?: CallOptions) => Promise<ApiResponse<T>>;
  patch: <T = Record<string, unknown>>(path: string, options?: CallOptions) => Promise<ApiResponse<T>>;
  put: <T = Record<string, unknown>>(path: string, options?: CallOptions) => Promise<ApiResponse<T>>;
  delete: <T = Record<string, unknown>>(path: string, options?: CallOptions) => Promise<ApiResponse<T>>;
  /** A tRPC client over HTTP for the caller of the Bearer value; its subscriptions are those of an anonymous page. */
  trpc: (bearer?: string) => TRPCClient<AppRouter>;
  stop: () => Promise<void>;
};

/** An error that the API reference does not name for its route fails the test, so that the reference is complete. */
function requireDocumented(method: string, path: string, reason: string | undefined): void {
  const route = routeTable.findPath(path.replace('/api/v1', '').replace(/\?.*$/, ''))?.found.byMethod.get(method);
  if (!reason || !route || (reasonsOf(route) as string[]).includes(reason)) return;
  throw new Error(`${method} ${route.pattern} returned ${reason}, which its meta.errors does not name`);
}

/** Starts the real server, without pages, before the tests of a file and stops it after them. Usable inside tests only. */
export function setupTestServer(): TestServer {
  const server = {} as TestServer;
  beforeAll(async () => {
    Object.assign(server, await startTestServer());
  });
  afterAll(() => server.stop());
  return server;
}

/** Calls a server of the product, wherever it runs. @param origin such as `http://127.0.0.1:3000` */
export function clientOf(origin: string): Omit<TestServer, 'stop'> {
  async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<ApiResponse<T>> {
    const headers = new Headers(options.headers);
    if (options.bearer) headers.set('Authorization', options.bearer);
    if (options.apiKey) headers.set('X-API-Key', options.apiKey);
    if (options.body !== undefined) headers.set('Content-Type', 'application/json');
    const body = options.body === undefined ? options.raw : JSON.stringify(options.body);
    const whole = path.startsWith('/api/') ? path : `/api/v1${path}`;
    const init = { method, headers, body, duplex: 'half' } as RequestInit;
    const response = await fetch(`${origin}${whole}`, init);
    const text = await response.text();
    const isJson = text !== '' && (response.headers.get('content-type') ?? '').includes('json');
    const parsed = isJson ? JSON.parse(text) : {};
    requireDocumented(method, whole, parsed?.error?.code);
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: parsed as T,
      reason: parsed?.error?.code,
    };
  }

  function trpc(bearer?: string): TRPCClient<AppRouter> {
    const url = `${origin}/api/trpc`;
    const headers = bearer ? { authorization: bearer } : {};
    return createTRPCClient<AppRouter>({
      links: [
        splitLink({
          condition: (operation) => operation.type === 'subscription',
          true: httpSubscriptionLink({ url, transformer, EventSource }),
          false: httpBatchLink({ url, headers, transformer, maxItems: maxBatchSize }),
        }),
      ],
    });
  }

  return {
    url: origin,
    call,
    get: (path, options) => call('GET', path, options),
    post: (path, options) => call('POST', path, options),
    patch: (path, options) => call('PATCH', path, options),
    put: (path, options) => call('PUT', path, options),
    delete: (path, options) => call('DELETE', path, options),
    trpc,
  };
}

/** The real server on a free port of 127.0.0.1, without pages. The test that starts it stops it. */
export async function startTestServer(options: Pick<ServerOptions, 'worker'> = {}): Promise<TestServer> {
  const server = await startServer({ port: 0, host: '127.0.0.1', withNext: false, ...options });
  return {
    ...clientOf(server.url),
    stop: async () => {
      await server.stop();
      await stopLive();
    },
  };
}
