import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A server on 127.0.0.1 that takes connections and requests, and never answers. */
export async function startSilentServer() {
  const open = new Set<Socket>();
  /** What each connection has sent so far. */
  const received: string[] = [];
  const server = createServer((socket) => {
    const index = received.push('') - 1;
    open.add(socket);
    socket.on('data', (bytes: Buffer) => {
      received[index] += bytes.toString('latin1');
    });
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => {
    for (const socket of open) socket.destroy();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, open, received, stop };
}
