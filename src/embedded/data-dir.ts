import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { identityOf, until } from './processes';
import { StartError } from './start-error';

/**
 * Creates the data directory if it is missing and proves that it can be written.
 * @throws StartError naming the directory and the reason.
 */
export async function openDataDir(dataDir: string): Promise<void> {
  const probe = path.join(dataDir, `.write-test-${process.pid}`);
  try {
    // Other users can pass through, as PostgreSQL's own user must, but cannot list it.
    await mkdir(dataDir, { recursive: true, mode: 0o711 });
    await writeFile(probe, '');
    await rm(probe);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new StartError(
      `The data directory ${dataDir} cannot be written (${reason}); choose another with LAUREL_DATA_DIR`,
    );
  }
}

/**
 * Locks the data directory for this process; the lock of a process that died does not count.
 * @returns the function that releases the lock.
 * @throws StartError when a running process holds the lock.
 */
export async function lockDataDir(dataDir: string): Promise<() => Promise<void>> {
  const file = path.join(dataDir, 'running.json');
  const mine = JSON.stringify({ pid: process.pid, identity: identityOf(process.pid) });
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      const handle = await open(file, 'wx');
      await handle.writeFile(mine);
      await handle.close();
      return () => rm(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = await readJson<{ pid: number; identity: string }>(file);
    // A process that was just killed can take a moment to disappear.
    if (holder && !(await until(() => identityOf(holder.pid) !== holder.identity, 3_000))) {
      throw new StartError(
        `Laurel is already running on the data directory ${dataDir} (process ${holder.pid}); stop it first`,
      );
    }
    await rm(file, { force: true });
  }
  throw new StartError(`The data directory ${dataDir} is being opened by another process; try again`);
}

/** The parsed file, or null when it is missing or truncated. */
export async function readJson<T>(file: string): Promise<T | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as T;
  } catch {
    return null;
  }
}

/** Writes a file that only its owner can read, atomically. */
export async function writePrivateJson(file: string, value: unknown): Promise<void> {
  const unfinished = `${file}.${randomBytes(4).toString('hex')}.part`;
  await writeFile(unfinished, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await rename(unfinished, file);
}

type Secrets = { AUTH_SECRET: string; SECRETS_KEY: string; S3_SECRET_ACCESS_KEY: string };

/** Keys generated once per data directory, so that sessions and encrypted secrets survive a restart. */
export async function readSecrets(dataDir: string): Promise<Secrets> {
  const file = path.join(dataDir, 'secrets.json');
  const stored = await readJson<Partial<Secrets>>(file);
  const { AUTH_SECRET, SECRETS_KEY, S3_SECRET_ACCESS_KEY } = stored ?? {};
  if (AUTH_SECRET && SECRETS_KEY && S3_SECRET_ACCESS_KEY) return { AUTH_SECRET, SECRETS_KEY, S3_SECRET_ACCESS_KEY };
  if (existsSync(file) && !(AUTH_SECRET && SECRETS_KEY)) {
    throw new StartError(`${file} is damaged; restore it, or delete it and lose what it encrypts`);
  }
  const secrets = {
    AUTH_SECRET: AUTH_SECRET ?? randomBytes(48).toString('base64url'),
    SECRETS_KEY: SECRETS_KEY ?? randomBytes(32).toString('base64'),
    S3_SECRET_ACCESS_KEY: S3_SECRET_ACCESS_KEY ?? randomBytes(32).toString('base64url'),
  };
  await writePrivateJson(file, secrets);
  return secrets;
}
