import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { abort } from '@/server/http/sockets/abort';
import { answerOn } from '@/server/worker/waiting';

/**
 * Requests of a connection that may wait for the responses to earlier ones. Browsers and proxies send none ahead, load
 * generators a few.
 */
const maxSentAhead = 8;
/** What several that wait take together: 16 KiB of headers in each, on all connections of a block, are gigabytes. */
const maxSizeAhead = 16 * 1024;

/** What a request takes to keep it waiting, in bytes: each text has some of its own. */
const sizeOf = ({ url = '', rawHeaders }: IncomingMessage): number =>
  rawHeaders.reduce((sum, text) => sum + text.length + 16, url.length);

/** What a connection has sent: the requests that are not over, of which the first is being answered, and the latest. */
type Sent = { queue: { res: ServerResponse; size: number; begin: () => void }[]; latest: IncomingMessage };
const sent = new WeakMap<Socket, Sent>();

/**
 * Whether a connection has sent something to which no answer has begun, or a part of a body, or is not to get the rest of an answer of
 * a known length, such as a file, which was begun for nothing. Pages and live updates have none: people leave those at any time.
 */
export function isCutShort(socket: Socket): boolean {
  const { queue = [], latest } = sent.get(socket) ?? {};
  const isLeft = (res: ServerResponse) => !res.headersSent || (!res.chunkedEncoding && !res.writableFinished);
  return latest?.complete === false || queue.some(({ res }) => isLeft(res));
}

/**
 * Answers the requests of a connection one after the other. Node would begin all that arrive in one piece, thousands of
 * them, keep their responses until the first has been read, and tell nobody when the connection is gone before that.
 */
export function oneAtATime(handle: (req: IncomingMessage, res: ServerResponse) => void): RequestListener {
  return (req, res) => {
    const { socket } = req;
    const queue = sent.get(socket)?.queue ?? [];
    sent.set(socket, { queue, latest: req });
    const size = sizeOf(req);
    // The first is being answered, and one may always wait: clients send it when they have the response.
    const sizeAhead = queue.slice(1).reduce((sum, ahead) => sum + ahead.size, size);
    if (queue.length > maxSentAhead || (queue.length > 1 && sizeAhead > maxSizeAhead)) return abort(socket);
    const begin = () => {
      // After the last response of a connection, Node would never say that one is over.
      if (socket.destroyed || socket.writableEnded) return;
      res.once('close', () => {
        queue.shift();
        queue[0]?.begin();
      });
      answerOn(socket, res, () => handle(req, res));
    };
    queue.push({ res, size, begin });
    if (queue.length === 1) begin();
  };
}
