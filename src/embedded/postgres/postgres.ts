import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, statSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { lockDataDir, openDataDir } from '../data-dir';
import { commandOf, freePort, identityOf, isAlive, signal, until } from '../processes';
import { StartError } from '../start-error';
import { type Account, postgresAccount } from './account';
import { type Binaries, findBinaries } from './binaries';
import { type Cluster, createCluster, locateCluster, SHARED_ROOT } from './cluster';

export interface EmbeddedPostgresOptions {
  dataDir: string;
  /** TCP port on 127.0.0.1; a free one by default. */
  port?: number;
  /** Trades durability for speed, for temporary databases. */
  fast?: boolean;
  log: (line: string) => void;
}

export interface EmbeddedPostgres {
  /** Connection string of the database `laurel`. */
  url: string;
  pid: number;
  /** Resolves when PostgreSQL has exited, through `stop` or by itself. */
  ended: Promise<void>;
  /** Writes what is not on the disk yet, so that a stop has little left to write. Never fails: a stop writes the rest. */
  flush(): Promise<void>;
  /** Disconnects all clients, flushes and exits, within a few seconds. */
  stop(): Promise<void>;
}

/**
 * The shell becomes PostgreSQL, and a guard beside it stops PostgreSQL when the starting process is gone (its pipe
 * closes).
 */
const GUARDED = `exec 3<&0; ( ( if read -r end <&3; then exit 0; fi; kill -INT $$ ) >/dev/null 2>&1 & ); exec "$@" 3<&- </dev/null`;

/**
 * Starts the PostgreSQL that belongs to a data directory and creates it on the first call. Recovers from a killed
 * start: stops a PostgreSQL left behind and clears its stale lock.
 * @throws StartError with one line when the directory or the system does not allow it.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = path.resolve(options.dataDir);
  await openDataDir(dataDir);
  const unlock = await lockDataDir(dataDir);
  try {
    const account = postgresAccount();
    const fallback = account.ids.uid === undefined ? dataDir : SHARED_ROOT;
    const binaries = await findBinaries(account, fallback, options.log);
    const cluster = await locateCluster(dataDir, account, options.log);
    await createCluster(cluster, binaries, account, options.fast === true);
    await stopLeftover(cluster, options.log);
    const running = await launch(cluster, binaries, account, { ...options, dataDir });
    const ended = running.ended.then(unlock);
    const stop = async () => {
      await running.stop();
      await ended;
    };
    return { ...running, ended, stop };
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** A previous PostgreSQL on these files has lost its parent, or the data directory's lock would have stopped us. */
async function stopLeftover(cluster: Cluster, log: (line: string) => void): Promise<void> {
  const file = path.join(cluster.directory, 'postmaster.pid');
  const pid = Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10);
  if (!pid) return;
  const identity = identityOf(pid);
  if (identity && commandOf(pid).includes(cluster.directory)) {
    log(`A PostgreSQL left behind by a killed start (process ${pid}) is being stopped`);
    for (const [name, patience] of [
      ['SIGINT', 10_000],
      ['SIGQUIT', 5_000],
      ['SIGKILL', 5_000],
    ] as const) {
      signal(pid, name);
      if (await until(() => identityOf(pid) !== identity, patience)) break;
    }
  }
  // Otherwise another process has the id now, and PostgreSQL would mistake it for itself.
  await rm(file, { force: true });
}

async function launch(
  cluster: Cluster,
  binaries: Binaries,
  account: Account,
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const logFile = path.join(options.dataDir, 'postgres.log');
  const deadline = Date.now() + 30_000;
  for (;;) {
    const port = options.port ?? (await freePort());
    const start = logSize(logFile);
    const child = run(cluster, binaries, account, port, options.fast === true, logFile);
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    ended.then(() => child.stdin?.end('end\n'));
    const url = `postgresql://laurel:${cluster.password}@127.0.0.1:${port}/laurel`;
    const stop = () => end(child, ended);
    try {
      await ready(url, child);
      return { url, pid: child.pid ?? 0, ended, flush: () => flush(url), stop };
    } catch (error) {
      await stop();
      const output = (await readFile(logFile, 'utf8').catch(() => '')).slice(start);
      // Workers of a killed PostgreSQL take a moment to exit, and a port found free can be in use by now.
      const temporary = /pre-existing shared memory block|could not bind IPv4 address|Address already in use/.test(
        output,
      );
      if (temporary && options.port === undefined && Date.now() < deadline) {
        await until(() => false, 250);
        continue;
      }
      const reason = /(?:FATAL|PANIC): +(.*)/.exec(output)?.[1] ?? (error as Error).message;
      throw new StartError(`PostgreSQL did not start: ${reason} (see ${logFile})`);
    }
  }
}

function run(cluster: Cluster, binaries: Binaries, account: Account, port: number, fast: boolean, logFile: string) {
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Whoever tries something twice would fill the log with statements, and with what others wrote; ours says what failed.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
  };
  if (fast) Object.assign(settings, { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' });
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const program = path.join(binaries.directory, 'bin', 'postgres');
  const output = openSync(logFile, logSize(logFile) > 20_000_000 ? 'w' : 'a', 0o600);
  const child = spawn(
    '/bin/sh',
    ['-c', GUARDED, 'sh', program, '-D', cluster.directory, '-p', String(port), ...flags],
    {
      ...account.ids,
      cwd: '/',
      // Its own process group: Ctrl-C reaches the supervisor alone, which stops everything in order.
      detached: true,
      stdio: ['pipe', output, output],
      env: { ...process.env, LC_ALL: 'C' },
    },
  );
  closeSync(output);
  child.stdin?.on('error', () => undefined);
  return child;
}

/**
 * Resolves when the database `laurel` responds. Crash recovery can take long, so only an exit of PostgreSQL is a
 * failure.
 */
async function ready(url: string, child: ChildProcess): Promise<void> {
  const ended = () => child.exitCode !== null || child.signalCode !== null;
  let failure: unknown;
  const responded = await until(
    async () => {
      if (ended()) return true;
      const client = new Client({
        connectionString: url.replace(/laurel$/, 'postgres'),
        connectionTimeoutMillis: 5_000,
      });
      client.on('error', () => undefined);
      try {
        await client.connect();
        const existing = await client.query(`SELECT 1 FROM pg_database WHERE datname = 'laurel'`);
        if (existing.rowCount === 0) await client.query('CREATE DATABASE laurel');
        return true;
      } catch (error) {
        failure = error;
        if ((error as { code?: string }).code === '28P01') throw error;
        return false;
      } finally {
        await client.end().catch(() => undefined);
      }
    },
    600_000,
    30,
  );
  if (!responded || ended()) throw failure instanceof Error ? failure : new Error('it exited at once');
}

async function flush(url: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('CHECKPOINT');
  } catch {
    // PostgreSQL is stopping, or busy: it writes everything when it stops.
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function end(child: ChildProcess, ended: Promise<void>): Promise<void> {
  const pid = child.pid;
  if (!pid) return;
  for (const [name, patience] of [
    ['SIGINT', 8_000],
    ['SIGQUIT', 3_000],
    ['SIGKILL', 3_000],
  ] as const) {
    if (child.exitCode !== null || child.signalCode !== null || !isAlive(pid)) break;
    signal(pid, name);
    const timer = new AbortController();
    await Promise.race([ended, until(() => timer.signal.aborted, patience)]);
    timer.abort();
  }
}

function logSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
