import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { WorkerOptions } from '@/server/worker/thread';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A worker thread from its source, bundled as the product is. Its packages are found from inside the checkout only. */
export async function bundledWorker(entry: URL): Promise<WorkerOptions> {
  const source = fileURLToPath(entry);
  const outfile = path.join(root, '.build/test', `${path.basename(source, '.ts')}-${process.env.VITEST_POOL_ID}.mjs`);
  await build({
    absWorkingDir: root,
    entryPoints: [source],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    jsx: 'automatic',
    logLevel: 'silent',
  });
  return { file: pathToFileURL(outfile) };
}
