import { Transform } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { turnOf } from '@/domain/network/address-ranges';
import { FairQueue } from '@/server/worker/fair-queue';
import { gateOf } from '@/server/worker/thread-share';

/**
 * Chunks of files and of unread bodies that are passed on in a round of the event loop, in all, of a block and of a network.
 * Otherwise a machine that is fast has many of 64 KiB handled on each of its hundreds of connections in every round, and a request
 * of somebody else waits for all of them several times.
 */
const chunks = new FairQueue({
  running: [16, 3, 2],
  gate: gateOf(0.3, 1 / 8),
  waiting: 65_536,
  waitingOfOwner: 16_384,
});

const turnOfChunk = (address: string): Promise<void> => chunks.run(turnOf(address), () => setImmediate());

/**
 * The chunks of a file or body, each when it is the turn of the network that reads or sends it. A client that is slow asks for
 * none, and holds no turn.
 * @param address the caller's
 */
export async function* chunksInTurn<Chunk>(file: AsyncIterable<Chunk>, address: string): AsyncGenerator<Chunk> {
  for await (const chunk of file) {
    await turnOfChunk(address);
    yield chunk;
  }
}

/** The same for a pipe that can be taken off its source. */
export function passInTurn(address: string): Transform {
  return new Transform({
    transform: (chunk, _encoding, done) => void turnOfChunk(address).then(() => done(null, chunk), done),
  });
}
