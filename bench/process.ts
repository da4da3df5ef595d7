import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bundleFile } from '@/test/bundle';

type Running = { child: ChildProcess; url: string };
type ForkOptions = { env?: NodeJS.ProcessEnv; stdio?: ('ignore' | 'inherit' | 'ipc')[] };

const folder = fileURLToPath(new URL('./', import.meta.url));

/** Where the bundle of each file is. */
const bundled = new Map<string, Promise<string>>();

/**
 * Forks a file of this folder. TypeScript is bundled first: the loader that runs scripts names each function whenever it is
 * made, which costs the processes that are measured a part of their time that they do not need in production.
 */
export async function forkFile(file: string, args: string[] = [], options: ForkOptions = {}): Promise<ChildProcess> {
  const source = path.join(folder, file);
  if (!file.endsWith('.ts')) return fork(source, args, { execArgv: [], ...options });
  const outfile = bundled.get(file) ?? bundleFile(source, `bench/${path.basename(file, '.ts')}`);
  bundled.set(file, outfile);
  return fork(await outfile, args, { execArgv: [], ...options });
}

/**
 * Starts a file of this folder as in production, in a process of its own. Its logs are written, and discarded.
 * @returns the process, and the address that it sent when it was ready
 */
export async function startProcess(file: string, args: string[] = [], settings = {}): Promise<Running> {
  const child = await forkFile(file, args, {
    env: { ...process.env, NODE_ENV: 'production', LOG_LEVEL: 'info', ...settings },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [url] = await once(child, 'message');
  return { child, url: String(url) };
}

/** Starts both sides of a comparison. */
export async function startSides(file: string, settings = {}): Promise<{ ours: Running; floor: Running }> {
  return { ours: await startProcess(file, ['ours'], settings), floor: await startProcess(file, ['floor'], settings) };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Starts the built product in a process of its own. @param probe a file of this folder that it imports first */
export async function startProduct(probe?: string): Promise<Running> {
  const port = await freePort();
  const child = fork('.build/app/main.js', [], {
    execArgv: probe ? ['--import', new URL(probe, import.meta.url).href] : [],
    env: { ...process.env, NODE_ENV: 'production', PORT: String(port), HOST: '127.0.0.1', LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const url = `http://127.0.0.1:${port}`;
  for (;;) {
    if (child.exitCode !== null) throw new Error('the product did not start; build it first: npm run build');
    const ready = await fetch(`${url}/readyz`).catch(() => null);
    if (ready?.ok) return { child, url };
    await pause(200);
  }
}
