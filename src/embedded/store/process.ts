import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { freePort } from '../processes';
import { StartError } from '../start-error';

export interface EmbeddedStore {
  /** Environment variables for the server that uses it. */
  env: Record<string, string>;
  /** Resolves when its process has exited, through `stop` or by itself. */
  ended: Promise<unknown>;
  stop: () => Promise<void>;
}

/**
 * Starts the object store in its own process. Browsers reach it only through the server.
 * @throws StartError when it fails to start
 */
export async function startEmbeddedStore(options: {
  dataDir: string;
  /** Folder of the bundled server. */
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
    // Its own process group: Ctrl-C reaches the supervisor alone, which stops the server first.
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  await Promise.race([
    once(child, 'message'),
    ended.then(() => {
      throw new StartError('The object store did not start');
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
