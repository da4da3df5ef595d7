import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
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
