import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { freePort } from '../processes';
import { StartError } from '../start-error';

export interface EmbeddedStore {
  /** What the server needs to use it. */
  env: Record<string, string>;
  /** Resolves when its process has ended, by `stop` or by itself. */
  ended: Promise<unknown>;
  stop: () => Promise<void>;
}

/**
 * Starts the object store as a process of its own. Browsers reach it through the server alone.
 * @throws StartError when it does not start
 */
export async function startEmbeddedStore(options: {
  dataDir: string;
  /** The bundles. */
  app: string;
  secretAccessKey: string;
}): Promise<EmbeddedStore> {
  const env = {
    S3_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
    S3_REGION: 'us-east-1',
    S3_BUCKET: 'laurel',
    S3_ACCESS_KEY_ID: 'laurel',
    S3_SECRET_ACCESS_KEY: options.secretAccessKey,
    S3_UPLOAD_LOCK: 'query-content-sha256',
    S3_PROXY_UPLOADS: '1',
  };
  const child = spawn(process.execPath, [path.join(options.app, 'embedded/store/main.js')], {
    env: { ...process.env, ...env, STORE_DIRECTORY: path.join(options.dataDir, 'objects') },
    // Its own group: Ctrl-C shall reach the supervisor alone, which stops the server first.
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  await Promise.race([
    once(child, 'message'),
    ended.then(() => {
      throw new StartError('The object store does not start');
    }),
  ]);
  async function stop(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    const force = setTimeout(() => child.kill('SIGKILL'), 5_000);
    await ended;
    clearTimeout(force);
  }
  return { env, ended, stop };
}
