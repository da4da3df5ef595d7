import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Demo } from '../src/embedded/demo/demo';

/** A product under test, started with the start script. */
export interface Laurel {
  url: string;
  dataDir: string;
  /** Everything it has printed so far. */
  output: () => string;
  /** Stops it, as Ctrl-C does by default. */
  stop: (signal?: NodeJS.Signals) => Promise<number | null>;
  /** Kills all of its processes at once, like a power cut. */
  kill: () => Promise<void>;
}

/** An empty data directory that PostgreSQL's own user can enter when the tests run as root. */
export function newDataDir(): string {
  const parent = mkdtempSync(path.join(tmpdir(), 'laurel e2e '));
  chmodSync(parent, 0o711);
  return path.join(parent, 'data');
}

/** Deletes what `newDataDir` created. */
export function removeDataDir(dataDir: string): void {
  rmSync(path.dirname(dataDir), { recursive: true, force: true });
}

/** The content of the demo, once a start has seeded it. */
export function readDemo(dataDir: string): Demo {
  return JSON.parse(readFileSync(path.join(dataDir, 'demo.json'), 'utf8')) as Demo;
}

/** A port of 127.0.0.1 that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** Set to nothing, which overrides a .env file, so that tests never reach a developer's services. */
const ownServices = Object.fromEntries(
  [
    ...readFileSync('.env.example', 'utf8').matchAll(/^# ([A-Z0-9_]+(?:_URL|_KEY|_SECRET|_ID|_ENDPOINT|_BUCKET))=/gm),
  ].map(([, name]) => [name, '']),
);

/**
 * Runs the start script on a data directory and waits for its last line.
 * @param command what runs it
 */
export async function startLaurel(
  dataDir: string,
  port: number,
  env: Record<string, string> = {},
  [program, ...args]: [string, ...string[]] = [process.execPath, 'src/embedded/start.mjs'],
): Promise<Laurel> {
  const child = spawn(program, args, {
    env: {
      ...process.env,
      ...ownServices,
      LOG_LEVEL: 'warn',
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
      ...env,
      PORT: String(port),
      LAUREL_DATA_DIR: dataDir,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      output += chunk;
      if (/^Laurel is ready: /m.test(output)) resolve();
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    ended.then((code) => reject(new Error(`The start ended with ${code}:\n${output}`)));
  });
  const pid = child.pid ?? 0;
  return {
    url: /^Laurel is ready: (\S+)/m.exec(output)?.[1] ?? '',
    dataDir,
    output: () => output,
    stop: (signal = 'SIGINT') => {
      child.kill(signal);
      return ended;
    },
    kill: async () => {
      for (const victim of familyOf(pid)) killIfThere(victim);
      await ended;
    },
  };
}

/** Some exit by themselves as soon as their parent is gone. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** A process and all of its descendants, itself first. */
function familyOf(pid: number): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const parents = rows.map((row) => row.trim().split(/\s+/).map(Number));
  const family = [pid];
  for (const member of family) for (const [child = 0, parent] of parents) if (parent === member) family.push(child);
  return family;
}
