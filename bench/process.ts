import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

type Running = { child: ChildProcess; url: string };

/**
 * Starts a file of this folder as in production, in a process of its own. Its logs are written, and discarded.
 * @returns the process, and the address that it sent when it was ready
 */
export async function startProcess(file: string, args: string[] = [], settings = {}): Promise<Running> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    execArgv: file.endsWith('.ts') ? ['--import', import.meta.resolve('tsx')] : [],
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
