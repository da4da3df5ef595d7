import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import { refuse } from '@/server/errors';
import { installWorker } from '@/server/worker/offload';
import type { WorkerOptions, WorkerTurn } from '@/server/worker/thread';
import { bundleFile } from './bundle';

/** A worker thread from its source. */
export async function bundledWorker(entry: URL): Promise<WorkerOptions> {
  const source = fileURLToPath(entry);
  const name = `test/${path.basename(source, '.ts')}-${process.pid}`;
  return { file: pathToFileURL(await bundleFile(source, name)) };
}

/** What would be done in a worker thread until the test ends, in order: no thread is there to do it, so all of it is refused. */
export function watchWorkerTurns(): WorkerTurn[] {
  const turns: WorkerTurn[] = [];
  installWorker({
    waiting: 0,
    run: async (turn) => {
      turns.push(turn);
      throw refuse('OVERLOADED');
    },
  });
  onTestFinished(() => installWorker(undefined));
  return turns;
}
