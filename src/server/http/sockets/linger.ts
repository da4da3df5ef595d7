import type { IncomingMessage } from 'node:http';

/** Milliseconds for which the rest of a body may still arrive behind the last response of its connection. */
const lingerMs = 5_000;

/**
 * Has a connection that ends with the response to a request closed for writing then, and for reading once the body has arrived, its
 * client closes it, or time is up. Where something is unread or still comes, the operating system resets a connection that is closed,
 * and the client may never get to read the response; proxies take the server for one that is down.
 */
export function lingerAfter(req: IncomingMessage): void {
  const { socket } = req;
  // Node calls this after the last response of a connection, and else nobody does.
  socket.destroySoon = () => {
    const close = () => void socket.destroy();
    const wait = () => {
      if (req.complete) return close();
      req.once('end', close);
      const timer = setTimeout(close, lingerMs).unref();
      socket.once('close', () => clearTimeout(timer));
    };
    if (socket.writableFinished) wait();
    else socket.end(wait);
  };
}
