import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { readSecrets } from '../data-dir';
import { isAlive, until } from '../processes';
import { startEmbeddedPostgres } from './postgres';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function directory(mode: number): Promise<string> {
  const parent = await mkdtemp(path.join(tmpdir(), 'laurel test '));
  await chmod(parent, mode);
  cleanups.push(() => rm(parent, { recursive: true, force: true }));
  return path.join(parent, 'data dir');
}

async function start(dataDir: string, lines: string[] = []) {
  const postgres = await startEmbeddedPostgres({ dataDir, fast: true, log: (line) => lines.push(line) });
  cleanups.push(() => postgres.stop());
  return postgres;
}

async function ask(url: string, sql: string) {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Starts PostgreSQL from a process of its own, which then dies without a word. */
async function startAndKillStarter(dataDir: string, also: 'nobody' | 'guard' = 'nobody') {
  const script = `import('./src/embedded/postgres/postgres.ts').then(async ({ startEmbeddedPostgres }) => {
    const postgres = await startEmbeddedPostgres({ dataDir: process.argv[1], fast: true, log: () => undefined });
    console.log(JSON.stringify({ url: postgres.url, pid: postgres.pid }));
    setInterval(() => undefined, 1000);
  });`;
  const child = spawn(process.execPath, ['--import', 'tsx', '-e', script, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((resolve) => child.stdout.once('data', (chunk) => resolve(String(chunk))));
  const running = JSON.parse(line) as { url: string; pid: number };
  if (also === 'guard') process.kill(running.pid, 'SIGSTOP');
  child.kill('SIGKILL');
  return running;
}

describe('the embedded PostgreSQL', () => {
  it('is made once, keeps its data, asks for its password and listens on the loopback alone', async () => {
    const dataDir = await directory(0o711);
    const first = await start(dataDir);
    await ask(first.url, 'CREATE TABLE kept AS SELECT 1 AS n');
    expect(await ask(first.url, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }]);
    await expect(ask(first.url.replace(/:[^:@]+@/, ':wrong@'), 'SELECT 1')).rejects.toThrow(/password/);
    await first.stop();
    const second = await start(dataDir);
    expect(await ask(second.url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
    expect((await stat(path.join(dataDir, 'postgres.json'))).mode & 0o077).toBe(0);
  });

  it('writes no statement that fails to its log, and no value in it', async () => {
    const dataDir = await directory(0o711);
    const postgres = await start(dataDir);
    await ask(postgres.url, 'CREATE TABLE once (name text UNIQUE)');
    const insert = `INSERT INTO once VALUES ('ada@example.test')`;
    await ask(postgres.url, insert);
    await expect(ask(postgres.url, insert)).rejects.toThrow(/once_name_key/);
    const log = await readFile(path.join(dataDir, 'postgres.log'), 'utf8');
    expect(log).toContain('once_name_key');
    expect(log).not.toContain('ada@example.test');
  });

  it('has little to write when it stops after what was written has been flushed', async () => {
    const dataDir = await directory(0o711);
    const postgres = await start(dataDir);
    await ask(postgres.url, `CREATE TABLE written AS SELECT repeat('x', 1000) FROM generate_series(1, 10000)`);
    await postgres.flush();
    await postgres.stop();
    const log = await readFile(path.join(dataDir, 'postgres.log'), 'utf8');
    const written = [...log.matchAll(/checkpoint complete: wrote (\d+) buffers/g)].map(([, buffers]) =>
      Number(buffers),
    );
    expect(written).toHaveLength(2);
    expect(written[0]).toBeGreaterThan(1_000);
    expect(written[1]).toBeLessThan(100);
    await postgres.flush();
  });

  it('works below a directory that only its owner may enter', async () => {
    const dataDir = await directory(0o700);
    const lines: string[] = [];
    const postgres = await start(dataDir, lines);
    expect(await ask(postgres.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
    const kept = JSON.parse(await readFile(path.join(dataDir, 'postgres.json'), 'utf8')) as { directory: string };
    if (process.getuid?.() === 0) {
      expect(lines.join('\n')).toContain('The database is stored in');
      cleanups.unshift(() => rm(kept.directory, { recursive: true, force: true }));
    } else {
      expect(kept.directory).toBe('postgres');
    }
  });

  it('ends when the process that started it is killed', async () => {
    const { pid } = await startAndKillStarter(await directory(0o711));
    expect(await until(() => !isAlive(pid), 10_000)).toBe(true);
  });

  it('starts again beside one that was left behind, and with a stale lock', async () => {
    const dataDir = await directory(0o711);
    const left = await startAndKillStarter(dataDir, 'guard');
    const lines: string[] = [];
    setTimeout(() => process.kill(left.pid, 'SIGCONT'), 500);
    const again = await start(dataDir, lines);
    expect(lines.join('\n')).toContain('left behind');
    await ask(again.url, 'CREATE TABLE kept AS SELECT 1 AS n');
    process.kill(again.pid, 'SIGKILL');
    await again.ended;
    const third = await start(dataDir);
    expect(await ask(third.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
  });

  it('is not taken for itself when a stranger has its process id', async () => {
    const dataDir = await directory(0o711);
    await (await start(dataDir)).stop();
    await writeFile(path.join(dataDir, 'postgres', 'postmaster.pid'), `${process.pid}\n${dataDir}/postgres\n`);
    expect(await ask((await start(dataDir)).url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
  });

  it('refuses a second start on a directory in use, a newer one, and one that cannot be written', async () => {
    const dataDir = await directory(0o711);
    const postgres = await start(dataDir);
    await expect(start(dataDir)).rejects.toThrow(/^Laurel is already running on the data directory .*$/);
    await postgres.stop();
    await writeFile(path.join(dataDir, 'postgres', 'PG_VERSION'), '99\n');
    await expect(start(dataDir)).rejects.toThrow(/^The database in .* is newer: .*PostgreSQL 99.*$/);
    const file = path.join(await directory(0o711));
    await writeFile(file, '');
    await expect(start(path.join(file, 'below'))).rejects.toThrow(
      /^The data directory .* cannot be written \(ENOTDIR\).*$/,
    );
  });
});

describe('the secrets of a data directory', () => {
  it('are made once and readable by their owner alone', async () => {
    const dataDir = await directory(0o711);
    await mkdir(dataDir);
    const secrets = await readSecrets(dataDir);
    expect(await readSecrets(dataDir)).toEqual(secrets);
    expect(secrets.AUTH_SECRET.length).toBeGreaterThanOrEqual(32);
    expect(Buffer.from(secrets.SECRETS_KEY, 'base64')).toHaveLength(32);
    expect((await stat(path.join(dataDir, 'secrets.json'))).mode & 0o077).toBe(0);
  });

  it('from before there was an object store gain what it needs, and are refused when damaged', async () => {
    const dataDir = await directory(0o711);
    await mkdir(dataDir);
    const file = path.join(dataDir, 'secrets.json');
    const kept = { AUTH_SECRET: 'a'.repeat(40), SECRETS_KEY: Buffer.alloc(32).toString('base64') };
    await writeFile(file, JSON.stringify(kept));
    const secrets = await readSecrets(dataDir);
    expect(secrets).toMatchObject(kept);
    expect(secrets.S3_SECRET_ACCESS_KEY.length).toBeGreaterThanOrEqual(32);
    expect(await readSecrets(dataDir)).toEqual(secrets);
    await writeFile(file, '{');
    await expect(readSecrets(dataDir)).rejects.toThrow('is damaged');
  });
});
