import { freePort, newDataDir, removeDataDir, startLaurel } from './laurel';

/** One product with the demo for all tests; those that stop or kill theirs start their own. */
export default async function setup() {
  const laurel = await startLaurel(newDataDir(), await freePort());
  process.env.E2E_BASE_URL = laurel.url;
  process.env.E2E_DATA_DIR = laurel.dataDir;
  return async () => {
    await laurel.stop();
    removeDataDir(laurel.dataDir);
  };
}
