import { setImmediate } from 'node:timers/promises';
import { turnOf } from '@/domain/network/address-ranges';
import { FairQueue } from '@/server/worker/fair-queue';

/**
 * Chunks of files that are passed on in a round of the event loop, in all, of a block and of a network. Otherwise a machine that
 * reads fast has one of 64 KiB sent on each of its hundreds of connections in every round, and a request of somebody else waits
 * for all of them several times.
 */
const chunks = new FairQueue({ running: [16, 3, 2], waiting: 65_536, waitingOfOwner: 16_384 });

/**
 * The chunks of a file, each when it is the turn of the network that reads it. A client that reads slowly asks for none, and
 * holds no turn.
 * @param address the caller's
 */
export async function* chunksInTurn<Chunk>(file: AsyncIterable<Chunk>, address: string): AsyncGenerator<Chunk> {
  const turn = turnOf(address);
  for await (const chunk of file) {
    await chunks.run(turn, () => setImmediate());
    yield chunk;
  }
}
