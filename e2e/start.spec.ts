import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { Client } from 'pg';
import { migrate } from '../src/embedded/migrations/migrate';
import { startEmbeddedPostgres } from '../src/embedded/postgres/postgres';
import { expect, test } from './fixtures';
import { freePort, newDataDir, removeDataDir, startLaurel } from './laurel';

test('the product responds to its probes and shows a page', async ({ page, request }) => {
  expect((await request.get('/healthz')).status()).toBe(200);
  expect((await request.get('/readyz')).status()).toBe(200);
  await page.goto('/');
  await expect(page).toHaveTitle(/Laurel/);
});

test('a killed start leaves a data directory that the next one recovers, with the guesses that were counted', async () => {
  const dataDir = newDataDir();
  try {
    const port = await freePort();
    const first = await startLaurel(dataDir, port, { LAUREL_DEMO: '0' });
    const guess = async () => {
      const body = JSON.stringify({ email: 'somebody@players.test', password: 'a wrong guess' });
      const headers = { 'content-type': 'application/json' };
      return (await fetch(`${first.url}/api/v1/auth/token`, { method: 'POST', headers, body })).status;
    };
    for (let count = 0; count < 10; count += 1) expect(await guess()).toBe(401);
    expect(await guess()).toBe(429);
    await first.kill();
    const begin = Date.now();
    const second = await startLaurel(dataDir, port, { LAUREL_DEMO: '0' });
    expect(Date.now() - begin).toBeLessThan(20_000);
    expect((await fetch(`${second.url}/readyz`)).status).toBe(200);
    // Nobody gets more guesses by what ends the process and the database.
    expect(await guess()).toBe(429);
    expect(await second.stop()).toBe(0);
    await expect(fetch(`${second.url}/healthz`)).rejects.toThrow();
  } finally {
    removeDataDir(dataDir);
  }
});

/** The first line of the response to a request that offers another protocol, as `curl --http2` does. */
function offer(port: number, path: string, protocol: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`);
    });
    socket.once('data', (data) => resolve(data.toString().split('\r\n')[0] ?? ''));
    socket.once('close', () => reject(new Error('The connection was closed without a response')));
    socket.once('error', reject);
  });
}

test('a request that offers another protocol is answered, and delays no stop', async () => {
  const dataDir = newDataDir();
  try {
    const port = await freePort();
    const laurel = await startLaurel(dataDir, port, { LAUREL_DEMO: '0' });
    expect((await fetch(`${laurel.url}/sign-in`)).status).toBe(200);
    for (const path of ['/sign-in', '/healthz', '/api/v1/tournaments']) {
      for (const protocol of ['h2c', 'websocket']) {
        expect([path, protocol, await offer(port, path, protocol)]).toEqual([path, protocol, 'HTTP/1.1 200 OK']);
      }
    }
    const begin = Date.now();
    expect(await laurel.stop()).toBe(0);
    expect(Date.now() - begin).toBeLessThan(5_000);
  } finally {
    removeDataDir(dataDir);
  }
});

test('a SIGTERM that npm gets stops everything', async () => {
  const dataDir = newDataDir();
  try {
    const laurel = await startLaurel(dataDir, await freePort(), { LAUREL_DEMO: '0' }, ['npm', 'start']);
    await laurel.stop('SIGTERM');
    const isUp = () =>
      fetch(`${laurel.url}/healthz`).then(
        () => true,
        () => false,
      );
    await expect.poll(isUp, { timeout: 30_000 }).toBe(false);
    // A second start would be refused while anything of the first has the directory.
    await expect.poll(() => existsSync(path.join(dataDir, 'running.json')), { timeout: 30_000 }).toBe(false);
  } finally {
    removeDataDir(dataDir);
  }
});

/** The process that runs the functions of the product with a data directory. */
function jobsProcess(dataDir: string): number | undefined {
  const isIt = (pid: number) => {
    try {
      const [command, env] = ['cmdline', 'environ'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8'));
      return command?.endsWith('jobs.js\0') && env?.includes(`LAUREL_DATA_DIR=${dataDir}\0`);
    } catch {
      return false;
    }
  };
  return readdirSync('/proc').map(Number).filter(Number.isInteger).find(isIt);
}

test('functions that are killed begin again, while pages go on', async () => {
  const dataDir = newDataDir();
  try {
    const laurel = await startLaurel(dataDir, await freePort(), { LAUREL_DEMO: '0' });
    const executor = async () => (await (await fetch(`${laurel.url}/readyz`)).json()).checks.executor;
    const metrics = async () => (await fetch(`${laurel.url}/metrics`)).text();
    expect(await executor()).toBe('ok');
    await expect.poll(metrics).toContain('laurel_database_connections{state="idle",process="jobs"}');
    const killed = jobsProcess(dataDir) ?? 0;
    process.kill(killed, 'SIGKILL');
    await expect.poll(executor, { intervals: [50] }).toBe('degraded');
    expect((await fetch(laurel.url)).status).toBe(200);
    await expect.poll(executor, { timeout: 30_000 }).toBe('ok');
    expect(jobsProcess(dataDir)).not.toBe(killed);
    expect(await laurel.stop()).toBe(0);
    expect(jobsProcess(dataDir)).toBeUndefined();
  } finally {
    removeDataDir(dataDir);
  }
});

const refusals: [string, Record<string, string>, RegExp][] = [
  [
    'a directory that cannot be written',
    { LAUREL_DATA_DIR: '/dev/null/data' },
    /^The data directory .* cannot be written/m,
  ],
  [
    'a wrong environment',
    { DATABASE_URL: 'mysql://db', S3_BUCKET: 'x' },
    /DATABASE_URL: must start with.*\n.*S3_ENDPOINT/s,
  ],
  [
    'a database that does not answer',
    { DATABASE_URL: 'postgresql://x:y@127.0.0.1:1/z' },
    /^The database does not answer: .*1/m,
  ],
];
for (const [what, env, message] of refusals) {
  test(`a start on ${what} ends with its reason`, async () => {
    const said = refused({ PORT: '0', ...env });
    expect(said).toMatch(message);
    expect(said).not.toMatch(/^ +at /m);
  });
}

test('a start on a port in use ends with one line', async ({ baseURL }) => {
  const port = new URL(baseURL ?? '').port;
  expect(refused({ PORT: port }).trim()).toMatch(new RegExp(`^Port ${port} is in use; .*$`));
});

test('a start on the data of a development version ends with what to delete', async () => {
  const dataDir = newDataDir();
  try {
    const postgres = await startEmbeddedPostgres({ dataDir, fast: true, log: () => undefined });
    await migrate(postgres.url);
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    await client.query(
      `UPDATE _prisma_migrations SET migration_name = '20200101000000_init' WHERE migration_name LIKE '%_baseline'`,
    );
    await client.end();
    await postgres.stop();
    const said = refused({ PORT: '0', LAUREL_DATA_DIR: dataDir, DATABASE_URL: '' });
    expect(said).toMatch(/^The database was made by a development version .* cannot be upgraded/m);
    expect(said).toContain(`; delete ${dataDir} and start again\n`);
  } finally {
    removeDataDir(dataDir);
  }
});

/** The output of a start that exits with code 1. */
function refused(env: Record<string, string>): string {
  try {
    execFileSync(process.execPath, ['src/embedded/start.mjs'], { env: { ...process.env, ...env }, stdio: 'pipe' });
  } catch (error) {
    const { status, stdout, stderr } = error as { status: number; stdout: Buffer; stderr: Buffer };
    expect(status).toBe(1);
    return `${stdout}${stderr}`;
  }
  throw new Error('The start did not fail');
}
