import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { WorkerOptions } from '@/server/worker/thread';
import { bundleFile } from './bundle';

/** A worker thread from its source. */
export async function bundledWorker(entry: URL): Promise<WorkerOptions> {
  const source = fileURLToPath(entry);
  const name = `test/${path.basename(source, '.ts')}-${process.env.VITEST_POOL_ID}`;
  return { file: pathToFileURL(await bundleFile(source, name)) };
}
