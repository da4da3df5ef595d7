import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundling } from '@/embedded/bundling.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Bundles a source as the product is bundled. Its packages are found from inside the checkout only.
 * @param source the path of the source
 * @param name of the bundle below `.build`, without its ending
 * @returns the path of the bundle
 */
export async function bundleFile(source: string, name: string): Promise<string> {
  const outfile = path.join(root, '.build', `${name}.mjs`);
  await build({ ...bundling, absWorkingDir: root, entryPoints: [source], outfile, sourcemap: true });
  return outfile;
}
