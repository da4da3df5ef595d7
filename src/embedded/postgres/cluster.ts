import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readJson, writePrivateJson } from '../data-dir';
import { StartError } from '../start-error';
import type { Account } from './account';
import type { Binaries } from './binaries';

/**
 * Where the embedded PostgreSQL stores its data when Laurel runs as root and PostgreSQL's user cannot reach the data
 * directory.
 */
export const SHARED_ROOT = '/var/lib/laurel';

/** The files of one PostgreSQL and the password of its only role. */
export interface Cluster {
  directory: string;
  password: string;
}

/**
 * Finds the cluster that belongs to the data directory, or chooses its location. `postgres.json` in the data directory
 * remembers it, because modes of parent directories can change between two starts.
 */
export async function locateCluster(dataDir: string, account: Account, log: (line: string) => void): Promise<Cluster> {
  const file = path.join(dataDir, 'postgres.json');
  const stored = await readJson<{ directory: string; password: string }>(file);
  if (stored?.password) return { directory: path.resolve(dataDir, stored.directory), password: stored.password };
  let directory = 'postgres';
  if (existsSync(path.join(dataDir, directory, 'PG_VERSION'))) {
    throw new StartError(`${file} is missing, and the database beside it cannot be opened without it; restore it`);
  }
  await own(path.join(dataDir, directory), account);
  if (!reaches(account, path.join(dataDir, directory))) {
    await rm(path.join(dataDir, directory), { recursive: true });
    directory = path.join(SHARED_ROOT, randomBytes(6).toString('hex'));
    log(`The database is stored in ${directory}: the user "${account.name}" that runs it cannot reach ${dataDir}`);
  }
  const password = randomBytes(24).toString('base64url');
  await writePrivateJson(file, { directory, password });
  return { directory: path.resolve(dataDir, directory), password };
}

/**
 * Creates the cluster's files unless they exist.
 * @throws StartError when they belong to another major version, or initdb fails.
 */
export async function createCluster(
  cluster: Cluster,
  binaries: Binaries,
  account: Account,
  fast: boolean,
): Promise<void> {
  const version = await readFile(path.join(cluster.directory, 'PG_VERSION'), 'utf8').catch(() => null);
  if (version !== null) {
    const found = Number(version.trim());
    if (found === binaries.major) return;
    const verb = found > binaries.major ? 'is newer: it' : 'is older: it';
    throw new StartError(
      `The database in ${cluster.directory} ${verb} was created by PostgreSQL ${version.trim()}, and this is PostgreSQL ${binaries.major}; ` +
        (found > binaries.major ? 'start the newer Laurel it belongs to' : 'dump it with the version it belongs to'),
    );
  }
  const unfinished = `${cluster.directory}.part`;
  await mkdir(path.dirname(cluster.directory), { recursive: true, mode: 0o755 });
  await rm(unfinished, { recursive: true, force: true });
  await own(unfinished, account);
  const passwordFile = path.join(path.dirname(unfinished), `.${path.basename(unfinished)}.password`);
  await writeFile(passwordFile, cluster.password, { mode: 0o600 });
  try {
    if (account.ids.uid !== undefined) chownSync(passwordFile, account.ids.uid, account.ids.gid ?? account.ids.uid);
    const flags = [`--pgdata=${unfinished}`, '--username=laurel', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
    // The built-in provider sorts and folds the same on every system, whatever locales are installed.
    flags.push(
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
    );
    if (fast) flags.push('--no-sync');
    const initdb = path.join(binaries.directory, 'bin', 'initdb');
    execFileSync(initdb, flags, { ...account.ids, cwd: '/', stdio: 'pipe', env: { ...process.env, LC_ALL: 'C' } });
    await rm(cluster.directory, { recursive: true, force: true });
    await rename(unfinished, cluster.directory);
  } catch (error) {
    const output = String((error as { stderr?: Buffer }).stderr ?? '').trim();
    throw new StartError(
      `The database in ${cluster.directory} cannot be created: ${output.split('\n').at(-1) || error}`,
    );
  } finally {
    await rm(passwordFile, { force: true });
  }
}

async function own(directory: string, account: Account): Promise<void> {
  await mkdir(directory, { recursive: true });
  if (account.ids.uid !== undefined) chownSync(directory, account.ids.uid, account.ids.gid ?? account.ids.uid);
  await chmod(directory, 0o700);
}

function reaches(account: Account, directory: string): boolean {
  if (account.ids.uid === undefined) return true;
  const script = 'cd "$1" && touch .reach && rm .reach';
  return (
    spawnSync('/bin/sh', ['-c', script, 'sh', directory], { ...account.ids, cwd: '/', stdio: 'ignore' }).status === 0
  );
}
