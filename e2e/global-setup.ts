import { freePort, newDataDir, removeDataDir, startLaurel } from './laurel';

/**
 * One product with the demo for all tests; tests that stop or kill theirs start their own. While writing tests you can
 * use a running one instead: E2E_BASE_URL and E2E_DATA_DIR.
 */
export default async function setup() {
  if (process.env.E2E_BASE_URL) return;
  const laurel = await startLaurel(newDataDir(), await freePort());
  process.env.E2E_BASE_URL = laurel.url;
  process.env.E2E_DATA_DIR = laurel.dataDir;
  return async () => {
    await laurel.stop();
    removeDataDir(laurel.dataDir);
  };
}
