import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { Writable } from 'node:stream';
import { Pool } from 'pg';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { env } from '@/env';
import { db } from '@/server/db';
import { loggerOptions } from '@/server/logger';

/** The line that logs the error. */
function logged(error: unknown): { line: string; err: Record<string, unknown> } {
  let line = '';
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      line += chunk;
      done();
    },
  });
  pino({ ...loggerOptions, level: 'info' }, output).error({ err: error }, 'failed');
  return { line, err: JSON.parse(line).err };
}

test('a lost connection is logged without the client that pg attaches to its error', async () => {
  const pool = new Pool({ connectionString: env.DATABASE_URL, max: 1 });
  const lost = new Promise<Error>((resolve) => pool.once('error', resolve));
  const { rows } = await pool.query('SELECT pg_backend_pid() AS pid');
  await db.$queryRaw`SELECT pg_terminate_backend(${rows[0].pid}::int)`;
  const error = await lost;
  expect(error).toHaveProperty('client');
  const { line, err } = logged(error);
  expect(err).toMatchObject({ type: 'error', code: '57P01', severity: 'FATAL' });
  expect(err.message).toMatch(/terminating connection/);
  expect(err).not.toHaveProperty('client');
  expect(line.length).toBeLessThan(4_000);
  expect(line).not.toContain('connectionParameters');
  await pool.end();
});

test('a violated constraint is logged by name, without the row that violated it', async () => {
  const pool = new Pool({ connectionString: env.DATABASE_URL, max: 1 });
  const error = await pool
    .query(`INSERT INTO game (id, name) VALUES ('secret-row', 'x'), ('secret-row', 'x')`)
    .catch((thrown: unknown) => thrown);
  const { line, err } = logged(error);
  expect(err).toMatchObject({ code: '23505', table: 'game', constraint: 'game_pkey' });
  expect(line).not.toContain('secret-row');
  await pool.end();
});

test('causes are logged three levels deep, and values that are not errors as text', () => {
  const deep = [1, 2, 3, 4, 5].reduce<Error | undefined>(
    (cause, number) => new Error(`level ${number}`, { cause }),
    undefined,
  );
  expect(logged(deep).line.match(/"message":"level \d"/g)).toHaveLength(4);
  expect(logged(new AggregateError([new Error('one'), new Error('two')], 'both')).err.causes).toHaveLength(2);
  expect(logged('plain').err).toEqual({ type: 'string', message: 'plain' });
  expect(logged(new Error('x'.repeat(100_000))).line.length).toBeLessThan(6_000);
});

test('a process whose log has no room on the disk goes on, and ends', async () => {
  const script = `
    import { logger } from './src/server/logger.ts';
    for (let line = 0; line < 5_000; line += 1) logger.info({ line, text: 'x'.repeat(500) }, 'written');
    logger.fatal('written');
    process.send('alive');`;
  const full = openSync('/dev/full', 'w');
  const env = { ...process.env, LOG_LEVEL: 'info' };
  const args = ['--import', 'tsx', '--input-type=module', '-e', script];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', full, 'inherit', 'ipc'] });
  closeSync(full);
  onTestFinished(() => void child.kill('SIGKILL'));
  const [said] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  expect(said).toBe('alive');
  child.disconnect();
  expect(await once(child, 'exit')).toEqual([0, null]);
});
